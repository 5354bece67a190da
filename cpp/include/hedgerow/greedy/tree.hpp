// SPDX-License-Identifier: BSD-3-Clause
// A decision tree over binned columns. A node is eight bytes; the two children of a cut lie next to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "hedgerow/posterior_tree/binned_rows.hpp"

namespace hedgerow::greedy {

using posterior_tree::Bin;
using NodeId = std::uint32_t;

/// A row whose bin is above the cut goes to the second child. A leaf is its own child, and has a number instead.
struct Node {
  NodeId child;
  std::uint32_t code;  ///< of a cut: feature * 256 + cut; of a leaf: its number

  [[nodiscard]] std::uint32_t feature() const { return code >> 8; }
  [[nodiscard]] Bin cut() const { return static_cast<Bin>(code & 0xff); }
};

inline constexpr std::size_t most_features = std::size_t{1} << 24;

struct Tree {
  std::vector<Node> nodes;    ///< children follow their parents
  std::vector<float> values;  ///< of each leaf, in order: what it predicts, a number for each output

  [[nodiscard]] bool is_leaf(NodeId id) const { return nodes[id].child == id; }

  /// The leaf of a row of bins.
  [[nodiscard]] NodeId find(const Bin* bins) const {
    NodeId id = 0;
    for (Node node = nodes[0]; node.child != id; node = nodes[id]) {
      id = node.child + static_cast<NodeId>(bins[node.feature()] > node.cut());
    }
    return id;
  }
};

}  // namespace hedgerow::greedy
