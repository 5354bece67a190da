// SPDX-License-Identifier: BSD-3-Clause
// The prior of Chipman, George and McCulloch (1998): a node of depth d is split with probability
// base / (1 + d)^decay, independently of all others (document 004, equation 3.3).
#pragma once

#include <cmath>
#include <cstdint>

namespace hedgerow::bayesian_tree {

struct TreePrior {
  double base;   ///< alpha_s, between 0 and 1
  double decay;  ///< beta_s, not negative

  [[nodiscard]] double split_probability(std::uint32_t depth) const {
    return base * std::pow(1.0 + static_cast<double>(depth), -decay);
  }
  [[nodiscard]] double log_split(std::uint32_t depth) const { return std::log(split_probability(depth)); }
  [[nodiscard]] double log_stop(std::uint32_t depth) const { return std::log1p(-split_probability(depth)); }
};

}  // namespace hedgerow::bayesian_tree
