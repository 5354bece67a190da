// SPDX-License-Identifier: BSD-3-Clause
// Logarithms of the prior's two choices at a node, by depth: looked up where trees are ever likely to be.
#pragma once

#include <vector>

#include "hedgerow/bayesian_tree/tree_prior.hpp"

namespace hedgerow::bart {

class PriorTable {
 public:
  explicit PriorTable(bayesian_tree::TreePrior prior) : prior_(prior) {
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
  [[nodiscard]] const bayesian_tree::TreePrior& prior() const { return prior_; }

 private:
  static constexpr std::uint32_t tabulated = 64;
  bayesian_tree::TreePrior prior_;
  std::vector<double> log_splits_, log_stops_;
};

}  // namespace hedgerow::bart
