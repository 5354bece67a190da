// SPDX-License-Identifier: BSD-3-Clause
// Squares in a leaf of a product of trees (Pratola, Chipman, George and McCulloch 2020, section 3.2): each is the
// square of a normal number whose variance is the leaf's factor h, and h is inverse gamma with a shape a and a scale b.
// How likely the squares are with the factor integrated out depends on their total weight w and weighted sum q alone:
//   log m = a log b - log Gamma(a) + log Gamma(a + w/2) - (a + w/2) log(b + q/2),
// up to a factor that all trees share. Given them, h is inverse gamma with shape a + w/2 and scale b + q/2.
#pragma once

#include <cmath>

#include "hedgerow/numeric/log_gamma.hpp"
#include "hedgerow/posterior_tree/leaves/sums.hpp"

namespace hedgerow::posterior_tree {

/// Prior of a factor.
struct FactorPrior {
  double shape = 1.0, scale = 1.0;
};

class VarianceFactors final : public Evidence {
 public:
  /// Values are logarithms, in units. Gamma functions are looked up for weights up to `most_tabulated` units.
  VarianceFactors(FactorPrior prior, double value_unit, double weight_unit, std::size_t most_tabulated)
      : prior_(prior),
        value_unit_(value_unit),
        weight_unit_(weight_unit),
        constant_(prior.shape * std::log(prior.scale) - numeric::log_gamma(prior.shape)),
        log_gamma_(prior.shape, 0.5 * weight_unit, most_tabulated) {}

  /// What sums of squares are counted in from now on.
  void set_square_unit(double unit) { square_unit_ = unit; }

  [[nodiscard]] double operator()(const LeafSum& statistic) const override {
    const auto weight = static_cast<double>(statistic.weight);
    return constant_ + log_gamma_.at(weight) - shape(weight) * std::log(scale(statistic));
  }

  [[nodiscard]] Fixed draw_value(const LeafSum& statistic, random::Stream& stream) const override {
    const double drawn = random::draw_gamma(shape(static_cast<double>(statistic.weight)), stream);
    return static_cast<Fixed>(std::llround((std::log(scale(statistic)) - std::log(drawn)) / value_unit_));
  }

 private:
  /// Of a factor after so many units of weight, and after a sum of squares.
  [[nodiscard]] double shape(double weight) const { return prior_.shape + 0.5 * weight * weight_unit_; }
  [[nodiscard]] double scale(const LeafSum& statistic) const {
    return prior_.scale + 0.5 * static_cast<double>(statistic.sum) * square_unit_;
  }

  FactorPrior prior_;
  double value_unit_, weight_unit_, square_unit_ = 1.0, constant_;
  numeric::LogGammaTable log_gamma_;  ///< of the shape, by units of weight
};

}  // namespace hedgerow::posterior_tree
