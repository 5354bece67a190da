// SPDX-License-Identifier: BSD-3-Clause
// What one row does to a tree once it is known where it belongs. `Setting` is that of the grower.
#pragma once

#include <cstdint>

#include "hedgerow/mondrian/structure/measure.hpp"

namespace hedgerow::mondrian {

/// The row joins a leaf whose box holds it already. Unless it stays there, its order among others may show.
template <label::LabelModel M, class Setting>
void settle(MondrianTree<M>& tree, NodeId leaf, RowId row, const Setting& setting, bool stays = true) {
  tree.shape.push_row(leaf, row, size_of<M>(setting.rows, row));
  hear_row<M>(tree.summaries.edit(leaf), setting.rows.labels[row], row, setting.rows, setting.model);
  tree.crowds.arrive(leaf, row, setting.rows, setting.model);
  if (stays && setting.rows.are_a_set) tree.hear_set(leaf, setting.rows, setting.model);
}

/// The first row of an empty tree.
template <label::LabelModel M, class Setting>
void plant(MondrianTree<M>& tree, RowId row, const Setting& setting) {
  tree.shape.plant();
  tree.summaries.resize(1);
  settle(tree, tree.root, row, setting);
}

/// A paused leaf takes the row. Returns whether it may split now.
template <label::LabelModel M, class Setting>
bool wakes(MondrianTree<M>& tree, NodeId leaf, RowId row, const Setting& setting) {
  const float* x = setting.rows.row(row);
  if (tree.node(leaf).box != none) {
    stretch(tree, leaf, x);
  } else {
    expect_row(tree, leaf, setting.rows, x);
  }
  const bool is_pair = tree.node(leaf).n_rows == 1;  // the size of two rows does not tell their order
  settle(tree, leaf, row, setting, !is_pair);
  if (!tree.is_paused(leaf, setting.rows, setting.growth, setting.model)) return true;
  if (is_pair && setting.rows.are_a_set) tree.hear_set(leaf, setting.rows, setting.model);
  return false;
}

/// A leaf of two rows is cut between them.
template <label::LabelModel M, class Setting>
void part_pair(MondrianTree<M>& tree, NodeId leaf, std::uint32_t feature, float location, double time,
               const Setting& setting) {
  const RowId first = tree.node(leaf).first_row, second = tree.shape.next_row[first];
  tree.split_leaf(leaf, feature, location, kept_time(time, setting.growth.lifetime));
  for (const RowId row : {first, second}) {
    const Node& node = tree.node(leaf);
    settle(tree, node.child(node.sends_right(setting.rows.row(row))), row, setting);
  }
  tree.hear_children(leaf, setting.model);
}

/// A new parent above `id`, and a leaf for the row beside it.
template <label::LabelModel M, class Setting>
void hang_leaf(MondrianTree<M>& tree, NodeId id, std::uint32_t feature, float location, double time, bool to_right,
               RowId row, const Setting& setting, BoxRooms& rooms) {
  const NodeId leaf = tree.insert_above(id, feature, location, kept_time(time, setting.growth.lifetime), to_right);
  tree.summaries.replace(leaf, {});
  settle(tree, leaf, row, setting);
  measure_children(tree, id, setting.rows, rooms);
}

}  // namespace hedgerow::mondrian
