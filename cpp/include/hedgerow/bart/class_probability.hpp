// SPDX-License-Identifier: BSD-3-Clause
// How likely a class is, given the means of normal utilities of variance one: for two classes, that a single utility is
// above zero (the second class) or below (the first); for more, that the utility of the class is the highest,
//   P(k) = E prod_{j != k} Phi(u + m_k - m_j),   u standard normal,
// by the rule of trapezoids, which for a smooth integrand that dies off on both sides is as good as exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace hedgerow::bart {

inline double normal_probability_below(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

/// One mean: P(second class). Otherwise of class k.
inline double class_probability(std::span<const double> means, std::size_t k) {
  if (means.size() == 1) return normal_probability_below(k == 1 ? means[0] : -means[0]);
  // The rule errs by what the integrand has of frequency 2 pi / step; each of its n factors has some, so by less than
  // exp(-2 pi^2 / (n step^2)), and in fact far less: 1e-9 for a hundred classes.
  constexpr double reach = 8.0;
  const double step = means.size() <= 3 ? 0.5 : 0.25;
  double total = 0.0;
  for (double u = -reach; u <= reach; u += step) {
    double product = std::exp(-0.5 * u * u);
    for (std::size_t j = 0; j < means.size() && product > 1e-20; ++j) {
      if (j != k) product *= normal_probability_below(u + means[k] - means[j]);
    }
    total += product;
  }
  return total * step * 0.39894228040143267794;
}

inline double log_class_probability(std::span<const double> means, std::size_t k) {
  return std::log(std::max(class_probability(means, k), 1e-300));
}

}  // namespace hedgerow::bart
