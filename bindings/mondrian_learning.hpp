// SPDX-License-Identifier: BSD-3-Clause
// How every Mondrian forest learns rows and forgets them, whatever its label model.
#pragma once

#include "hedgerow/mondrian/row_order.hpp"
#include "rows.hpp"

namespace hedgerow::bindings {

template <class M>
data::Batch labelled_batch(const mondrian::Forest<M>& forest, const Features& x, const Labels& y,
                           const Labels& weights) {
  const data::Batch batch = batch_of(forest.rows.width(), x, y, weights);
  forest.require_labels(batch);
  return batch;
}

template <class M>
void bind_learning(nb::class_<mondrian::Forest<M>>& bound) {
  using Self = mondrian::Forest<M>;
  bound
      .def(
          "store",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights) {
            const data::Batch batch = labelled_batch(self, x, y, weights);
            without_gil([&] { self.store(batch); });
          },
          array("x"), array("y"), array("weights"))
      .def("grow", &Self::grow, nb::arg("first"), nb::arg("last"), nb::arg("n_threads"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("grown", &Self::grown)
      .def("keep_trees", &Self::keep_trees, nb::arg("n"))
      .def(
          "places_as_they_came", [](const Self& self) { return to_numpy(places_as_they_came(self)); },
          "With keyed cuts: where rows stand among all that are held, in the order in which they came.")
      .def(
          "set_arrivals", [](Self& self, const Vector<std::uint32_t>& places) { set_arrivals(self, span_of(places)); },
          array("places"))
      .def(
          "count_on", [](Self& self, const Self& before) { self.counters = before.counters; }, nb::arg("before"),
          "It has met the rows that another forest has met.")
      .def(
          "learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const data::Batch batch = labelled_batch(self, x, y, weights);
            without_gil([&] { self.learn(batch, n_threads); });
          },
          array("x"), array("y"), array("weights"), nb::arg("n_threads"))
      .def(
          "learn_one",
          [](Self& self, const Labels& x, double y, double weight) {
            row_of(self.rows.width(), x);
            if (!(weight > 0.0 && std::isfinite(weight))) throw std::invalid_argument("a weight is not positive");
            const data::Batch row{x.data(), &y, &weight, 1};
            self.require_labels(row);
            self.learn(row, 1);
          },
          array("x"), nb::arg("y"), nb::arg("weight") = 1.0)
      .def(
          "locate",
          [](const Self& self, const Features& x, const Labels& y, const Labels& weights) {
            return to_numpy(places_of(self, batch_of(self.rows.width(), x, y, weights)));
          },
          array("x"), array("y"), array("weights"),
          "Where rows stand among all that are held, in order; those before the first that is not found.")
      .def(
          "find",
          [](const Self& self, const Features& x, const Labels& y, const Labels& weights) {
            const data::Batch batch = batch_of(self.rows.width(), x, y, weights);
            return to_numpy(without_gil([&] { return self.locate(batch); }));
          },
          array("x"), array("y"), array("weights"),
          "The numbers that `forget` knows rows by; those before the first that is not found.")
      .def(
          "forget",
          [](Self& self, const Vector<std::uint32_t>& rows, std::size_t n_threads) {
            without_gil([&] { self.forget(span_of(rows), n_threads); });
          },
          array("rows"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
