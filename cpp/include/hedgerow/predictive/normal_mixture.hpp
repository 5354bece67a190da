// SPDX-License-Identifier: BSD-3-Clause
// Density and distribution function of a mixture of Gaussians. Usable without any tree.
#pragma once

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

  /// Probability below y.
  [[nodiscard]] double below(double y) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double z = (y - means[k]) / std::sqrt(variances[k]);
      sum += weights[k] * 0.5 * std::erfc(-z * std::numbers::sqrt2 / 2.0);
    }
    return sum;
  }
};

}  // namespace hedgerow::predictive
