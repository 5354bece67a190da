// SPDX-License-Identifier: BSD-3-Clause
// How far a point lies outside the boxes of the nodes on its way down a tree, asked node after node. Below the first
// node that keeps no box, the rows are looked up once and then told apart by the cuts that the point passes.
#pragma once

#include <cstddef>

#include "hedgerow/mondrian/structure/mondrian_tree.hpp"
#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

class PathDistances {
 public:
  /// A new path begins.
  void start() { few_.n = 0; }

  /// Of the next node, which is the root or the child of the last one that x goes to.
  template <label::LabelModel M>
  double next(const MondrianTree<M>& tree, NodeId id, const Rows& rows, const float* x) {
    approach(tree, id, rows, x);
    return here(tree, id, rows, x);
  }

  // The same in two steps, for who has something else to do while memory is on its way.

  template <label::LabelModel M>
  void approach(const MondrianTree<M>& tree, NodeId id, const Rows& rows, const float* x) {
    const Node& node = tree.node(id);
    if (node.box != none) {
      few_.n = 0;  // a node above may have kept none, but its rows have not been told apart by this cut
      return fetch(tree.boxes[node.box].lower, 2 * rows.width());
    }
    if (tree.is_read_from_one_row(node)) return fetch(rows.row(node.first_row), rows.width());
    if (few_.n > 0) {
      stay_beside(x, rows);
    } else {
      few_ = *tree.few_rows_below(id);
      for (std::size_t i = 0; i < few_.n; ++i) fetch(rows.row(few_.rows[i]), rows.width());
    }
    above_ = &node;
  }

  template <label::LabelModel M>
  [[nodiscard]] double here(const MondrianTree<M>& tree, NodeId id, const Rows& rows, const float* x) const {
    const Node& node = tree.node(id);
    if (node.box != none) {
      const Box box = tree.boxes[node.box];
      return outside_distance(box.lower, box.upper, x, rows.width());
    }
    if (tree.is_read_from_one_row(node)) {
      return outside_distance(rows.row(node.first_row), rows.row(node.first_row), x, rows.width());
    }
    return outside_rows(rows.features.data(), few_.rows.data(), few_.n, x, rows.width());
  }

 private:
  /// Only rows on x's side of the last cut are below its next node.
  void stay_beside(const float* x, const Rows& rows) {
    const bool goes_right = above_->sends_right(x);
    std::size_t n = 0;
    for (std::size_t i = 0; i < few_.n; ++i) {
      few_.rows[n] = few_.rows[i];
      n += static_cast<std::size_t>(above_->sends_right(rows.row(few_.rows[i])) == goes_right);
    }
    few_.n = n;
  }

  static void fetch(const float* first, std::size_t n) {
    for (std::size_t k = 0; k < n; k += 16) numeric::prefetch(first + k);
  }

  FewRows few_;                  ///< below the last node, if it keeps no box
  const Node* above_ = nullptr;  ///< that node
};

}  // namespace hedgerow::mondrian
