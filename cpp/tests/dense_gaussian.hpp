// SPDX-License-Identifier: BSD-3-Clause
// The oracle of belief propagation: Gaussian variables with their full covariance matrix, conditioned on one noisy
// observation after another. Slow, and it knows no trees beyond "this variable drifted away from that one".
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace hedgerow::tests {

class DenseGaussian {
 public:
  /// A variable that drifted away from a constant.
  std::size_t add_root(double centre, double drift) {
    for (auto& row : covariances_) row.push_back(0.0);
    covariances_.emplace_back(means_.size() + 1, 0.0);
    covariances_.back().back() = drift;
    means_.push_back(centre);
    return means_.size() - 1;
  }

  /// A variable that drifted away from another.
  std::size_t add(std::size_t parent, double drift) {
    const std::vector<double> shared = covariances_[parent];
    const std::size_t own = add_root(means_[parent], shared[parent] + drift);
    for (std::size_t i = 0; i < own; ++i) covariances_[i][own] = covariances_[own][i] = shared[i];
    return own;
  }

  /// Condition on label = variable + noise. Returns the log density of the label before.
  double observe(std::size_t variable, double label, double noise) {
    const std::vector<double> shared = covariances_[variable];
    const double variance = shared[variable] + noise, gap = label - means_[variable];
    for (std::size_t i = 0; i < means_.size(); ++i) {
      means_[i] += shared[i] / variance * gap;
      for (std::size_t j = 0; j < means_.size(); ++j) covariances_[i][j] -= shared[i] * shared[j] / variance;
    }
    return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + gap * gap / variance);
  }

  [[nodiscard]] double mean(std::size_t i) const { return means_[i]; }
  [[nodiscard]] double variance(std::size_t i) const { return covariances_[i][i]; }
  [[nodiscard]] double covariance(std::size_t i, std::size_t j) const { return covariances_[i][j]; }

 private:
  std::vector<double> means_;
  std::vector<std::vector<double>> covariances_;
};

}  // namespace hedgerow::tests
