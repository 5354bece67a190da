// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of many rows, the labels that they are quantiles of, and intervals row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/online/quantiles.hpp"

namespace hedgerow::online {

/// [point * n_levels + level]. Calibrated levels up to one half are lower ends, the others upper ends, and they may lie
/// outside [0, 1].
inline std::vector<double> predict_quantiles(const QuantileForest& forest, const data::Points& points,
                                             std::span<const double> levels, bool calibrated, std::size_t n_threads) {
  std::vector<double> found(points.n * levels.size());
  forest.for_each_point(points.features, points.n, n_threads, [&](std::size_t i, const Row& row) {
    thread_local LabelQuantiles asked;
    asked.ask(forest, row);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const double level = levels[k];
      found[i * levels.size() + k] = !calibrated    ? asked.plain(level)
                                     : level <= 0.5 ? asked.lower(level)
                                                    : asked.upper(level);
    }
  });
  return found;
}

/// The labels kept in the leaves of each point, with their weights: point i owns first[i] .. first[i + 1] - 1.
struct KeptLabels {
  std::vector<std::int64_t> first{0};
  std::vector<double> weights, values;
};

inline KeptLabels kept_labels(const QuantileForest& forest, const data::Points& points) {
  KeptLabels found;
  forest.for_each_point(points.features, points.n, 1, [&](std::size_t, const Row& row) {
    for (const auto& slot : forest.slots) {
      const auto& kept = slot.tree.leaves[slot.tree.leaf_of(row.x)].labels.sketch;
      kept.for_each_run([&](const sketch::SortedRun& run) {
        found.values.insert(found.values.end(), run.values, run.values + run.n);
        found.weights.insert(found.weights.end(), run.n, run.weight / static_cast<double>(kept.total()));
      });
    }
    if (static_cast<std::int64_t>(found.values.size()) == found.first.back()) {
      found.values.push_back(forest.outlook().mean);
      found.weights.push_back(1.0);
    }
    found.first.push_back(static_cast<std::int64_t>(found.values.size()));
  });
  return found;
}

/// Of each row, just before it is learned: its mean, and the two ends of its interval.
struct IntervalForecasts {
  explicit IntervalForecasts(std::size_t n) : means(n), intervals(2 * n) {}
  std::vector<double> means, intervals;
};

/// If there is no memory for all of them, none is learned.
inline IntervalForecasts forecast_then_learn(QuantileForest& forest, const Batch& batch, double confidence,
                                             conformal::ScoreWindow* window) {
  IntervalForecasts found(batch.n);
  QuantileStream stream(forest, window, batch.n);
  const memory::Reserve reserve(forest.need(batch.n));
  for (std::size_t i = 0; i < batch.n; ++i) {
    const IntervalForecast forecast =
        stream.learn(batch.features + i * forest.growth.width, batch.labels[i], batch.weight(i), confidence);
    found.means[i] = forecast.mean;
    found.intervals[2 * i] = forecast.lower;
    found.intervals[2 * i + 1] = forecast.upper;
  }
  return found;
}

}  // namespace hedgerow::online
