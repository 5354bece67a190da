// SPDX-License-Identifier: BSD-3-Clause
// Real labels in a leaf: normal with the leaf's own mean and variance, which are draws from a normal-inverse-gamma
// distribution, as in the mean-variance model of Chipman, George and McCulloch (1998), section 4.1:
//   variance ~ inverse gamma(df / 2, df * scale / 2),   mean | variance ~ normal(prior mean, variance / mean_weight).
// A row of weight w counts as w rows. Moments are kept about the leaf's own mean, so a large offset costs no precision.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/label/leaf_model.hpp"
#include "hedgerow/numeric/log_gamma.hpp"

namespace hedgerow::label {

/// Student's t, moved and stretched.
struct Student {
  double df;
  double location;
  double scale;
};

class NormalInverseGamma {
 public:
  using Summary = LabelMoments;

  struct Prior {
    double mean;         ///< of a leaf's mean
    double mean_weight;  ///< how many labels that is worth
    double df;           ///< nu: degrees of freedom of a leaf's variance
    double scale;        ///< lambda: its scale
  };

  NormalInverseGamma(Prior prior, std::size_t most)
      : prior_(prior), of_df_(std::make_shared<const numeric::LogGammaTable>(0.5 * prior.df, 0.5, most)) {
    constant_ = 0.5 * prior.df * std::log(prior.df * prior.scale) - of_df_->at(0.0);
  }

  [[nodiscard]] const Prior& prior() const { return prior_; }
  [[nodiscard]] static Summary empty() { return {}; }
  static void add(Summary& summary, double label, double weight) { summary.add(label, weight); }

  [[nodiscard]] double log_marginal(const Summary& summary) const {
    const double n = summary.weight;
    return constant_ + of_df_->at(n) - 0.5 * (prior_.df + n) * std::log(sum_of_squares(summary)) -
           0.5 * n * std::log(std::numbers::pi) - 0.5 * std::log1p(n / prior_.mean_weight);
  }

  /// Of the next label in the leaf.
  [[nodiscard]] Student predictive(const Summary& summary) const {
    const double weight = prior_.mean_weight + summary.weight, df = prior_.df + summary.weight;
    const double mean = prior_.mean + (summary.mean - prior_.mean) * (summary.weight / weight);
    return {df, mean, std::sqrt(sum_of_squares(summary) / df * (1.0 + 1.0 / weight))};
  }

  class Scan {
   public:
    explicit Scan(const NormalInverseGamma& model) : model_(&model) {}
    void add(double label, double weight) { summary_.add(label, weight); }
    [[nodiscard]] double log_marginal() const { return model_->log_marginal(summary_); }

   private:
    const NormalInverseGamma* model_;
    Summary summary_;
  };
  [[nodiscard]] Scan scan() const { return Scan(*this); }

  static void write(const Summary& summary, std::vector<double>& numbers) {
    numbers.insert(numbers.end(), {summary.weight, summary.mean, summary.squares});
  }
  static bool read(std::span<const double> numbers, Summary& summary) {
    if (numbers.size() != 3) return false;
    summary = {numbers[0], numbers[1], numbers[2]};
    return summary.are_possible();
  }

 private:
  /// df times the scale that the posterior of the variance has.
  [[nodiscard]] double sum_of_squares(const Summary& summary) const {
    const double gap = summary.mean - prior_.mean;
    const double shrunk = prior_.mean_weight * summary.weight / (prior_.mean_weight + summary.weight);
    return prior_.df * prior_.scale + summary.squares + shrunk * gap * gap;
  }

  Prior prior_;
  std::shared_ptr<const numeric::LogGammaTable> of_df_;  ///< never changes, so that copies of a model may share it
  double constant_;
};
static_assert(LeafModel<NormalInverseGamma>);

}  // namespace hedgerow::label
