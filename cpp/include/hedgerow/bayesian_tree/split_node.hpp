// SPDX-License-Identifier: BSD-3-Clause
// Trees that need no rows, and grow: nodes lie in the order in which they came, oldest first, and siblings side by
// side.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "hedgerow/posterior_tree/tree.hpp"

namespace hedgerow::bayesian_tree {

/// A node of a finished or growing tree.
struct SplitNode {
  static constexpr std::uint32_t leaf_mark = 0xFFFFFFFF;

  std::uint32_t feature = leaf_mark;
  std::uint32_t link = 0;  ///< inner: the left child, the right one is the next; leaf: its number, once it has one
  double location = 0.0;   ///< inner: rows with x[feature] <= location go left

  [[nodiscard]] bool is_leaf() const { return feature == leaf_mark; }
  friend auto operator<=>(const SplitNode&, const SplitNode&) = default;
};

/// A subtree as it would have grown, and which of its nodes each is there.
struct GrownTree {
  std::vector<SplitNode> nodes;
  std::vector<posterior_tree::NodeId> ids;
};

/// `location(rule)` says where a rule cuts.
template <class Tree, class Location>
GrownTree as_grown(const Tree& tree, posterior_tree::NodeId id, Location&& location) {
  GrownTree grown{{}, {id}};
  for (std::size_t i = 0; i < grown.ids.size(); ++i) {
    const posterior_tree::NodeId at = grown.ids[i];
    const auto& node = tree.nodes[at];
    SplitNode& next = grown.nodes.emplace_back();
    if (node.is_leaf()) continue;
    next = {node.rule.feature, static_cast<std::uint32_t>(grown.ids.size()), location(node.rule)};
    grown.ids.insert(grown.ids.end(), {tree.left(at), tree.right(at)});
  }
  return grown;
}

}  // namespace hedgerow::bayesian_tree
