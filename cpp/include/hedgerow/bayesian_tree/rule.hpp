// SPDX-License-Identifier: BSD-3-Clause
// Rules of trees that need no rows: with a location instead of the two codes that it lies between.
#pragma once

#include "hedgerow/posterior_tree/ranked_rows.hpp"
#include "hedgerow/posterior_tree/rule.hpp"
#include "hedgerow/posterior_tree/tree_prior.hpp"

namespace hedgerow::bayesian_tree {

using posterior_tree::Rank, posterior_tree::RankedRows, posterior_tree::RowId, posterior_tree::Points;
using posterior_tree::TreePrior;
using RankRange = posterior_tree::CodeRange<Rank>;
using VaryingFeature = posterior_tree::VaryingFeature<Rank>;

/// Rows with x[feature] <= location go left.
struct Rule {
  std::uint32_t feature;
  double location;
};

/// A location in the range of a feature, uniformly.
inline Rule draw_rule(const RankedRows& data, const VaryingFeature& chosen, random::Stream& stream) {
  const auto& values = data.positions[chosen.feature];
  return {chosen.feature,
          posterior_tree::draw_between(values[chosen.range.lowest], values[chosen.range.highest], stream)};
}

}  // namespace hedgerow::bayesian_tree
