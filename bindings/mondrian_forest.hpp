// SPDX-License-Identifier: BSD-3-Clause
// What every Mondrian forest shows to Python, whatever its label model.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "hedgerow/mondrian/archive.hpp"
#include "hedgerow/mondrian/ask.hpp"
#include "hedgerow/mondrian/check.hpp"
#include "hedgerow/mondrian/contrasts.hpp"
#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::bindings {

using namespace mondrian;
using Features = Matrix<double>;
using Labels = Vector<double>;

inline Batch batch_of(const Features& features, const Labels& labels, const Labels& weights) {
  if (labels.shape(0) != features.shape(0) || (weights.shape(0) != 0 && weights.shape(0) != features.shape(0))) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  return {features.data(), labels.data(), weights.shape(0) == 0 ? nullptr : weights.data(), features.shape(0)};
}

template <class M>
void require_labels(const Forest<M>& forest, const Batch& batch) {
  for (std::size_t i = 0; i < batch.n; ++i) {
    if (!forest.model.is_label(batch.labels[i])) throw std::invalid_argument("a label is not one of the model's");
  }
}

/// One row straight from the user: right width, all finite.
template <class M>
void require_row(const Forest<M>& forest, const Labels& x) {
  if (x.shape(0) != forest.rows.width()) throw std::invalid_argument("wrong number of columns");
  for (std::size_t d = 0; d < x.shape(0); ++d) {
    if (!std::isfinite(x.data()[d])) throw std::invalid_argument("a feature is not finite");
  }
}

template <class M>
void require_width(const Forest<M>& forest, std::size_t width) {
  if (width != forest.rows.width()) throw std::invalid_argument("wrong number of columns");
}

inline Scaling scaling_of(const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
                          const Labels& slopes) {
  const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.shape(0)); };
  Scaling scaling;
  scaling.first_knot = copy(first_knot);
  scaling.values = copy(values);
  scaling.images = copy(images);
  scaling.slopes = copy(slopes);
  return scaling;
}

/// Everything but the label model's own numbers.
/// Numbers of rows in the order in which they were learned, by row number; none at all stay none.
template <class M>
std::vector<std::uint32_t> by_row_number(const Forest<M>& forest, const Vector<std::uint32_t>& in_order) {
  if (in_order.shape(0) == 0) return {};
  if (in_order.shape(0) != forest.rows.size()) throw std::invalid_argument("there must be a number for each row");
  std::vector<std::uint32_t> found(forest.rows.capacity(), tree::none);
  std::size_t place = 0;
  for (const RowId id : forest.rows_in_order()) found[id] = in_order.data()[place++];
  return found;
}

/// What was found of each row, by row number, in the order in which rows were learned; `length` numbers a row.
template <class M>
std::vector<double> in_order_of_rows(const Forest<M>& forest, const std::vector<double>& by_number,
                                     std::size_t length = 1) {
  std::vector<double> kept;
  kept.reserve(forest.rows.size() * length);
  for (const RowId id : forest.rows_in_order()) {
    const auto first = by_number.begin() + static_cast<std::ptrdiff_t>(id * length);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(length));
  }
  return kept;
}

