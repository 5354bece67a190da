// SPDX-License-Identifier: BSD-3-Clause
// How far off a forest is on a row, as a score: what errors are measured in, which rows count, and what the number of
// trees that were asked has to do with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/online/growth.hpp"

namespace hedgerow::online {

/// Mean and variance of a mixture of Gaussians of equal weights, heard one after another.
struct MixtureSum {
  double means = 0.0, squares = 0.0, variances = 0.0, n = 0.0;
  double first = 0.0;  ///< squares are taken about it

  void hear(const label::Gaussian& said) {
    if (n == 0.0) first = said.mean;
    const double gap = said.mean - first;
    means += gap;
    squares += gap * gap;
    variances += said.variance;
    n += 1.0;
  }
  [[nodiscard]] double mean() const { return first + means / n; }
  /// Variance of the means.
  [[nodiscard]] double between() const { return std::max(0.0, squares / n - means / n * (means / n)); }
  [[nodiscard]] double std() const { return std::sqrt(variances / n + between()); }
};

struct CalibrationRule {
  std::size_t capacity = 1000;
  std::size_t update_every = 1;  ///< k of the report: scores are brought up to date after that many rows
  bool normalised = false;       ///< are errors measured in standard deviations of the forest?
  bool size_matched = false;     ///< are scores of few trees brought to the size of those of the whole forest?
  double adaptation_rate = 0.0;

  /// What an error is measured in.
  [[nodiscard]] double scale(const MixtureSum& heard) const {
    return normalised ? heard.std() + 1e-9 * std::abs(heard.mean()) + 1e-100 : 1.0;
  }
  /// Is a row scored that comes after so many others? Of the first nothing was known, and of spread little by a few.
  [[nodiscard]] bool counts(std::uint64_t number, const Growth& growth) const {
    return number >= (normalised ? std::max<std::size_t>(1, growth.grace_period) : 1);
  }
};

/// The score of a calibration row, and how much smaller its square would be on average if all trees had been asked: the
/// mean of K trees varies by v / K about the mean of many, where v is the variance between trees.
struct Score {
  double value = 0.0;
  double excess = 0.0;

  /// `factor` is what the scale is stretched by, as was said of the row before its label came.
  static Score of(double label, const MixtureSum& heard, double factor, double n_trees, const CalibrationRule& rule) {
    const double scale = rule.scale(heard) * factor, n = heard.n;
    const double spread = n > 1.0 ? heard.between() * n / (n - 1.0) : 0.0;
    return {std::abs(label - heard.mean()) / scale, spread * (1.0 / n - 1.0 / n_trees) / (scale * scale)};
  }
};

}  // namespace hedgerow::online
