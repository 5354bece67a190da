// SPDX-License-Identifier: BSD-3-Clause
// What every Mondrian forest shows to Python, whatever its label model.
#pragma once

#include <nanobind/stl/vector.h>

#include "archive.hpp"
#include "hedgerow/mondrian/archive.hpp"
#include "hedgerow/mondrian/learn/contrasts.hpp"
#include "hedgerow/mondrian/query/ask.hpp"
#include "mondrian_learning.hpp"

namespace hedgerow::bindings {

inline mondrian::Scaling scaling_of(const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
                                    const Labels& slopes) {
  mondrian::Scaling scaling;
  scaling.first_knot = vector_of(first_knot);
  scaling.values = vector_of(values);
  scaling.images = vector_of(images);
  scaling.slopes = vector_of(slopes);
  return scaling;
}

template <class M>
void bind_counts(nb::class_<mondrian::Forest<M>>& bound) {
  using Self = mondrian::Forest<M>;
  bound.def_prop_ro("width", [](const Self& self) { return self.rows.width(); })
      .def_prop_ro("n_rows", [](const Self& self) { return self.rows.size(); })
      .def_prop_ro("n_trees", [](const Self& self) { return self.trees.size(); })
      .def_prop_ro("seed", [](const Self& self) { return self.seed; })
      .def_prop_ro(
          "is_close", [](const Self& self) { return self.keyed && self.keyed->domain.is_close; },
          "With keyed cuts: does the process run close to the rows, and not everywhere?")
      .def_prop_ro("arrivals", [](const Self& self) { return self.counters.arrivals; })
      .def_prop_ro("generation", [](const Self& self) { return self.counters.generation; })
      .def_prop_rw(
          "next_review", [](const Self& self) { return self.counters.next_review; },
          [](Self& self, std::uint64_t when) { self.counters.next_review = when; })
      .def_prop_ro("n_nodes", [](const Self& self) { return n_nodes(self); })
      .def_prop_ro("depth", [](const Self& self) { return depth(self); })
      .def_prop_ro("n_bytes", [](const Self& self) { return n_bytes(self); })
      .def(
          "summaries", [](const Self& self) { return to_numpy(all_summaries(self)); },
          "What each node says, tree after tree, node after node.")
      .def("broken_rules", [](const Self& self) { return broken_rules(self); })
      .def(
          "row_weights", [](const Self& self) { return to_numpy(row_weights(self)); },
          "Empty while every weight is one.")
      .def("row_labels", [](const Self& self) { return to_numpy(in_order_of_rows(self, self.rows.labels)); })
      .def("row_values", [](const Self& self) {
        const std::size_t width = self.rows.width();
        return to_numpy(in_order_of_rows(self, self.rows.given, width), {self.rows.size(), width});
      });
}

template <class M, class Spread>
void bind_structure(nb::class_<mondrian::Forest<M>>& bound) {
  using Self = mondrian::Forest<M>;
  bound
      .def(
          "set_scaling",
          [](Self& self, const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
             const Labels& slopes) { self.scaling = scaling_of(first_knot, values, images, slopes); },
          array("first_knot"), array("values"), array("images"), array("slopes"))
      .def(
          "rescaled",
          [](const Self& self, const Vector<std::uint64_t>& first_knot, const Labels& values, const Labels& images,
             const Labels& slopes) { return self.rescaled(scaling_of(first_knot, values, images, slopes)); },
          array("first_knot"), array("values"), array("images"), array("slopes"))
      .def(
          "watch_gaps",
          [](Self& self, const Vector<std::uint32_t>& columns, const Labels& begins, const Labels& lengths,
             const Labels& slopes) {
            std::vector<mondrian::Gaps::Column> watched;
            for (std::size_t k = 0; k < columns.shape(0); ++k) {
              watched.push_back({columns.data()[k], begins.data()[k], lengths.data()[k], slopes.data()[k]});
            }
            self.gaps = mondrian::Gaps(std::move(watched), self.rows);
          },
          array("columns"), array("begins"), array("lengths"), array("slopes"),
          "Ranges of some columns, and the variance that distances from rows add; of range 0, that of new categories.")
      .def(
          "contrasts",
          [](const Self& self, double fewest, const Vector<std::uint32_t>& groups) {
            auto found = mondrian::contrasts<Spread>(self, fewest, by_row_number(self, span_of(groups)));
            return to_arrays(std::move(found.gains), std::move(found.distances));
          },
          nb::arg("fewest"), array("groups"))
      .def(
          "leaves",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_numpy(without_gil([&] { return find_leaves(self, points, n_threads); }),
                            {points.n, self.trees.size()});
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "cells",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_numpy(without_gil([&] { return find_cells(self, points, n_threads); }),
                            {points.n, self.trees.size(), x.shape(1), 2});
          },
          array("x"), nb::arg("n_threads"));
}

/// What only those call who trust where arrays come from: another process of the same user.
template <class M>
void bind_trees(nb::class_<mondrian::Forest<M>>& bound) {
  using Self = mondrian::Forest<M>;
  bound
      .def(
          "restore_own",
          [](Self& self, const nb::dict& arrays) {
            read_as("forest", [&] { restore(self, archive_of(arrays), mondrian::Writer::self); });
          },
          nb::arg("arrays"), "What `archive` gave; trees are neither checked against the rows nor grown again.")
      .def(
          "archive_trees",
          [](const Self& self, std::size_t first, std::size_t last) {
            return to_dict(archived_trees(self, first, last));
          },
          nb::arg("first"), nb::arg("last"), "Trees for a forest that has stored the same rows in the same order.")
      .def(
          "take_trees",
          [](Self& self, const nb::dict& arrays, std::size_t first, std::size_t last, std::size_t n_threads) {
            const archive::Archive archive = archive_of(arrays);
            read_as("part of a forest",
                    [&] { without_gil([&] { take_trees(self, archive, first, last, n_threads); }); });
          },
          nb::arg("arrays"), nb::arg("first"), nb::arg("last"), nb::arg("n_threads"));
}

/// Everything but the label model's own numbers. `Spread` says how much labels differ; see `contrasts`.
template <class M, class Spread>
nb::class_<mondrian::Forest<M>> bind_forest(nb::module_& m, const char* name) {
  using Self = mondrian::Forest<M>;
  nb::class_<Self> bound(m, name);
  bound.def(
      "__init__",
      [](Self* self, std::size_t width, std::size_t n_trees, double min_samples_split, double lifetime,
         std::uint64_t seed, std::size_t window, bool keyed, bool close) {
        new (self) Self(width, n_trees, mondrian::Growth{min_samples_split, lifetime}, seed, window, keyed, close);
      },
      nb::kw_only(), nb::arg("width"), nb::arg("n_trees"), nb::arg("min_samples_split"), nb::arg("lifetime"),
      nb::arg("seed"), nb::arg("window"), nb::arg("keyed") = false, nb::arg("close") = false);
  bind_counts(bound);
  bind_learning(bound);
  bind_structure<M, Spread>(bound);
  bind_archive(bound, "forest");
  bind_trees(bound);
  return bound;
}

}  // namespace hedgerow::bindings
