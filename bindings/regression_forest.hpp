// SPDX-License-Identifier: BSD-3-Clause
// What forests whose predictions are mixtures of Gaussians show to Python. One unit a recipe instantiates it.
#pragma once

#include "hedgerow/mondrian/query/forecast.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {

inline auto to_arrays(mondrian::Mixtures&& found) {
  return to_arrays(std::move(found.first), std::move(found.weights), std::move(found.means),
                   std::move(found.variances));
}

inline auto to_arrays(mondrian::MixtureMoments&& found) {
  return to_arrays(std::move(found.mean), std::move(found.within), std::move(found.between), std::move(found.added));
}

template <class M>
nb::class_<mondrian::Forest<M>> bind_regression(nb::module_& m, const char* name) {
  using Self = mondrian::Forest<M>;
  using mondrian::QueryRule;
  return bind_forest<M, mondrian::RealSpread>(m, name)
      .def_prop_ro("label_moments",
                   [](const Self& self) {
                     const auto& seen = self.labels_seen;
                     return std::make_tuple(seen.weight, seen.mean, seen.squares);
                   })
      .def(
          "moments",
          [](const Self& self, const Features& x, const QueryRule& rule, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_arrays(
                without_gil([&] { return predict_moments(self, points, rule.at(self.labels_seen), n_threads); }));
          },
          array("x"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "mean_one",
          [](const Self& self, const Labels& x, const QueryRule& rule) {
            return predict_moments(self, row_of(self.rows.width(), x), rule.at(self.labels_seen), 1).mean[0];
          },
          array("x"), nb::arg("rule"))
      .def(
          "mixtures",
          [](const Self& self, const Features& x, const QueryRule& rule, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_arrays(
                without_gil([&] { return predict_mixtures(self, points, rule.at(self.labels_seen), n_threads); }));
          },
          array("x"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const QueryRule& rule,
             std::size_t n_threads) {
            const data::Batch batch = batch_of(self.rows.width(), x, y, weights);
            return to_arrays(without_gil([&] { return predict_then_learn(self, batch, rule, n_threads); }));
          },
          array("x"), array("y"), array("weights"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "moments_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const QueryRule& rule,
             std::size_t n_threads) {
            const data::Batch batch = batch_of(self.rows.width(), x, y, weights);
            return to_arrays(without_gil([&] { return predict_moments_then_learn(self, batch, rule, n_threads); }));
          },
          array("x"), array("y"), array("weights"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "query",
          [](const Self& self, const QueryRule& rule) {
            const label::Query query = rule.at(self.labels_seen);
            return std::make_tuple(query.centre, query.variance, query.noise);
          },
          nb::arg("rule"));
}

}  // namespace hedgerow::bindings
