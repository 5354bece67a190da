// SPDX-License-Identifier: BSD-3-Clause
// Which rows come to which side of a rule, and to which nodes of a subtree by its rules.
#pragma once

#include <algorithm>
#include <span>

#include "hedgerow/posterior_tree/target.hpp"

namespace hedgerow::posterior_tree {

/// Fills the target's two lists. Both sides are written and one counts: no branch to mispredict.
template <class T>
void divide(const T& target, const typename T::Rule& rule, std::span<const RowId> rows) {
  const auto* column = target.data.column(rule.feature);
  target.left_rows.resize(rows.size());
  target.right_rows.resize(rows.size());
  RowId *left = target.left_rows.data(), *right = target.right_rows.data();
  std::size_t n_left = 0, n_right = 0;
  for (const RowId row : rows) {
    const bool to_right = column[row] > rule.cut;
    left[n_left] = right[n_right] = row;
    n_left += static_cast<std::size_t>(!to_right);
    n_right += static_cast<std::size_t>(to_right);
  }
  target.left_rows.resize(n_left);
  target.right_rows.resize(n_right);
}

/// Puts the target's two lists in the place of the rows from `begin` on; returns where the right ones begin.
template <class T>
std::uint32_t place_sides(const T& target, typename T::Tree& tree, std::size_t begin) {
  const auto middle = std::ranges::copy(target.left_rows, tree.rows.begin() + static_cast<std::ptrdiff_t>(begin)).out;
  std::ranges::copy(target.right_rows, middle);
  return static_cast<std::uint32_t>(middle - tree.rows.begin());
}

/// What a leaf knows of its rows, and whether they can be divided.
template <class T>
void set_leaf(const T& target, typename T::Node& leaf, std::span<const RowId> rows) {
  leaf.statistic = target.leaves.statistic(rows);
  leaf.splittable = target.is_splittable(rows);
}

/// Assigns the rows of a node to all below, by their rules; false, with the subtree in disorder, if a rule divides
/// nothing. All prior probabilities of rules are known afterwards.
template <class T>
bool assign_rows(const T& target, typename T::Tree& tree, NodeId id) {
  auto& node = tree.nodes[id];
  const auto rows = tree.rows_of(id);
  if (node.is_leaf()) {
    set_leaf(target, node, rows);
    return true;
  }
  divide(target, node.rule, rows);
  if (target.left_rows.empty() || target.right_rows.empty()) return false;
  node.splittable = true;
  node.statistic = {};
  node.log_rule = target.log_rule(node.rule, rows);
  auto &left = tree.nodes[tree.left(id)], &right = tree.nodes[tree.right(id)];
  left.depth = right.depth = node.depth + 1;
  left.begin = node.begin;
  left.end = right.begin = place_sides(target, tree, node.begin);
  right.end = node.end;
  return assign_rows(target, tree, tree.left(id)) && assign_rows(target, tree, tree.right(id));
}

}  // namespace hedgerow::posterior_tree
