// SPDX-License-Identifier: BSD-3-Clause
// The prior of Chipman, George and McCulloch (1998): a node of depth d is split with probability
// base / (1 + d)^decay, independently of all others.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace hedgerow::posterior_tree {

struct TreePrior {
  double base;   ///< alpha_s, between 0 and 1
  double decay;  ///< beta_s, not negative

  [[nodiscard]] double split_probability(std::uint32_t depth) const {
    return base * std::pow(1.0 + static_cast<double>(depth), -decay);
  }
  [[nodiscard]] double log_split(std::uint32_t depth) const { return std::log(split_probability(depth)); }
  [[nodiscard]] double log_stop(std::uint32_t depth) const { return std::log1p(-split_probability(depth)); }
};

/// Logarithms of the prior's two choices at a node, looked up at depths where trees are ever likely to be.
class PriorTable {
 public:
  explicit PriorTable(TreePrior prior) : prior_(prior) {
    for (std::uint32_t depth = 0; depth < tabulated; ++depth) {
      log_splits_.push_back(prior.log_split(depth));
      log_stops_.push_back(prior.log_stop(depth));
    }
  }

  [[nodiscard]] double log_split(std::uint32_t depth) const {
    return depth < tabulated ? log_splits_[depth] : prior_.log_split(depth);
  }
  [[nodiscard]] double log_stop(std::uint32_t depth) const {
    return depth < tabulated ? log_stops_[depth] : prior_.log_stop(depth);
  }

 private:
  static constexpr std::uint32_t tabulated = 64;
  TreePrior prior_;
  std::vector<double> log_splits_, log_stops_;
};

}  // namespace hedgerow::posterior_tree
