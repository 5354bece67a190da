// SPDX-License-Identifier: BSD-3-Clause
// What every online forest shows to Python, whatever its leaves keep.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "hedgerow/online/archive.hpp"
#include "hedgerow/online/forest.hpp"

namespace hedgerow::bindings {

using namespace online;
using Features = Matrix<double>;
using Labels = Vector<double>;

inline Batch batch_of(std::size_t width, const Features& features, const Labels& labels, const Labels& weights) {
  if (features.shape(1) != width) throw std::invalid_argument("wrong number of columns");
  if (labels.shape(0) != features.shape(0) || (weights.shape(0) != 0 && weights.shape(0) != features.shape(0))) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  return {features.data(), labels.data(), weights.shape(0) == 0 ? nullptr : weights.data(), features.shape(0)};
}

/// One row straight from the user: right width, all finite.
inline void require_row(std::size_t width, const Labels& x) {
  if (x.shape(0) != width) throw std::invalid_argument("wrong number of columns");
  for (std::size_t d = 0; d < width; ++d) {
    if (!std::isfinite(x.data()[d])) throw std::invalid_argument("a feature is not finite");
  }
}

inline auto to_arrays(Answers&& found, std::size_t n, std::size_t n_trees) {
  return std::make_tuple(to_numpy(std::move(found.means), {n, n_trees}),
                         to_numpy(std::move(found.variances), {n, n_trees}));
}

/// The mean over trees at each of n points, summed in the order of the trees.
inline std::vector<double> means_of(const Answers& answers, std::size_t n, std::size_t n_trees) {
  std::vector<double> means(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < n_trees; ++b) means[i] += answers.means[i * n_trees + b];
    means[i] /= static_cast<double>(n_trees);
  }
  return means;
}

/// A count over all trees.
template <class Self, class Function>
std::size_t sum_over_slots(const Self& self, Function&& f) {
  std::size_t total = 0;
  for (const auto& slot : self.slots) total += f(slot);
  return total;
}

template <LeafLabels L>
std::size_t depth_of(const HoeffdingTree<L>& tree) {
  std::vector<std::size_t> levels(tree.nodes.size(), 0);
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // children lie behind their parents
    deepest = std::max(deepest, levels[i]);
    if (!tree.nodes[i].is_leaf()) levels[tree.nodes[i].link] = levels[tree.nodes[i].link + 1] = levels[i] + 1;
  }
  return deepest;
}

template <LeafLabels L>
void bind_counts(nb::class_<Forest<L>>& bound) {
  using Self = Forest<L>;
  bound.def_prop_ro("width", [](const Self& self) { return self.growth.width; })
      .def_prop_ro("n_trees", [](const Self& self) { return self.slots.size(); })
      .def_ro("seed", &Self::seed)
      .def_ro("arrivals", &Self::arrivals)
      .def_prop_ro("n_nodes",
                   [](const Self& self) {
                     return sum_over_slots(self, [](const auto& slot) { return slot.tree.nodes.size(); });
                   })
      .def_prop_ro(
          "n_warnings",
          [](const Self& self) { return sum_over_slots(self, [](const auto& slot) { return slot.n_warnings; }); })
      .def_prop_ro(
          "n_alarms",
          [](const Self& self) { return sum_over_slots(self, [](const auto& slot) { return slot.n_alarms; }); })
      .def_prop_ro("n_bytes",
                   [](const Self& self) {
                     return sum_over_slots(self, [](const auto& slot) {
                       return slot.tree.n_bytes() + (slot.background ? slot.background->n_bytes() : 0);
                     });
                   })
      .def_prop_ro("depth",
                   [](const Self& self) {
                     std::size_t deepest = 0;
                     for (const auto& slot : self.slots) deepest = std::max(deepest, depth_of(slot.tree));
                     return deepest;
                   })
      .def("gains", [](const Self& self) {
        std::vector<double> total(self.growth.width, 0.0);
        for (const auto& slot : self.slots) {
          for (std::size_t d = 0; d < slot.gains.size(); ++d) total[d] += slot.gains[d];
        }
        return to_numpy(std::move(total));
      });
}

template <LeafLabels L>
void bind_archive(nb::class_<Forest<L>>& bound) {
  using Self = Forest<L>;
  bound
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
            throw std::invalid_argument(std::string("not a valid online forest: the array ") + key +
                                        " is missing or mistyped");
          }
          values.assign(array.data(), array.data() + array.shape(0));
        });
        restore(self, archive);
      });
}

template <LeafLabels L>
nb::class_<Forest<L>> bind_online(nb::module_& m, const char* name) {
  using Self = Forest<L>;
  nb::class_<Self> bound(m, name);
  bound
      .def(
          "__init__",
          [](Self* self, const Growth& growth, std::size_t n_trees, std::uint64_t seed) {
            new (self) Self(growth, n_trees, seed);
          },
          nb::kw_only(), nb::arg("growth"), nb::arg("n_trees"), nb::arg("seed"))
      .def(
          "learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const Batch batch = batch_of(self.growth.width, x, y, weights);
            nb::gil_scoped_release release;
            self.learn(batch, n_threads);
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_threads"))
      .def(
          "learn_one",
          [](Self& self, const Labels& x, double y) {
            require_row(self.growth.width, x);
            self.learn({x.data(), &y, nullptr, 1}, 1);
          },
          nb::arg("x").noconvert(), nb::arg("y"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const Batch batch = batch_of(self.growth.width, x, y, weights);
            Answers found(0, 0);
            {
              nb::gil_scoped_release release;
              found = self.predict_then_learn(batch, n_threads);
            }
            return to_arrays(std::move(found), x.shape(0), self.slots.size());
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_threads"))
      .def(
          "answers",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            if (x.shape(1) != self.growth.width) throw std::invalid_argument("wrong number of columns");
            Answers found(0, 0);
            {
              nb::gil_scoped_release release;
              found = self.predict(x.data(), x.shape(0), n_threads);
            }
            return to_arrays(std::move(found), x.shape(0), self.slots.size());
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"), "What each tree says: means and variances.")
      .def(
          "means",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            if (x.shape(1) != self.growth.width) throw std::invalid_argument("wrong number of columns");
            std::vector<double> found;
            {
              nb::gil_scoped_release release;
              found = means_of(self.predict(x.data(), x.shape(0), n_threads), x.shape(0), self.slots.size());
            }
            return to_numpy(std::move(found));
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def(
          "mean_one",
          [](const Self& self, const Labels& x) {
            require_row(self.growth.width, x);
            return means_of(self.predict(x.data(), 1, 1), 1, self.slots.size())[0];
          },
          nb::arg("x").noconvert())
      .def(
          "leaves",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            if (x.shape(1) != self.growth.width) throw std::invalid_argument("wrong number of columns");
            const std::size_t n_trees = self.slots.size();
            std::vector<std::uint32_t> found(x.shape(0) * n_trees);
            {
              nb::gil_scoped_release release;
              self.for_each_point(x.data(), x.shape(0), n_threads, [&](std::size_t i, const Row& row) {
                for (std::size_t b = 0; b < n_trees; ++b) found[i * n_trees + b] = self.slots[b].tree.leaf_of(row.x);
              });
            }
            return to_numpy(std::move(found), {x.shape(0), n_trees});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"));
  bind_counts(bound);
  bind_archive(bound);
  return bound;
}

}  // namespace hedgerow::bindings
