// SPDX-License-Identifier: BSD-3-Clause
// The subtree below a node of few rows, copied together with the boxes that its nodes do not keep (decision 68), for
// all points that come by: its nodes and rows lie apart in memory, and are looked up once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/structure/box_kernels.hpp"
#include "hedgerow/mondrian/structure/mondrian_tree.hpp"
#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

class SmallSubtree {
 public:
  static constexpr std::size_t most_nodes = 2 * FewRows::most - 1;

  /// Below an inner node that keeps no box. Its rows are on their way from memory.
  template <label::LabelModel M>
  void look_up(const MondrianTree<M>& tree, NodeId top, const Rows& rows) {
    ids_[0] = top;
    parents_[0] = 0;
    n_ = 1;
    for (std::size_t k = 0; k < n_; ++k) {
      const Node& node = tree.node(ids_[k]);
      if (node.is_leaf()) {
        nodes_[k] = {nullptr, nullptr, 0, 0.0F, 0, 0};
        fetch(rows.row(node.first_row), rows.width());
        continue;
      }
      nodes_[k] = {nullptr, nullptr, node.feature, node.location, static_cast<std::uint32_t>(n_), 0};
      for (const NodeId child : {node.left(), node.right()}) {
        parents_[n_] = static_cast<std::uint32_t>(k);
        ids_[n_++] = child;
      }
    }
  }

  template <label::LabelModel M>
  void make_boxes(const MondrianTree<M>& tree, const Rows& rows) {
    const std::size_t width = rows.width();
    corners_.resize(2 * width * most_nodes);
    for (std::size_t k = n_; k-- > 0;) {  // children before their parents
      SmallNode& node = nodes_[k];
      const Node& own = tree.node(ids_[k]);
      float* const lower = corners_.data() + 2 * width * k;
      if (own.box != none || tree.is_read_from_one_row(own)) {
        const Box box = own.box != none ? tree.boxes[own.box] : Box{rows.row(own.first_row), rows.row(own.first_row)};
        node.lower = box.lower;
        node.upper = box.upper;
        continue;
      }
      node.lower = lower;
      node.upper = lower + width;
      if (own.is_leaf()) {
        const FewRows few = *tree.few_rows_below(ids_[k]);
        bound_rows(rows.features.data(), few.rows.data(), few.n, width, lower, lower + width);
      } else {
        const SmallNode &left = nodes_[node.child], &right = nodes_[node.child + 1];
        join_boxes(lower, lower + width, left.lower, left.upper, right.lower, right.upper, width);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] NodeId id(std::size_t k) const { return ids_[k]; }
  [[nodiscard]] std::size_t parent(std::size_t k) const { return parents_[k]; }
  SmallNode& operator[](std::size_t k) { return nodes_[k]; }
  [[nodiscard]] const SmallNode* nodes() const { return nodes_.data(); }

 private:
  static void fetch(const float* first, std::size_t n) {
    for (std::size_t k = 0; k < n; k += 16) numeric::prefetch(first + k);
  }

  std::size_t n_ = 0;
  std::array<NodeId, most_nodes> ids_;
  std::array<std::uint32_t, most_nodes> parents_;
  std::array<SmallNode, most_nodes> nodes_;  ///< parents before children
  std::vector<float> corners_;
};

}  // namespace hedgerow::mondrian