/// `Spread` says how much labels differ; see `contrasts`.
template <class M, class Spread>
nb::class_<Forest<M>> bind_forest(nb::module_& m, const char* name) {
  using Self = Forest<M>;
  const auto no_gil = nb::call_guard<nb::gil_scoped_release>();
  return nb::class_<Self>(m, name)
      .def(
          "__init__",
          [](Self* self, std::size_t width, std::size_t n_trees, double min_samples_split, double lifetime,
             std::uint64_t seed, std::size_t window) {
            new (self) Self(width, n_trees, Growth{min_samples_split, lifetime}, seed, window);
          },
          nb::kw_only(), nb::arg("width"), nb::arg("n_trees"), nb::arg("min_samples_split"), nb::arg("lifetime"),
          nb::arg("seed"), nb::arg("window"))
      .def_prop_ro("width", [](const Self& self) { return self.rows.width(); })
      .def_prop_ro("n_rows", [](const Self& self) { return self.rows.size(); })
      .def_prop_ro("n_trees", [](const Self& self) { return self.trees.size(); })
      .def_prop_ro("seed", [](const Self& self) { return self.seed; })
      .def_prop_ro("arrivals", [](const Self& self) { return self.counters.arrivals; })
      .def_prop_ro("generation", [](const Self& self) { return self.counters.generation; })
      .def_prop_rw(
          "next_review", [](const Self& self) { return self.counters.next_review; },
          [](Self& self, std::uint64_t when) { self.counters.next_review = when; })
      .def_prop_ro("n_nodes",
                   [](const Self& self) {
                     std::size_t total = 0;
                     std::vector<NodeId> order;
                     for (const auto& tree : self.trees) {
                       order.clear();
                       append_preorder(tree.shape, tree.root, order);
                       total += order.size();
                     }
                     return total;
                   })
      .def_prop_ro("depth",
                   [](const Self& self) {
                     std::size_t deepest = 0;
                     for (const auto& tree : self.trees) deepest = std::max(deepest, depth(tree));
                     return deepest;
                   })
      .def_prop_ro("n_bytes", [](const Self& self) { return n_bytes(self); })
      .def(
          "set_scaling",
          [](Self& self, const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
             const Labels& slopes) { self.scaling = scaling_of(first_knot, values, images, slopes); },
          nb::arg("first_knot").noconvert(), nb::arg("values").noconvert(), nb::arg("images").noconvert(),
          nb::arg("slopes").noconvert())
      .def(
          "rescaled",
          [](const Self& self, const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
             const Labels& slopes) { return self.rescaled(scaling_of(first_knot, values, images, slopes)); },
          nb::arg("first_knot").noconvert(), nb::arg("values").noconvert(), nb::arg("images").noconvert(),
          nb::arg("slopes").noconvert())
      .def(
          "contrasts",
          [](const Self& self, double fewest, const Vector<std::uint32_t>& groups) {
            auto found = contrasts<Spread>(self, fewest, by_row_number(self, groups));
            return std::make_tuple(to_numpy(std::move(found.gains)), to_numpy(std::move(found.distances)));
          },
          nb::arg("fewest"), nb::arg("groups").noconvert())
      .def(
          "row_weights",
          [](const Self& self) {
            std::vector<double> weights;
            if (!self.rows.weights.empty()) {
              for (const RowId id : self.rows_in_order()) weights.push_back(self.rows.weight(id));
            }
            return to_numpy(std::move(weights));
          },
          "Empty while every weight is one.")
      .def("row_labels",
           [](const Self& self) {
             std::vector<double> labels;
             for (const RowId id : self.rows_in_order()) labels.push_back(self.rows.labels[id]);
             return to_numpy(std::move(labels));
           })
      .def("row_values",
           [](const Self& self) {
             std::vector<double> values;
             for (const RowId id : self.rows_in_order()) {
               const double* x = self.rows.as_given(id);
               values.insert(values.end(), x, x + self.rows.width());
             }
             return to_numpy(std::move(values), {self.rows.size(), self.rows.width()});
           })
      .def(
          "store",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            require_labels(self, batch);
            nb::gil_scoped_release release;
            self.store(batch);
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert())
      .def("grow", &Self::grow, nb::arg("first"), nb::arg("last"), nb::arg("n_threads"), no_gil)
      .def("grown", &Self::grown)
      .def(
          "learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            require_labels(self, batch);
            nb::gil_scoped_release release;
            self.learn(batch, n_threads);
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_threads"))
      .def(
          "learn_one",
          [](Self& self, const Labels& x, double y, double weight) {
            require_row(self, x);
            if (!self.model.is_label(y)) throw std::invalid_argument("a label is not one of the model's");
            if (!(weight > 0.0 && std::isfinite(weight))) throw std::invalid_argument("a weight is not positive");
            self.learn({x.data(), &y, &weight, 1}, 1);
          },
          nb::arg("x").noconvert(), nb::arg("y"), nb::arg("weight") = 1.0)
      .def(
          "locate",
          [](const Self& self, const Features& x, const Labels& y, const Labels& weights) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            std::vector<std::uint32_t> places, place_of(self.rows.capacity());
            std::uint32_t place = 0;
            for (const RowId id : self.rows_in_order()) place_of[id] = place++;
            for (const RowId id : self.locate(batch)) places.push_back(place_of[id]);
            return to_numpy(std::move(places));
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(),
          "Where rows stand among all that are held, in order; those before the first that is not found.")
      .def(
          "forget",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            nb::gil_scoped_release release;
            const auto located = self.locate(batch);
            if (located.size() == batch.n) self.forget(located, n_threads);
            return located.size();
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_threads"),
          "How many of the rows were found; unless that is all of them, nothing was forgotten.")
      .def(
          "leaves",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            require_width(self, x.shape(1));
            std::vector<NodeId> found(x.shape(0) * self.trees.size());
            {
              nb::gil_scoped_release release;
              find_leaves(self, {x.data(), x.shape(0)}, n_threads, found.data());
            }
            return to_numpy(std::move(found), {x.shape(0), self.trees.size()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def(
          "cells",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            require_width(self, x.shape(1));
            std::vector<double> bounds(x.shape(0) * self.trees.size() * x.shape(1) * 2);
            {
              nb::gil_scoped_release release;
              find_cells(self, {x.data(), x.shape(0)}, n_threads, bounds.data());
            }
            return to_numpy(std::move(bounds), {x.shape(0), self.trees.size(), x.shape(1), 2});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def("broken_rules",
           [](const Self& self) {
             std::vector<std::string> broken;
             for (const auto& tree : self.trees) {
               auto found = check_links(tree, self.rows);
               if (found.empty()) found = check_blocks(tree, self.rows, self.growth, self.model);
               broken.insert(broken.end(), found.begin(), found.end());
             }
             return broken;
           })
      .def("archive",
           [](const Self& self) {
             nb::dict arrays;
             Archive archive = archived(self);
             Archive::for_each_array(archive,
                                     [&](const char* key, auto& values) { arrays[key] = to_numpy(std::move(values)); });
             return arrays;
           })
      .def("restore", [](Self& self, const nb::dict& arrays) {
        Archive archive;
        Archive::for_each_array(archive, [&](const char* key, auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          Vector<T> array;
          if (!arrays.contains(key) || !nb::try_cast(arrays[key], array, false)) {
            throw std::invalid_argument(std::string("not a valid forest: the array ") + key +
                                        " is missing or mistyped");
          }
          values.assign(array.data(), array.data() + array.shape(0));
        });
        restore(self, archive);
      });
}

}  // namespace hedgerow::bindings
