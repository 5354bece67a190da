// SPDX-License-Identifier: BSD-3-Clause
// Weights of particles, kept as logarithms: likelihoods of many rows are far below the smallest double. Sums run in
// the order of the particles, so that the same weights always give the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace hedgerow::particle {

/// log(sum of exp), or minus infinity if there is nothing to add up.
inline double log_sum_exp(std::span<const double> logs) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const double highest = logs.empty() ? nothing : *std::ranges::max_element(logs);
  if (highest == nothing) return nothing;
  double total = 0.0;
  for (const double value : logs) total += std::exp(value - highest);
  return highest + std::log(total);
}

/// The weights themselves, scaled to add up to one.
inline std::vector<double> normalised(std::span<const double> log_weights) {
  const double total = log_sum_exp(log_weights);
  std::vector<double> weights(log_weights.size());
  std::ranges::transform(log_weights, weights.begin(), [&](double value) { return std::exp(value - total); });
  // Logarithms of many digits, as those of rows of large weight, leave few for their differences.
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum > 0.0 && std::abs(sum - 1.0) > 1e-9) {
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

/// How many equally weighted particles would be worth as much; weights add up to one.
inline double effective_sample_size(std::span<const double> weights) {
  double squares = 0.0;
  for (const double weight : weights) squares += weight * weight;
  return 1.0 / squares;
}

}  // namespace hedgerow::particle
