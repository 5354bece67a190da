// SPDX-License-Identifier: BSD-3-Clause
// A tree without its geometry, laid out for passes over all its labels: children follow their parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/mondrian/structure/mondrian_tree.hpp"

namespace hedgerow::mondrian {

/// A tree as far as its labels go: nodes in preorder, the left child of node i is i + 1.
struct FlatTree {
  std::vector<double> times;         ///< of splits; leaves are at the end of time
  std::vector<std::uint32_t> right;  ///< number of the right child, 0 for a leaf
  std::vector<std::uint32_t> first;  ///< of node i's rows in `rows`: those of a leaf, none for an inner node
  std::vector<RowId> rows;

  template <label::LabelModel M>
  void assign(const MondrianTree<M>& tree, const Rows& all, const Growth& growth) {
    times.clear();
    right.clear();
    first.clear();
    rows.clear();
    pending_.assign(tree.shape.is_empty() ? 0 : 1, {tree.root, none});
    while (!pending_.empty()) {
      const auto [id, parent] = pending_.back();
      pending_.pop_back();
      const auto own = static_cast<std::uint32_t>(times.size());
      if (parent != none) right[parent] = own;
      times.push_back(tree.time(id, growth));
      right.push_back(0);
      first.push_back(static_cast<std::uint32_t>(rows.size()));
      if (tree.node(id).is_leaf()) {
        for_each_row_of(tree.shape, id, all, [&](RowId row) { rows.push_back(row); });
      } else {
        pending_.push_back({tree.node(id).right(), own});
        pending_.push_back({tree.node(id).left(), none});
      }
    }
    first.push_back(static_cast<std::uint32_t>(rows.size()));
  }

  [[nodiscard]] std::size_t size() const { return times.size(); }
  [[nodiscard]] bool is_leaf(std::size_t node) const { return right[node] == 0; }
  [[nodiscard]] std::span<const RowId> rows_of(std::size_t node) const {
    return {rows.data() + first[node], rows.data() + first[node + 1]};
  }

 private:
  struct Pending {
    NodeId node;
    std::uint32_t parent;  ///< whose right child it is, or none
  };
  std::vector<Pending> pending_;
};

}  // namespace hedgerow::mondrian
