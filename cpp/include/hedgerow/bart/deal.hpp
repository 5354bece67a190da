// SPDX-License-Identifier: BSD-3-Clause
// Dealing rows to the two sides of a rule, and to all nodes of a subtree by its rules.
#pragma once

#include <algorithm>
#include <span>

#include "hedgerow/bart/target.hpp"

namespace hedgerow::bart {

/// Fills the target's two lists. Both sides are written and one counts: no branch to mispredict.
inline void divide(const Target& target, const Rule& rule, std::span<const RowId> rows) {
  const Bin* column = target.data.column(rule.feature);
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

/// The rows of a leaf: what they say, and whether they can be divided.
inline void settle(const Target& target, Node& leaf, std::span<const RowId> rows) {
  leaf.heard = target.hear(rows);
  leaf.splittable = target.is_splittable(rows);
}

/// Deals the rows of a node to all below, by their rules; false, with the subtree in disorder, if a rule divides
/// nothing. All prior probabilities of rules are known afterwards.
inline bool deal(const Target& target, Tree& tree, NodeId id) {
  Node& node = tree.nodes[id];
  const auto rows = tree.rows_of(id);
  if (node.is_leaf()) {
    settle(target, node, rows);
    return true;
  }
  divide(target, node.rule, rows);
  if (target.left_rows.empty() || target.right_rows.empty()) return false;
  node.splittable = true;
  node.log_rule = target.log_rule(node.rule, rows);
  const auto middle = std::ranges::copy(target.left_rows, tree.rows.begin() + node.begin).out;
  std::ranges::copy(target.right_rows, middle);
  Node &left = tree.nodes[tree.left(id)], &right = tree.nodes[tree.right(id)];
  left.depth = right.depth = node.depth + 1;
  left.begin = node.begin;
  left.end = right.begin = static_cast<std::uint32_t>(middle - tree.rows.begin());
  right.end = node.end;
  return deal(target, tree, tree.left(id)) && deal(target, tree, tree.right(id));
}

}  // namespace hedgerow::bart
