// SPDX-License-Identifier: BSD-3-Clause
// How likely a class is, given the means of normal utilities of variance one: for two classes, that a single utility is
// above zero (the second class) or below (the first); for more, that the utility of the class is the highest,
//   P(k) = E prod_{j != k} Phi(u + m_k - m_j),   u standard normal,
// by the rule of trapezoids, which for a smooth integrand that dies off on both sides is as good as exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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

/// Of all classes; for one mean of two. All integrals run over the same places t of the highest utility,
///   P(k) = int phi(t - m_k) prod_{j != k} Phi(t - m_j) dt,
/// in steps short enough for products of so many factors. No class is impossible. `below` is room to work in.
inline void class_probabilities(std::span<const double> means, std::span<double> found, std::vector<double>& below) {
  if (means.size() == 1) {
    for (std::size_t k = 0; k < 2; ++k) found[k] = std::max(class_probability(means, k), 1e-300);
    return;
  }
  constexpr double reach = 6.5;  // beyond it less than 1e-10
  const double step = std::clamp(1.0 / std::sqrt(static_cast<double>(means.size())), 0.125, 0.6);
  const double highest = std::ranges::max(means);
  std::ranges::fill(found, 0.0);
  below.resize(means.size());
  for (double u = -reach; u <= reach; u += step) {  // t less the highest mean
    double product = 1.0;
    for (std::size_t k = 0; k < means.size(); ++k)
      product *= below[k] = normal_probability_below(u + (highest - means[k]));
    for (std::size_t k = 0; k < means.size(); ++k) {  // t is at least m_k - reach, so no factor is zero
      const double gap = u + (highest - means[k]);
      found[k] += std::exp(-0.5 * gap * gap) / below[k] * product;
    }
  }
  double total = 0.0;
  for (double& probability : found) total += probability = std::max(probability, 1e-300);
  for (double& probability : found) probability /= total;
}

inline double log_class_probability(std::span<const double> means, std::size_t k) {
  return std::log(std::max(class_probability(means, k), 1e-300));
}

}  // namespace hedgerow::bart
