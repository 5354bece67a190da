// SPDX-License-Identifier: BSD-3-Clause
// Grow: a leaf gets a rule from the prior. Prune: two leaves become one, a grow backwards. Chipman, George and
// McCulloch (1998), section 5.1; with even chances of the two, the GrowPrune sampler of Lakshminarayanan (2016),
// section 4.3.2.
#pragma once

#include <cmath>

#include "hedgerow/posterior_tree/assign_rows.hpp"

namespace hedgerow::posterior_tree {

inline constexpr auto is_growable = [](const auto& node) { return node.is_leaf() && node.splittable; };
inline constexpr auto is_prunable = [](const auto& node) { return node.has_two_leaves(); };

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
template <class AnyTree>
bool has_leaf_sibling(const AnyTree& tree, NodeId leaf) {
  return (leaf >= 1 && tree.nodes[leaf - 1].has_two_leaves()) || (leaf >= 2 && tree.nodes[leaf - 2].has_two_leaves());
}

/// Is this node, which has two leaves, itself next to a leaf?
template <class AnyTree>
bool would_have_leaf_sibling(const AnyTree& tree, NodeId id) {
  const bool is_left = id >= 1 && tree.nodes[id - 1].size == 5;
  return is_left || (id >= 2 && tree.nodes[id - 2].size == 5 && tree.nodes[id - 1].is_leaf());
}

template <class T>
bool grow(const T& target, typename T::Tree& tree, GrowChance chance, random::Stream& stream) {
  const std::size_t n_growable = tree.count(is_growable), n_prunable = tree.count(is_prunable);
  if (n_growable == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_growable, stream), is_growable);
  const auto parent = tree.nodes[id];
  const auto rule = target.draw_rule(tree.rows_of(id), stream);
  divide(target, rule, tree.rows_of(id));
  typename T::Node left, right;
  left.depth = right.depth = parent.depth + 1;
  set_leaf(target, left, target.left_rows);
  right.statistic = target.leaves.rest(parent.statistic, left.statistic, target.right_rows);
  right.splittable = target.is_splittable(target.right_rows);

  const double log_target = target.prior.log_split(parent.depth) - target.prior.log_stop(parent.depth) +
                            target.log_leaf_prior(left) + target.log_leaf_prior(right) + target.log_likelihood(left) +
                            target.log_likelihood(right) - target.log_likelihood(parent);
  const std::size_t growable_then = n_growable - 1 + std::size_t{left.splittable} + std::size_t{right.splittable};
  const std::size_t prunable_then = n_prunable + 1 - std::size_t{has_leaf_sibling(tree, id)};
  const double there = chance_to_grow(chance, n_growable, n_prunable) / static_cast<double>(n_growable);
  const double back = (1.0 - chance_to_grow(chance, growable_then, prunable_then)) / static_cast<double>(prunable_then);
  if (!is_accepted(log_target + std::log(back / there), stream)) return false;

  left.begin = parent.begin;
  left.end = right.begin = place_sides(target, tree, parent.begin);
  right.end = parent.end;
  tree.resize_subtree(id, 3);
  tree.nodes[id].rule = rule;
  tree.nodes[id].log_rule = T::Node::unknown;
  tree.nodes[id + 1] = left;
  tree.nodes[id + 2] = right;
  return true;
}

template <class T>
bool prune(const T& target, typename T::Tree& tree, GrowChance chance, random::Stream& stream) {
  const std::size_t n_growable = tree.count(is_growable), n_prunable = tree.count(is_prunable);
  if (n_prunable == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_prunable, stream), is_prunable);
  const auto &left = tree.nodes[id + 1], &right = tree.nodes[id + 2];
  auto leaf = tree.nodes[id];
  leaf.size = 1;
  leaf.statistic = target.leaves.joined(leaf.statistic, left.statistic, right.statistic, tree.rows_of(id));

  const double log_target = target.prior.log_stop(leaf.depth) - target.prior.log_split(leaf.depth) -
                            target.log_leaf_prior(left) - target.log_leaf_prior(right) + target.log_likelihood(leaf) -
                            target.log_likelihood(left) - target.log_likelihood(right);
  const std::size_t growable_then = n_growable + 1 - std::size_t{left.splittable} - std::size_t{right.splittable};
  const std::size_t prunable_then = n_prunable - 1 + std::size_t{would_have_leaf_sibling(tree, id)};
  const double there = (1.0 - chance_to_grow(chance, n_growable, n_prunable)) / static_cast<double>(n_prunable);
  const double back = chance_to_grow(chance, growable_then, prunable_then) / static_cast<double>(growable_then);
  if (!is_accepted(log_target + std::log(back / there), stream)) return false;
  tree.resize_subtree(id, 1);
  tree.nodes[id] = leaf;
  return true;
}

template <class T>
bool grow_or_prune(const T& target, typename T::Tree& tree, GrowChance chance, random::Stream& stream) {
  const double to_grow = chance_to_grow(chance, tree.count(is_growable), tree.count(is_prunable));
  return stream.uniform() < to_grow ? grow(target, tree, chance, stream) : prune(target, tree, chance, stream);
}

}  // namespace hedgerow::posterior_tree
