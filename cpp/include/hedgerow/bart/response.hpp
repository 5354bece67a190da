// SPDX-License-Identifier: BSD-3-Clause
// What stands between a sum of trees and the labels: normal noise, or, for classes, normal utilities of which only
// signs or ranks are seen and which are drawn along with the trees (Albert and Chib 1993).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "hedgerow/bart/class_probability.hpp"
#include "hedgerow/bart/noise_trees.hpp"

namespace hedgerow::bart {

enum class ResponseKind : std::uint8_t { normal, probit, classes };

struct Response {
  ResponseKind kind;
  std::vector<double> labels;                ///< numbers about which the trees' prior is centred, or classes
  std::vector<double> offsets;               ///< of each sum: what its trees add to; zero for numbers
  double noise_df = 3.0, noise_scale = 1.0;  ///< of numbers: variance ~ df * scale / chi-squared(df)
  VaryingNoise varying{};                    ///< of numbers: what the variance of a row is multiplied by

  [[nodiscard]] std::size_t n_sums() const { return offsets.size(); }
};

/// The labels that the trees of each sum see, in units: fixed for numbers, drawn for classes.
using Utilities = std::vector<std::vector<Fixed>>;

inline Fixed to_units(double value, const Units& units) {
  return static_cast<Fixed>(std::llround(value / units.label));
}

/// Utilities before anything is known of the trees.
inline Utilities first_utilities(const Response& response, const Units& units) {
  const std::size_t n = response.labels.size();
  Utilities found(response.n_sums(), std::vector<Fixed>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    const double label = response.labels[i];
    if (response.kind == ResponseKind::normal) found[0][i] = to_units(label, units);
    if (response.kind == ResponseKind::probit) found[0][i] = to_units(label > 0.5 ? 0.5 : -0.5, units);
    if (response.kind == ResponseKind::classes) found[static_cast<std::size_t>(label)][i] = to_units(1.0, units);
  }
  return found;
}

/// Sum of squared residuals, each as often as its weight says.
inline double sum_of_squares(const SumOfTrees& sum, std::span<const double> weights) {
  double total = 0.0;
  for (std::size_t i = 0; i < sum.residuals().size(); ++i) {
    const double residual = sum.residual(i);
    total += (weights.empty() ? 1.0 : weights[i]) * residual * residual;
  }
  return total;
}

/// The noise's variance given the trees: Lakshminarayanan (2016), Algorithm 4.1, line 4.
inline double draw_noise(const Response& response, double squares, double total_weight, random::Stream stream) {
  const double rate = 0.5 * (response.noise_df * response.noise_scale + squares);
  return rate / random::draw_gamma(0.5 * (response.noise_df + total_weight), stream);
}

/// A utility within `noise` of its mean, and the residual that it leaves.
inline void set_utility(SumOfTrees& sum, std::vector<Fixed>& utilities, std::size_t row, double noise,
                        const Units& units) {
  const Fixed change = to_units(noise, units) - sum.residuals()[row];
  utilities[row] += change;
  sum.shift(row, change);
}

/// Two classes: the utility is above zero for the second.
inline void draw_signs(const Response& response, SumOfTrees& sum, Utilities& utilities, const Units& units,
                       random::Stream stream) {
  for (std::size_t i = 0; i < response.labels.size(); ++i) {
    const double mean = static_cast<double>(utilities[0][i] - sum.residuals()[i]) * units.label + response.offsets[0];
    const double noise =
        response.labels[i] > 0.5 ? random::draw_normal_above(-mean, stream) : -random::draw_normal_above(mean, stream);
    set_utility(sum, utilities[0], i, noise, units);
  }
}

/// More classes: the utility of a row's own class is the highest.
inline void draw_ranks(const Response& response, std::vector<SumOfTrees>& sums, Utilities& utilities,
                       const Units& units, random::Stream stream) {
  const auto utility = [&](std::size_t k, std::size_t i) {
    return static_cast<double>(utilities[k][i]) * units.label + response.offsets[k];
  };
  for (std::size_t i = 0; i < response.labels.size(); ++i) {
    const auto own = static_cast<std::size_t>(response.labels[i]);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double mean = utility(k, i) - sums[k].residual(i);
      double bound = utility(own, i);
      if (k == own) {
        bound = -HUGE_VAL;
        for (std::size_t j = 0; j < sums.size(); ++j) bound = j == own ? bound : std::max(bound, utility(j, i));
      }
      const double noise =
          k == own ? random::draw_normal_above(bound - mean, stream) : -random::draw_normal_above(mean - bound, stream);
      set_utility(sums[k], utilities[k], i, noise, units);
    }
  }
}

/// How likely the labels are given all trees, as a logarithm.
inline double log_likelihood(const Response& response, const std::vector<SumOfTrees>& sums, const Utilities& utilities,
                             const Units& units, double noise_variance, double total_weight, double squares) {
  if (response.kind == ResponseKind::normal) {
    return -0.5 * (total_weight * std::log(2.0 * std::numbers::pi * noise_variance) + squares / noise_variance);
  }
  double total = 0.0;
  std::vector<double> means(sums.size());
  for (std::size_t i = 0; i < response.labels.size(); ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      means[k] = static_cast<double>(utilities[k][i] - sums[k].residuals()[i]) * units.label + response.offsets[k];
    }
    total += log_class_probability(means, static_cast<std::size_t>(response.labels[i]));
  }
  return total;
}

}  // namespace hedgerow::bart
