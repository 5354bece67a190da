// SPDX-License-Identifier: BSD-3-Clause
// The rows of one node, what their labels amount to, and how likely these are. A block never changes, so particles
// that have a node in common share it. What the optimal proposal finds out about a block is remembered in it.
#pragma once

#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "hedgerow/bayesian_tree/rule.hpp"
#include "hedgerow/label/leaf_model.hpp"
#include "hedgerow/particle/shared.hpp"

namespace hedgerow::bayesian_tree {

/// How likely it is, given the labels, that a node stops or is split along each feature.
struct SplitTable {
  std::vector<std::uint32_t> features;
  std::vector<double> log_splits;  ///< one a feature, summed over its cuts
  double log_stop;
  double log_total;  ///< log of the sum of all of them
};

template <label::LeafModel M>
struct Block {
  std::vector<RowId> rows;  ///< rising
  std::uint32_t depth;
  typename M::Summary summary;
  double log_marginal;
  mutable std::unique_ptr<const SplitTable> table{};  ///< all features; none until asked for
};

template <label::LeafModel M>
using SharedBlock = particle::Shared<Block<M>>;

/// Everything a tree is weighed by.
template <label::LeafModel M>
struct Problem {
  RankedRows data;
  M model;
  TreePrior prior;
};

template <label::LeafModel M>
SharedBlock<M> new_block(const Problem<M>& problem, std::vector<RowId> rows, std::uint32_t depth) {
  auto summary = problem.model.empty();
  for (const RowId row : rows) problem.model.add(summary, problem.data.labels[row], problem.data.weight(row));
  const double log_marginal = problem.model.log_marginal(summary);
  return SharedBlock<M>({std::move(rows), depth, std::move(summary), log_marginal});
}

template <label::LeafModel M>
SharedBlock<M> root_block(const Problem<M>& problem) {
  std::vector<RowId> rows(problem.data.n_rows);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return new_block(problem, std::move(rows), 0);
}

/// Room for two lists of rows, used again and again.
struct Sides {
  std::vector<RowId> left, right;
};

/// The two blocks that a rule makes; none if it sends all rows one way.
template <label::LeafModel M>
std::optional<std::pair<SharedBlock<M>, SharedBlock<M>>> divide(const Problem<M>& problem, const Block<M>& block,
                                                                Rule rule, Sides& sides) {
  const RankedRows& data = problem.data;
  if (rule.location < data.positions[rule.feature].front()) return std::nullopt;
  const Rank* column = data.column(rule.feature);
  const Rank highest_left = data.rank_at(rule.feature, rule.location);
  sides.left.resize(block.rows.size());
  sides.right.resize(block.rows.size());
  std::size_t n_left = 0, n_right = 0;
  for (const RowId row : block.rows) {  // both sides are written, one counts: no branch to mispredict
    const bool to_right = column[row] > highest_left;
    sides.left[n_left] = row;
    sides.right[n_right] = row;
    n_left += static_cast<std::size_t>(!to_right);
    n_right += static_cast<std::size_t>(to_right);
  }
  if (n_left == 0 || n_right == 0) return std::nullopt;
  const auto child = [&](const std::vector<RowId>& side, std::size_t n) {
    return new_block(problem, {side.begin(), side.begin() + static_cast<std::ptrdiff_t>(n)}, block.depth + 1);
  };
  return std::pair(child(sides.left, n_left), child(sides.right, n_right));
}

}  // namespace hedgerow::bayesian_tree
