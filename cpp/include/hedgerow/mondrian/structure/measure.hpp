// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a tree's nodes, made and changed. A node keeps a box if its rows are many and do not all lie on one point.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "hedgerow/mondrian/structure/mondrian_tree.hpp"

namespace hedgerow::mondrian {

/// The leaf's box anew: the smallest around the points that `for_each_point` hands on, those of its rows.
template <label::LabelModel M, class ForEachPoint>
void measure_leaf(MondrianTree<M>& tree, NodeId leaf, ForEachPoint&& for_each_point) {
  const std::size_t width = tree.boxes.width();
  std::uint32_t& slot = tree.shape.nodes.edit(leaf).box;
  if (tree.node(leaf).n_rows <= FewRows::most) return tree.boxes.release(std::exchange(slot, none));
  if (slot == none) slot = tree.boxes.new_slot();
  const Boxes::Corners box = tree.boxes.edit(slot);
  bool is_first = true;
  for_each_point([&](const float* x) {
    if (std::exchange(is_first, false)) {
      std::copy_n(x, width, box.lower);
      std::copy_n(x, width, box.upper);
    } else {
      stretch_box(box.lower, box.upper, x, width);
    }
  });
  if (std::equal(box.lower, box.upper, box.upper)) tree.boxes.release(std::exchange(slot, none));
}
template <label::LabelModel M>
void measure_rows(MondrianTree<M>& tree, NodeId leaf, const Rows& rows) {
  measure_leaf(tree, leaf,
               [&](auto&& hand_on) { tree.shape.for_each_row(leaf, [&](RowId row) { hand_on(rows.row(row)); }); });
}

/// An inner node's box from its children's, if it is kept. Returns whether it changed or may have.
template <label::LabelModel M>
bool measure_children(MondrianTree<M>& tree, NodeId id, const Rows& rows, BoxRooms& rooms) {
  if (tree.node(id).box == none) {
    if (tree.few_rows_below(id)) return true;
    tree.shape.nodes.edit(id).box = tree.boxes.new_slot();
  }
  const Boxes::Corners own = tree.boxes.edit(tree.node(id).box);
  const Box left = tree.box(tree.node(id).left(), rows, rooms.left);
  const Box right = tree.box(tree.node(id).right(), rows, rooms.right);
  return join_boxes(own.lower, own.upper, left.lower, left.upper, right.lower, right.upper, tree.boxes.width());
}

/// Stretch the box that a node keeps so that it holds x too.
template <label::LabelModel M>
void stretch(MondrianTree<M>& tree, NodeId id, const float* x) {
  const Boxes::Corners box = tree.boxes.edit(tree.node(id).box);
  stretch_box(box.lower, box.upper, x, tree.boxes.width());
}

/// A node that keeps no box will have one row more, x: from now on it keeps one, if it must then.
template <label::LabelModel M>
void expect_row(MondrianTree<M>& tree, NodeId id, const Rows& rows, const float* x) {
  const std::size_t width = tree.boxes.width();
  const std::optional<FewRows> few = tree.few_rows_below(id);
  if (few && few->n < FewRows::most) return;
  const float* point = rows.row(few ? few->rows[0] : tree.node(id).first_row);
  if (tree.node(id).is_leaf() && std::equal(point, point + width, x) && tree.is_point(id, rows)) return;
  const std::uint32_t slot = tree.shape.nodes.edit(id).box = tree.boxes.new_slot();
  const Boxes::Corners own = tree.boxes.edit(slot);
  if (few) {
    bound_rows(rows.features.data(), few->rows.data(), few->n, width, own.lower, own.upper);
  } else {
    std::copy_n(point, width, own.lower);
    std::copy_n(point, width, own.upper);
  }
  stretch_box(own.lower, own.upper, x, width);
}

}  // namespace hedgerow::mondrian
