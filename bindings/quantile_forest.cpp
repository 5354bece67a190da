// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/ask_quantiles.hpp"
#include "online_forest.hpp"

namespace hedgerow::bindings {

void bind_quantile_forest(nb::module_& m) {
  using Self = online::QuantileForest;
  bind_online<online::SketchedLabels>(m, "QuantileForest")
      .def(
          "quantiles",
          [](const Self& self, const Features& x, const Labels& levels, bool calibrated, std::size_t n_threads) {
            const data::Points points = points_of(self.growth.width, x);
            return to_numpy(
                without_gil([&] { return predict_quantiles(self, points, span_of(levels), calibrated, n_threads); }),
                {points.n, levels.shape(0)});
          },
          array("x"), array("levels"), nb::arg("calibrated"), nb::arg("n_threads"))
      .def(
          "labels",
          [](const Self& self, const Features& x) {
            auto found = kept_labels(self, points_of(self.growth.width, x));
            return to_arrays(std::move(found.first), std::move(found.weights), std::move(found.values));
          },
          array("x"))
      .def(
          "forecast_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, double confidence,
             conformal::ScoreWindow* window) {
            const data::Batch batch = batch_of(self.growth.width, x, y, weights);
            auto found = without_gil([&] { return forecast_then_learn(self, batch, confidence, window); });
            return std::make_tuple(to_numpy(std::move(found.means)),
                                   to_numpy(std::move(found.intervals), {batch.n, std::size_t{2}}));
          },
          array("x"), array("y"), array("weights"), nb::arg("confidence"), nb::arg("window").none());
}

}  // namespace hedgerow::bindings
