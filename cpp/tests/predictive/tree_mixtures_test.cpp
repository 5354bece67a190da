// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/tree_mixtures.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hedgerow/predictive/normal_mixture.hpp"

namespace hedgerow::predictive {
namespace {

TEST(densities_are_those_of_the_mixtures_written_out) {
  constexpr std::size_t n = 150, n_trees = 7;  // more than two blocks, the last of them not whole
  std::vector<double> labels, weights, means, variances;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(std::sin(static_cast<double>(i)) * (i == 3 ? 1e4 : 1.0));  // one is far off
    weights.push_back(0.5 + static_cast<double>(i % 3));
    for (std::size_t b = 0; b < n_trees; ++b) {
      means.push_back(std::cos(static_cast<double>(i * n_trees + b)));
      variances.push_back(0.01 + static_cast<double>((i + b) % 5));
    }
  }
  for (const double spread : {1.0, 0.3}) {
    const double scale = 0.7, noise = 0.2;
    double expected = 0.0, total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double centre = 0.0;
      for (std::size_t b = 0; b < n_trees; ++b) centre += means[i * n_trees + b] / n_trees;
      std::vector<double> shares(n_trees, 1.0 / n_trees), moved, widened;
      for (std::size_t b = 0; b < n_trees; ++b) {
        moved.push_back(centre + spread * (means[i * n_trees + b] - centre));
        widened.push_back(scale * variances[i * n_trees + b] + noise);
      }
      expected += weights[i] * NormalMixture{shares, moved, widened}.log_density(labels[i]);
      total += weights[i];
    }
    const TreeMixtures mixtures(labels.data(), weights.data(), means.data(), variances.data(), n, n_trees);
    CHECK_NEAR(mixtures.mean_log_density(scale, noise, spread), expected / total, 1e-9 * std::abs(expected / total));
    const TreeMixtures even(labels.data(), nullptr, means.data(), variances.data(), n, n_trees);
    CHECK(std::abs(even.mean_log_density(scale, noise, spread) - expected / total) > 1e-6);
  }
}

}  // namespace
}  // namespace hedgerow::predictive
