// SPDX-License-Identifier: BSD-3-Clause
// Forecasts of many rows by a forest and its calibration.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hedgerow/conformal/radii.hpp"
#include "hedgerow/online/out_of_bag.hpp"

namespace hedgerow::online {

/// Of each row. Radii are there for rows that are learned: [row * n_confidences + confidence].
struct Forecasts {
  explicit Forecasts(std::size_t n = 0) : means(n), scales(n) {}
  std::vector<double> means, scales, radii;

  void set(std::size_t i, const Forecast& forecast) {
    means[i] = forecast.mean;
    scales[i] = forecast.scale;
  }
};

template <LeafLabels L>
Forecasts predict_forecasts(const OutOfBag<L>& calibration, const Forest<L>& forest, const data::Points& points,
                            std::size_t n_threads) {
  Forecasts found(points.n);
  forest.for_each_point(points.features, points.n, n_threads,
                        [&](std::size_t i, const Row& row) { found.set(i, calibration.forecast(forest, row)); });
  return found;
}

/// Each row is forecast just before it is learned. If there is no memory for all of them, none is learned.
template <LeafLabels L>
Forecasts forecast_then_learn(OutOfBag<L>& calibration, Forest<L>& forest, ErrorSizes* sizes, const Batch& batch,
                              std::span<const double> confidences) {
  Forecasts found(batch.n);
  found.radii.reserve(batch.n * confidences.size());
  calibration.make_room(forest, sizes, batch.n);
  const memory::Reserve reserve(forest.need(batch.n) + (sizes == nullptr ? 0 : sizes->need(batch.n)));
  for (std::size_t i = 0; i < batch.n; ++i) {
    conformal::append_radii(calibration, confidences, found.radii);
    const double* x = batch.features + i * forest.growth.width;
    found.set(i, calibration.learn(forest, sizes, x, batch.labels[i], batch.weight(i)));
  }
  return found;
}

}  // namespace hedgerow::online
