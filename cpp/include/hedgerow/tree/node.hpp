// SPDX-License-Identifier: BSD-3-Clause
// One node of a tree in 20 bytes. A node knows its children, which lie side by side, but not its parent: every walk
// starts at the root and remembers its own path. Boxes and statistics live in columns beside the nodes.
#pragma once

#include <cstdint>

namespace hedgerow::tree {

using NodeId = std::uint32_t;
using RowId = std::uint32_t;

/// "No such node", "no such row", "no split here".
inline constexpr std::uint32_t none = 0xFFFFFFFF;

struct Node {
  static constexpr std::uint32_t leaf_mark = none;
  static constexpr std::uint32_t freed_mark = none - 1;

  std::uint32_t feature = leaf_mark;  ///< delta_j, or the mark of a leaf or of a record that waits to be reused
  union {
    float location;        ///< inner: xi_j; rows with x[feature] <= location go left
    std::uint32_t n_rows;  ///< leaf
  };
  union {
    NodeId children;    ///< inner: the left child; the right one is the next
    RowId first_row;    ///< leaf: the head of its list of rows
    NodeId next_freed;  ///< freed: the next freed pair
  };
  union {
    float time;   ///< inner: tau_j, when the block was split
    float count;  ///< leaf: its size: how many rows it has, or counts as having
  };
  std::uint32_t box;  ///< where its box is kept; none if its rows all lie on one point, which needs no box

  static Node leaf() {
    Node node;
    node.n_rows = 0;
    node.first_row = none;
    node.count = 0.0F;
    node.box = none;
    return node;
  }
  static Node inner(std::uint32_t feature, float location, NodeId children, float time, std::uint32_t box) {
    Node node;
    node.feature = feature;
    node.location = location;
    node.children = children;
    node.time = time;
    node.box = box;
    return node;
  }

  [[nodiscard]] bool is_leaf() const { return feature == leaf_mark; }
  [[nodiscard]] bool is_freed() const { return feature == freed_mark; }
  [[nodiscard]] NodeId child(bool to_right) const { return children + static_cast<NodeId>(to_right); }
  [[nodiscard]] NodeId left() const { return children; }
  [[nodiscard]] NodeId right() const { return children + 1; }
  [[nodiscard]] bool sends_right(const float* x) const { return x[feature] > location; }
};
static_assert(sizeof(Node) == 20);

}  // namespace hedgerow::tree
