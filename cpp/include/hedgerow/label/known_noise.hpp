// SPDX-License-Identifier: BSD-3-Clause
// Real labels in a leaf: normal about the leaf's value, which is normal about zero; both variances are known (document
// 004, equations 4.5 and 4.9). A factor that does not depend on the tree is left out.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "hedgerow/label/leaf_model.hpp"

namespace hedgerow::label {

/// Total weight and weighted sum of labels.
struct WeightedSum {
  double weight = 0.0, sum = 0.0;
};

class KnownNoise {
 public:
  using Summary = WeightedSum;

  KnownNoise(double noise_variance, double leaf_variance)
      : noise_variance_(noise_variance), leaf_variance_(leaf_variance) {}

  [[nodiscard]] static Summary empty() { return {}; }
  static void add(Summary& summary, double label, double weight) {
    summary.weight += weight;
    summary.sum += weight * label;
  }

  /// log m = -1/2 log(1 + w t / v) + 1/2 s^2 t / (v (v + w t)), with v the noise's variance and t that of values.
  [[nodiscard]] double log_marginal(const Summary& summary) const {
    const double total = noise_variance_ + summary.weight * leaf_variance_;
    return 0.5 *
           (summary.sum * summary.sum * leaf_variance_ / (noise_variance_ * total) - std::log(total / noise_variance_));
  }

  class Scan {
   public:
    explicit Scan(const KnownNoise& model) : model_(&model) {}
    void add(double label, double weight) { KnownNoise::add(summary_, label, weight); }
    [[nodiscard]] double log_marginal() const { return model_->log_marginal(summary_); }

   private:
    const KnownNoise* model_;
    Summary summary_;
  };
  [[nodiscard]] Scan scan() const { return Scan(*this); }

  static void write(const Summary& summary, std::vector<double>& numbers) {
    numbers.insert(numbers.end(), {summary.weight, summary.sum});
  }
  static bool read(std::span<const double> numbers, Summary& summary) {
    if (numbers.size() != 2 || !std::isfinite(numbers[0]) || !std::isfinite(numbers[1])) return false;
    summary = {numbers[0], numbers[1]};
    return summary.weight >= 0.0;
  }

 private:
  double noise_variance_, leaf_variance_;
};
static_assert(LeafModel<KnownNoise>);

}  // namespace hedgerow::label
