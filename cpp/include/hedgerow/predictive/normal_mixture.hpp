// SPDX-License-Identifier: BSD-3-Clause
// Density, distribution function and quantiles of a mixture of Gaussians. Usable without any tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

namespace hedgerow::predictive {

/// Components of one mixture; weights add up to one, variances are positive.
struct NormalMixture {
  std::span<const double> weights, means, variances;

  /// log sum_k w_k N(y; m_k, v_k), by log-sum-exp.
  [[nodiscard]] double log_density(double y) const {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double gap = y - means[k];
      const double part =
          std::log(weights[k]) - 0.5 * (std::log(2.0 * std::numbers::pi * variances[k]) + gap * (gap / variances[k]));
      if (part > largest) {
        sum = sum * std::exp(largest - part) + 1.0;
        largest = part;
      } else if (part > -std::numeric_limits<double>::infinity()) {
        sum += std::exp(part - largest);
      }
    }
    return largest + std::log(sum);
  }

  /// Probability below y and density at y.
  struct Point {
    double below, density;
  };
  [[nodiscard]] Point at(double y) const {
    Point point{0.0, 0.0};
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double z = (y - means[k]) / std::sqrt(variances[k]);
      point.below += weights[k] * 0.5 * std::erfc(-z * std::numbers::sqrt2 / 2.0);
      point.density += weights[k] * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi * variances[k]);
    }
    return point;
  }

  /// The y below which lies probability q, where z is the same quantile of the standard normal. Newton's method
  /// between brackets: the quantile lies between the smallest and the largest quantile of a component.
  [[nodiscard]] double quantile(double q, double z) const {
    if (std::isinf(z)) return z;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double own = means[k] + z * std::sqrt(variances[k]);
      low = std::min(low, own);
      high = std::max(high, own);
    }
    double y = 0.5 * low + 0.5 * high;
    for (int step = 0; step < 200; ++step) {
      const Point point = at(y);
      (point.below < q ? low : high) = y;
      double next = y - (point.below - q) / point.density;
      if (!(next > low && next < high)) next = 0.5 * low + 0.5 * high;
      if (std::abs(next - y) <= 1e-14 * std::max(std::abs(y), high - low) || next == y) return next;
      y = next;
    }
    return y;
  }
};

}  // namespace hedgerow::predictive
