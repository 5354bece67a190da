// SPDX-License-Identifier: BSD-3-Clause
// The four moves of Chipman, George and McCulloch (1998), section 5.1: grow, prune, change and swap. Each proposes a
// tree and says by which ratio Metropolis and Hastings' rule accepts it; none if the move is impossible, which is a
// rejection.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "hedgerow/bayesian_tree/chain_tree.hpp"

namespace hedgerow::bayesian_tree {

/// A tree that a move proposes, and the logarithm of the ratio by which it is accepted.
template <label::LeafModel M>
struct Candidate {
  ChainTree<M> tree;
  double log_ratio;
};

inline std::uint32_t draw_from(const std::vector<std::uint32_t>& ids, random::Stream& stream) {
  return ids[random::draw_below(ids.size(), stream)];
}

inline double log_size(const std::vector<std::uint32_t>& ids) { return std::log(static_cast<double>(ids.size())); }

/// A leaf that can be divided gets a rule from the prior; the density of the rule cancels.
template <label::LeafModel M>
std::optional<Candidate<M>> propose_grow(const Problem<M>& problem, const ChainTree<M>& tree, Sides& sides,
                                         random::Stream& stream) {
  const auto growable = tree.growable();
  if (growable.empty()) return std::nullopt;
  const std::uint32_t leaf = draw_from(growable, stream);
  const auto chosen = draw_varying_feature(problem.data, tree.node(leaf).block->rows, stream);
  ChainTree<M> grown = tree;
  if (!chosen || !grown.split(leaf, draw_rule(problem.data, *chosen, stream), sides)) return std::nullopt;
  const double log_target = grown.log_joint_at(leaf) - grown.node(leaf).log_rule - tree.log_joint_at(leaf);
  const double log_back = log_size(growable) - log_size(grown.prunable());
  return Candidate<M>{std::move(grown), log_target + log_back};
}

/// The leaves below a node are taken away: a grow move backwards.
template <label::LeafModel M>
std::optional<Candidate<M>> propose_prune(const ChainTree<M>& tree, random::Stream& stream) {
  const auto prunable = tree.prunable();
  if (prunable.empty()) return std::nullopt;
  const std::uint32_t id = draw_from(prunable, stream);
  ChainTree<M> pruned = tree;
  const std::uint32_t leaf = pruned.join(id);
  const double log_target = pruned.log_joint_at(leaf) - (tree.log_joint_at(id) - tree.node(id).log_rule);
  const double log_back = log_size(prunable) - log_size(pruned.growable());
  return Candidate<M>{std::move(pruned), log_target + log_back};
}

/// A node gets another rule from the prior, and all below keep theirs; the densities of both rules cancel.
template <label::LeafModel M>
std::optional<Candidate<M>> propose_change(const Problem<M>& problem, const ChainTree<M>& tree, Sides& sides,
                                           random::Stream& stream) {
  const auto inner = tree.inner();
  if (inner.empty()) return std::nullopt;
  const std::uint32_t id = draw_from(inner, stream);
  const auto chosen = draw_varying_feature(problem.data, tree.node(id).block->rows, stream);
  ChainTree<M> changed = tree;
  changed.set_rule(id, draw_rule(problem.data, *chosen, stream));
  if (!changed.deal_below(id, sides)) return std::nullopt;
  const double log_target = changed.log_joint_below(id) - tree.log_joint_below(id);
  return Candidate<M>{std::move(changed), log_target};
}

/// A node and its parent exchange rules. Two siblings have the same rule with probability zero, so the case in which
/// Chipman, George and McCulloch swap both does not arise.
template <label::LeafModel M>
std::optional<Candidate<M>> propose_swap(const ChainTree<M>& tree, Sides& sides, random::Stream& stream) {
  const auto swappable = tree.swappable();
  if (swappable.empty()) return std::nullopt;
  const std::uint32_t child = draw_from(swappable, stream), parent = tree.node(child).parent;
  ChainTree<M> swapped = tree;
  swapped.exchange_rules(child);
  if (!swapped.deal_below(parent, sides)) return std::nullopt;
  const double log_target = swapped.log_joint_at(parent) - tree.log_joint_at(parent);
  return Candidate<M>{std::move(swapped), log_target};
}

}  // namespace hedgerow::bayesian_tree
