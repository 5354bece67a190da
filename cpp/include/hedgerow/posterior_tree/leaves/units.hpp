// SPDX-License-Identifier: BSD-3-Clause
// Residuals and weights of sums of trees are whole numbers of a small unit: sums of them depend on no order, and
// nothing drifts however many sweeps add and take away.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace hedgerow::posterior_tree {

using Fixed = std::int64_t;

struct Units {
  double label = 1.0, weight = 1.0;
};

/// Units so small that results do not depend on them, and so large that no sum over rows overflows if no residual
/// exceeds `most`. Weights that change may differ by many orders of magnitude: theirs are so small that their sum just
/// fits.
inline Units units_for(std::span<const double> weights, bool weights_change, std::size_t n_rows, double most) {
  double total = static_cast<double>(n_rows), heaviest = 1.0;
  if (!weights.empty()) {
    total = heaviest = 0.0;
    for (const double weight : weights) {
      total += weight;
      heaviest = std::max(heaviest, weight);
    }
  }
  const double reach = most * std::max(total, static_cast<double>(n_rows));
  const double label = std::exp2(std::max(-40.0, std::ceil(std::log2(reach)) - 61.0));
  if (weights_change) return {label, std::exp2(std::ceil(std::log2(total)) - 61.0)};
  return {label, weights.empty() ? 1.0 : heaviest * 0x1p-30};
}

}  // namespace hedgerow::posterior_tree
