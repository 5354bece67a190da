// SPDX-License-Identifier: BSD-3-Clause
// Mixtures with one Gaussian a tree, all of equal weight, at many labels; and how likely they make these labels when
// their variances are scaled, noise is added and their means are brought closer together. Usable without any tree.
#pragma once

#include <cstddef>
#include <vector>

namespace hedgerow::predictive {

class TreeMixtures {
 public:
  /// Component b of label i has mean means[i * n_trees + b], and so on; weights are those of the labels, or null.
  TreeMixtures(const double* labels, const double* weights, const double* means, const double* variances,
               std::size_t n_labels, std::size_t n_trees);

  /// The weighted mean over the labels of log mean_b N(y; m + spread (m_b - m), scale v_b + noise), m the mean of the
  /// m_b.
  [[nodiscard]] double mean_log_density(double scale, double noise, double spread) const;

 private:
  std::size_t n_labels_, n_trees_;
  double total_weight_ = 0.0;
  std::vector<double> weights_;
  std::vector<double> misses_;      ///< of each label: y - m
  std::vector<double> deviations_;  ///< m_b - m, tree after tree, so that loops over labels go in lanes
  std::vector<double> variances_;   ///< the same way
};

}  // namespace hedgerow::predictive
