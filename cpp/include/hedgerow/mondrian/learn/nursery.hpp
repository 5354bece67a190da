// SPDX-License-Identifier: BSD-3-Clause
// Where a worker grows one tree after another without asking for fresh memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hedgerow/mondrian/learn/grow.hpp"

namespace hedgerow::mondrian {

/// What all trees of a forest are grown from; at least one row.
template <label::LabelModel M>
struct Sowing {
  std::span<const RowId> members;
  Box box;               ///< of all rows
  const float* columns;  ///< `transposed(rows)`, or null for few rows
  typename Grower<M>::Setting setting;
};

template <label::LabelModel M>
struct Nursery {
  explicit Nursery(std::size_t width) : tree(width) {}

  MondrianTree<M> tree;
  Grower<M> grower;
  KeyedCells cells;

  /// The tree must be empty.
  void grow(const Sowing<M>& sowing, random::Stream stream) {
    plant(sowing);
    grower.grow(tree, tree.root, sowing.box, 0.0, sowing.members, sowing.columns, sowing.setting, stream);
  }

  /// The same with keyed cuts, from the cell in which these begin to separate rows; it is kept.
  void grow_keyed(const Sowing<M>& sowing, std::uint64_t seed, std::uint32_t number, std::span<const float> domain) {
    const std::size_t width = sowing.setting.rows.width();
    const bool is_point = std::equal(sowing.box.lower, sowing.box.lower + width, sowing.box.upper);
    plant(sowing);
    cells.start(seed, number, domain, width);
    if (!is_point) cells.approach(sowing.box, sowing.setting.growth.lifetime);
    tree.keyed_cells.keep(tree.root, cells, width);
    grower.grow(tree, tree.root, sowing.box, sowing.members, sowing.columns, sowing.setting, cells);
    if (tree.node(tree.root).is_leaf()) tree.keyed_cells.erase(tree.root);
  }

 private:
  void plant(const Sowing<M>& sowing) {
    tree.shape.plant();
    tree.summaries.resize(1);
    tree.shape.next_row.resize(sowing.setting.rows.capacity(), none);
  }
};

}  // namespace hedgerow::mondrian
