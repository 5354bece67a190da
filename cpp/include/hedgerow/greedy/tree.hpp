// SPDX-License-Identifier: BSD-3-Clause
// A decision tree over binned columns. A node is eight bytes; the two children of a cut lie next to each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

  /// The leaves of n rows of bins, one after another in memory. Several are on their way at once, a step each in turn:
  /// the memory that one waits for comes while the others are looked at. There are no jumps to be guessed; who arrives
  /// makes room for the next row. There must be room for one leaf more than rows.
  void find_all(const Bin* bins, std::size_t width, std::size_t n, NodeId* leaves) const {
    constexpr std::size_t at_once = 6;
    if (nodes.size() == 1) return static_cast<void>(std::fill_n(leaves, n, 0));
    std::array<std::size_t, at_once> rows;
    std::array<NodeId, at_once> ids{};
    for (std::size_t k = 0; k < at_once; ++k) rows[k] = k;
    for (std::size_t next = at_once, n_arrived = 0; n_arrived < n;) {
      for (std::size_t k = 0; k < at_once; ++k) {
        const std::size_t row = rows[k];
        const NodeId id = ids[k];
        const Node node = nodes[id];
        const bool arrives = node.child == id;
        const Node cut{node.child, arrives ? 0 : node.code};
        const Bin bin = bins[std::min(row, n - 1) * width + cut.feature()];
        leaves[std::min(row, n)] = id;
        ids[k] = arrives ? 0 : node.child + static_cast<NodeId>(bin > cut.cut());
        rows[k] = arrives ? next : row;
        next += static_cast<std::size_t>(arrives);
        n_arrived += static_cast<std::size_t>(arrives && row < n);
      }
    }
  }
};

}  // namespace hedgerow::greedy
