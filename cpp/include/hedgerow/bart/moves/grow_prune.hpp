// SPDX-License-Identifier: BSD-3-Clause
// Grow: a leaf gets a rule from the prior. Prune: two leaves become one, a grow backwards. Chipman, George and
// McCulloch (1998), section 5.1; with even chances of the two, the GrowPrune sampler of document 004, section 4.3.2.
#pragma once

#include <cmath>

#include "hedgerow/bart/deal.hpp"

namespace hedgerow::bart {

inline bool is_growable(const Node& node) { return node.is_leaf() && node.splittable; }
inline bool is_prunable(const Node& node) { return node.has_two_leaves(); }

/// How likely growing is to be tried: even, or, if only one of the two is possible, certain.
enum class GrowChance { even, certain_if_alone };

inline double chance_to_grow(GrowChance rule, std::size_t n_growable, std::size_t n_prunable) {
  if (rule == GrowChance::even) return 0.5;
  if (n_prunable == 0) return 1.0;
  return n_growable == 0 ? 0.0 : 0.5;
}

/// Draws a number in any case: a ratio of one, but for rounding, must not change what is drawn next.
inline bool is_accepted(double log_ratio, random::Stream& stream) {
  const double drawn = stream.uniform();
  return log_ratio >= 0.0 || std::log(drawn) < log_ratio;
}

/// Is this leaf a child of a node with two leaves?
inline bool has_leaf_sibling(const Tree& tree, NodeId leaf) {
  return (leaf >= 1 && tree.nodes[leaf - 1].has_two_leaves()) || (leaf >= 2 && tree.nodes[leaf - 2].has_two_leaves());
}

/// Is this node, which has two leaves, itself next to a leaf?
inline bool would_have_leaf_sibling(const Tree& tree, NodeId id) {
  const bool is_left = id >= 1 && tree.nodes[id - 1].size == 5;
  return is_left || (id >= 2 && tree.nodes[id - 2].size == 5 && tree.nodes[id - 1].is_leaf());
}

inline bool grow(const Target& target, Tree& tree, GrowChance chance, random::Stream& stream) {
  const std::size_t n_growable = tree.count(is_growable), n_prunable = tree.count(is_prunable);
  if (n_growable == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_growable, stream), is_growable);
  const Node parent = tree.nodes[id];
  const Rule rule = target.draw_rule(tree.rows_of(id), stream);
  divide(target, rule, tree.rows_of(id));
  Node left, right;
  left.depth = right.depth = parent.depth + 1;
  settle(target, left, target.left_rows);
  right.heard = parent.heard;
  right.heard -= left.heard;
  right.splittable = target.is_splittable(target.right_rows);

  const double log_target = target.prior.log_split(parent.depth) - target.prior.log_stop(parent.depth) +
                            target.log_leaf_prior(left) + target.log_leaf_prior(right) + target.evidence(left.heard) +
                            target.evidence(right.heard) - target.evidence(parent.heard);
  const std::size_t growable_then = n_growable - 1 + std::size_t{left.splittable} + std::size_t{right.splittable};
  const std::size_t prunable_then = n_prunable + 1 - std::size_t{has_leaf_sibling(tree, id)};
  const double there = chance_to_grow(chance, n_growable, n_prunable) / static_cast<double>(n_growable);
  const double back = (1.0 - chance_to_grow(chance, growable_then, prunable_then)) / static_cast<double>(prunable_then);
  if (!is_accepted(log_target + std::log(back / there), stream)) return false;

  left.begin = parent.begin;
  left.end = right.begin = parent.begin + static_cast<std::uint32_t>(target.left_rows.size());
  right.end = parent.end;
  const auto middle = std::ranges::copy(target.left_rows, tree.rows.begin() + parent.begin).out;
  std::ranges::copy(target.right_rows, middle);
  tree.resize_subtree(id, 3);
  tree.nodes[id].rule = rule;
  tree.nodes[id].log_rule = Node::unknown;
  tree.nodes[id + 1] = left;
  tree.nodes[id + 2] = right;
  return true;
}

inline bool prune(const Target& target, Tree& tree, GrowChance chance, random::Stream& stream) {
  const std::size_t n_growable = tree.count(is_growable), n_prunable = tree.count(is_prunable);
  if (n_prunable == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_prunable, stream), is_prunable);
  const Node &left = tree.nodes[id + 1], &right = tree.nodes[id + 2];
  Node leaf = tree.nodes[id];
  leaf.size = 1;
  leaf.heard = left.heard;
  leaf.heard += right.heard;

  const double log_target = target.prior.log_stop(leaf.depth) - target.prior.log_split(leaf.depth) -
                            target.log_leaf_prior(left) - target.log_leaf_prior(right) + target.evidence(leaf.heard) -
                            target.evidence(left.heard) - target.evidence(right.heard);
  const std::size_t growable_then = n_growable + 1 - std::size_t{left.splittable} - std::size_t{right.splittable};
  const std::size_t prunable_then = n_prunable - 1 + std::size_t{would_have_leaf_sibling(tree, id)};
  const double there = (1.0 - chance_to_grow(chance, n_growable, n_prunable)) / static_cast<double>(n_prunable);
  const double back = chance_to_grow(chance, growable_then, prunable_then) / static_cast<double>(growable_then);
  if (!is_accepted(log_target + std::log(back / there), stream)) return false;
  tree.resize_subtree(id, 1);
  tree.nodes[id] = leaf;
  return true;
}

inline bool grow_or_prune(const Target& target, Tree& tree, GrowChance chance, random::Stream& stream) {
  const double to_grow = chance_to_grow(chance, tree.count(is_growable), tree.count(is_prunable));
  return stream.uniform() < to_grow ? grow(target, tree, chance, stream) : prune(target, tree, chance, stream);
}

}  // namespace hedgerow::bart
