// SPDX-License-Identifier: BSD-3-Clause
// What every online forest shows to Python, whatever its leaves keep.
#pragma once

#include "archive.hpp"
#include "hedgerow/online/archive.hpp"
#include "hedgerow/online/ask.hpp"
#include "rows.hpp"

namespace hedgerow::bindings {

inline auto to_arrays(online::Answers&& found, std::size_t n, std::size_t n_trees) {
  return std::make_tuple(to_numpy(std::move(found.means), {n, n_trees}),
                         to_numpy(std::move(found.variances), {n, n_trees}));
}

template <online::LeafLabels L>
void bind_counts(nb::class_<online::Forest<L>>& bound) {
  using Self = online::Forest<L>;
  bound.def_prop_ro("width", [](const Self& self) { return self.growth.width; })
      .def_prop_ro("n_trees", [](const Self& self) { return self.slots.size(); })
      .def_ro("seed", &Self::seed)
      .def_ro("arrivals", &Self::arrivals)
      .def_prop_ro("n_nodes", [](const Self& self) { return n_nodes(self); })
      .def_prop_ro("n_warnings",
                   [](const Self& self) { return sum_over_slots(self, [](auto& slot) { return slot.n_warnings; }); })
      .def_prop_ro("n_alarms",
                   [](const Self& self) { return sum_over_slots(self, [](auto& slot) { return slot.n_alarms; }); })
      .def("need", &Self::need, nb::arg("n_rows"), "Bytes that are set aside while so many rows are learned.")
      .def_prop_ro("n_bytes", [](const Self& self) { return n_bytes(self); })
      .def_prop_ro("depth", [](const Self& self) { return depth(self); })
      .def("gains", [](const Self& self) { return to_numpy(gains(self)); });
}

template <online::LeafLabels L>
nb::class_<online::Forest<L>> bind_online(nb::module_& m, const char* name) {
  using Self = online::Forest<L>;
  nb::class_<Self> bound(m, name);
  bound
      .def(nb::init<const online::Growth&, std::size_t, std::uint64_t>(), nb::kw_only(), nb::arg("growth"),
           nb::arg("n_trees"), nb::arg("seed"))
      .def(
          "learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const data::Batch batch = batch_of(self.growth.width, x, y, weights);
            without_gil([&] { self.learn(batch, n_threads); });
          },
          array("x"), array("y"), array("weights"), nb::arg("n_threads"))
      .def(
          "learn_one",
          [](Self& self, const Labels& x, double y) {
            row_of(self.growth.width, x);
            self.learn({x.data(), &y, nullptr, 1}, 1);
          },
          array("x"), nb::arg("y"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const data::Batch batch = batch_of(self.growth.width, x, y, weights);
            return to_arrays(without_gil([&] { return self.predict_then_learn(batch, n_threads); }), batch.n,
                             self.slots.size());
          },
          array("x"), array("y"), array("weights"), nb::arg("n_threads"))
      .def(
          "answers",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.growth.width, x);
            return to_arrays(without_gil([&] { return self.predict(points.features, points.n, n_threads); }), points.n,
                             self.slots.size());
          },
          array("x"), nb::arg("n_threads"), "What each tree says: means and variances.")
      .def(
          "means",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.growth.width, x);
            return to_numpy(without_gil([&] { return predict_means(self, points, n_threads); }));
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "mean_one",
          [](const Self& self, const Labels& x) { return predict_means(self, row_of(self.growth.width, x), 1)[0]; },
          array("x"))
      .def(
          "leaves",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.growth.width, x);
            return to_numpy(without_gil([&] { return find_leaves(self, points, n_threads); }),
                            {points.n, self.slots.size()});
          },
          array("x"), nb::arg("n_threads"));
  bind_counts(bound);
  bind_archive(bound, "online forest");
  return bound;
}

}  // namespace hedgerow::bindings
