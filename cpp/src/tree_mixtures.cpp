// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/tree_mixtures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exponential.hpp"

namespace hedgerow::predictive {
namespace {

constexpr std::size_t block = 64;  // labels at once: what is kept of them between two loops stays in the caches

/// Of one tree and some labels: squared standardised misses and variances.
HEDGEROW_MULTIVERSION
void standardise(const double* misses, const double* deviations, const double* variances, std::size_t n, double scale,
                 double noise, double spread, double* __restrict squares, double* __restrict widths) {
  for (std::size_t i = 0; i < n; ++i) {
    const double miss = misses[i] - spread * deviations[i];
    widths[i] = scale * variances[i] + noise;
    squares[i] = miss * miss / widths[i];
  }
}

/// sums[i] += exp((least[i] - squares[i]) / 2) / sqrt(widths[i])
HEDGEROW_MULTIVERSION
void add_densities(const double* squares, const double* widths, const double* least, std::size_t n,
                   double* __restrict sums) {
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] += numeric::exp_nonpositive(0.5 * (least[i] - squares[i])) / std::sqrt(widths[i]);
  }
}

}  // namespace

TreeMixtures::TreeMixtures(const double* labels, const double* weights, const double* means, const double* variances,
                           std::size_t n_labels, std::size_t n_trees)
    : n_labels_(n_labels),
      n_trees_(n_trees),
      weights_(n_labels, 1.0),
      misses_(n_labels),
      deviations_(n_labels * n_trees),
      variances_(n_labels * n_trees) {
  if (weights != nullptr) weights_.assign(weights, weights + n_labels);
  for (std::size_t i = 0; i < n_labels; ++i) {
    const double* own = means + i * n_trees;
    double sum = 0.0;
    for (std::size_t b = 0; b < n_trees; ++b) sum += own[b];
    const double centre = sum / static_cast<double>(n_trees);
    misses_[i] = labels[i] - centre;
    total_weight_ += weights_[i];
    for (std::size_t b = 0; b < n_trees; ++b) {
      deviations_[b * n_labels + i] = own[b] - centre;
      variances_[b * n_labels + i] = variances[i * n_trees + b];
    }
  }
}

double TreeMixtures::mean_log_density(double scale, double noise, double spread) const {
  std::vector<double> squares(block * n_trees_), widths(block * n_trees_);
  double least[block], sums[block];
  double total = 0.0;
  for (std::size_t begin = 0; begin < n_labels_; begin += block) {
    const std::size_t n = std::min(block, n_labels_ - begin);
    for (std::size_t b = 0; b < n_trees_; ++b) {
      const std::size_t at = b * n_labels_ + begin;
      double* own = squares.data() + b * block;
      standardise(misses_.data() + begin, deviations_.data() + at, variances_.data() + at, n, scale, noise, spread, own,
                  widths.data() + b * block);
      for (std::size_t i = 0; i < n; ++i) least[i] = b == 0 ? own[i] : std::min(least[i], own[i]);
    }
    std::fill_n(sums, n, 0.0);
    for (std::size_t b = 0; b < n_trees_; ++b) {
      add_densities(squares.data() + b * block, widths.data() + b * block, least, n, sums);
    }
    for (std::size_t i = 0; i < n; ++i) total += weights_[begin + i] * (std::log(sums[i]) - 0.5 * least[i]);
  }
  const double constant = std::log(static_cast<double>(n_trees_)) + 0.5 * std::log(2.0 * std::numbers::pi);
  return total / total_weight_ - constant;
}

}  // namespace hedgerow::predictive
