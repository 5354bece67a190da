// SPDX-License-Identifier: BSD-3-Clause
// Squares in a leaf of a product of trees (Pratola, Chipman, George and McCulloch 2020, section 3.2): each is the
// square of a normal number whose variance is the leaf's factor h, and h is inverse gamma with a shape a and a scale b.
// How likely the squares are with the factor integrated out depends on their total weight w and weighted sum q alone:
//   log m = a log b - log Gamma(a) + log Gamma(a + w/2) - (a + w/2) log(b + q/2),
// up to a factor that all trees share. Given them, h is inverse gamma with shape a + w/2 and scale b + q/2.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "hedgerow/bart/leaf_evidence.hpp"

namespace hedgerow::bart {

/// Logarithm of the gamma function of a positive number: Stirling's series where it is exact to 1e-13, and steps of one
/// up to there. That of the standard library writes to a variable that all threads share.
inline double log_gamma(double x) {
  double steps = 1.0;
  for (; x < 12.0; x += 1.0) steps *= x;
  const double inverse = 1.0 / x, square = inverse * inverse;
  const double series =
      inverse *
      (1.0 / 12.0 + square * (-1.0 / 360.0 + square * (1.0 / 1260.0 + square * (-1.0 / 1680.0 + square / 1188.0))));
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) + series - std::log(steps);
}

/// Prior of a factor.
struct FactorPrior {
  double shape = 1.0, scale = 1.0;
};

class FactorEvidence final : public Evidence {
 public:
  /// Values are logarithms, in units. Gamma functions are looked up for weights up to `most_tabulated` units.
  FactorEvidence(FactorPrior prior, double value_unit, double weight_unit, std::size_t most_tabulated)
      : prior_(prior), value_unit_(value_unit), weight_unit_(weight_unit), log_gammas_(most_tabulated + 1) {
    constant_ = prior.shape * std::log(prior.scale) - log_gamma(prior.shape);
    for (std::size_t w = 0; w <= most_tabulated; ++w) log_gammas_[w] = log_gamma(shape(static_cast<double>(w)));
  }

  /// What sums of squares are counted in from now on.
  void set_square_unit(double unit) { square_unit_ = unit; }

  [[nodiscard]] double operator()(const Heard& heard) const override {
    const auto w = static_cast<std::size_t>(heard.weight);
    const double new_shape = shape(static_cast<double>(w));
    const double log_gamma_of_shape = w < log_gammas_.size() ? log_gammas_[w] : log_gamma(new_shape);
    return constant_ + log_gamma_of_shape - new_shape * std::log(scale(heard));
  }

  [[nodiscard]] Fixed draw_value(const Heard& heard, random::Stream& stream) const override {
    const double drawn = random::draw_gamma(shape(static_cast<double>(heard.weight)), stream);
    return static_cast<Fixed>(std::llround((std::log(scale(heard)) - std::log(drawn)) / value_unit_));
  }

 private:
  /// Of a factor that has heard so many units of weight, and of one that has heard squares.
  [[nodiscard]] double shape(double weight) const { return prior_.shape + 0.5 * weight * weight_unit_; }
  [[nodiscard]] double scale(const Heard& heard) const {
    return prior_.scale + 0.5 * static_cast<double>(heard.sum) * square_unit_;
  }

  FactorPrior prior_;
  double value_unit_, weight_unit_, square_unit_ = 1.0, constant_ = 0.0;
  std::vector<double> log_gammas_;
};

}  // namespace hedgerow::bart
