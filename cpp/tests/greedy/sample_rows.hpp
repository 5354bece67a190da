// SPDX-License-Identifier: BSD-3-Clause
// Rows to grow greedy trees from.
#pragma once

#include <cmath>
#include <vector>

#include "hedgerow/greedy/row_bins.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::greedy {

using posterior_tree::Points;

struct SampleSettings {
  std::size_t n = 100, width = 4, n_outputs = 1;
  std::size_t n_values = 20;  ///< of each column
  double noise = 0.5;
  bool has_weights = false;
  std::uint64_t seed = 1;
};

struct Sample {
  std::size_t n, width, n_outputs;
  std::vector<double> values, labels, weights;

  [[nodiscard]] Points points() const { return {values.data(), n, width}; }
  [[nodiscard]] std::vector<CutUnits> units() const {
    const BinnedRows data(points(), 1);
    return {data.positions.begin(), data.positions.end()};
  }
};

/// Each output steps in a column of its own, and has noise.
inline Sample draw_sample(const SampleSettings& settings) {
  random::Stream stream(settings.seed, random::Purpose::grow, 0, 0);
  Sample sample{settings.n, settings.width, settings.n_outputs, {}, {}, {}};
  const auto n_values = static_cast<double>(settings.n_values);
  for (std::size_t i = 0; i < sample.n * sample.width; ++i) {
    sample.values.push_back(std::floor(n_values * stream.uniform()) / n_values);
  }
  for (std::size_t row = 0; row < sample.n; ++row) {
    for (std::size_t k = 0; k < sample.n_outputs; ++k) {
      const double signal = sample.values[row * sample.width + k % sample.width] > 0.4 ? 1.0 : -1.0;
      sample.labels.push_back(signal + settings.noise * random::draw_normal(stream));
    }
    sample.weights.push_back(settings.has_weights ? 0.2 + 1.6 * stream.uniform() : 1.0);
  }
  return sample;
}

}  // namespace hedgerow::greedy
