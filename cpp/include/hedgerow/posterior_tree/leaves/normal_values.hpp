// SPDX-License-Identifier: BSD-3-Clause
// Labels in a leaf of a sum of trees: normal about the leaf's value with a noise that all leaves share; values are
// normal about zero (Lakshminarayanan 2016, equations 4.5 and 4.9). How likely the labels are with the value integrated
// out depends on their total weight w and weighted sum s alone, up to a factor that all trees share:
//   log m = -1/2 log(1 + w t / v) + 1/2 s^2 t / (v (v + w t)),   v the noise's variance, t that of values.
#pragma once

#include <cmath>
#include <vector>

#include "hedgerow/posterior_tree/leaves/sums.hpp"
#include "hedgerow/posterior_tree/leaves/units.hpp"

namespace hedgerow::posterior_tree {

class NormalValues final : public Evidence {
 public:
  /// Logarithms are looked up for weights up to `most_tabulated` units.
  NormalValues(double leaf_variance, Units units, std::size_t most_tabulated)
      : leaf_variance_(leaf_variance), units_(units), constants_(most_tabulated + 1), factors_(most_tabulated + 1) {
    set_noise(1.0);
  }

  void set_noise(double variance) {
    noise_variance_ = variance;
    for (std::size_t w = 0; w < constants_.size(); ++w) {
      constants_[w] = constant(static_cast<double>(w));
      factors_[w] = factor(static_cast<double>(w));
    }
  }

  [[nodiscard]] double operator()(const LeafSum& statistic) const override {
    const auto w = static_cast<std::size_t>(statistic.weight);
    const double sum = static_cast<double>(statistic.sum);
    if (w < constants_.size()) return constants_[w] + factors_[w] * sum * sum;
    return constant(static_cast<double>(w)) + factor(static_cast<double>(w)) * sum * sum;
  }

  [[nodiscard]] Fixed draw_value(const LeafSum& statistic, random::Stream& stream) const override {
    const double total = noise_variance_ + static_cast<double>(statistic.weight) * units_.weight * leaf_variance_;
    const double mean = static_cast<double>(statistic.sum) * leaf_variance_ / total;
    const double deviation = std::sqrt(noise_variance_ * leaf_variance_ / total) / units_.label;
    return static_cast<Fixed>(std::llround(mean + deviation * random::draw_normal(stream)));
  }

  [[nodiscard]] double leaf_variance() const { return leaf_variance_; }
  [[nodiscard]] double noise_variance() const { return noise_variance_; }
  [[nodiscard]] const Units& units() const { return units_; }

 private:
  /// Of so many units of weight.
  [[nodiscard]] double constant(double weight) const {
    return -0.5 * std::log1p(weight * units_.weight * leaf_variance_ / noise_variance_);
  }
  [[nodiscard]] double factor(double weight) const {
    const double total = noise_variance_ + weight * units_.weight * leaf_variance_;
    return 0.5 * leaf_variance_ * units_.label * units_.label / (noise_variance_ * total);
  }

  double leaf_variance_;
  Units units_;
  double noise_variance_ = 1.0;
  std::vector<double> constants_, factors_;
};

}  // namespace hedgerow::posterior_tree
