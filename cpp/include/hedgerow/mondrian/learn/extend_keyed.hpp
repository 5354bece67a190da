// SPDX-License-Identifier: BSD-3-Clause
// Online growth with keyed cuts: one row enters one tree, which becomes, bit for bit, the tree that the grower makes of
// all rows. The cuts on the row's way are drawn again, those too that separated no rows and were not kept: one of them
// may separate the row from the others.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/learn/grow.hpp"
#include "hedgerow/mondrian/learn/settle.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class KeyedExtender {
 public:
  using Setting = typename Grower<M>::Setting;

  /// `seed` and `number` of the tree are its key.
  void extend(MondrianTree<M>& tree, RowId row, const Setting& setting, std::uint64_t seed, std::uint32_t number) {
    const std::size_t width = setting.rows.width();
    const float* x = setting.rows.row(row);
    path_.clear();
    if (tree.shape.is_empty()) return plant(tree, row, setting);
    const KeyedCell* above = nullptr;  // that of the parent, if it is kept and not drawn from
    bool is_among_few = false;         // below a node that keeps no box
    for (NodeId id = tree.root;;) {
      const bool is_leaf = tree.node(id).is_leaf();
      const KeyedCell* own = is_leaf ? nullptr : tree.keyed_cells.find(id);
      if (own == nullptr || !own->holds(x, width)) {
        own = nullptr;
        begin_edge(above, id == tree.root, x, seed, number, width);
        if (is_leaf && tree.is_paused(id, setting.rows, setting.growth, setting.model)) {
          absorb(tree, id, row, setting);
          break;
        }
        const auto [cut, parts] = pass_edge(tree, id, x, setting);
        if (parts) {
          hang_leaf(tree, id, cut.feature, cut.location, cut.time, cut.sends_right(x), row, setting, rooms_);
          path_.push_back(id);
          break;
        }
        if (!is_leaf && n_drawn_ >= worth_keeping) {
          tree.keyed_cells.keep(id, cells_.here());
          n_drawn_ = 0;
        }
        cells_.enter(cut, cut.sends_right(x));
      }
      above = own;
      if (tree.node(id).box != none) {
        const Box box = tree.boxes[tree.node(id).box];
        if (outside_distance(box.lower, box.upper, x, width) > 0.0) stretch(tree, id, x);
      } else if (!std::exchange(is_among_few, true)) {
        expect_row(tree, id, setting.rows, x);
      }
      if (is_leaf) {
        settle(tree, id, row, setting);
        break;
      }
      path_.push_back(id);
      id = tree.node(id).child(tree.node(id).sends_right(x));
    }
    tree.hear_path(path_, setting.model);
  }

 private:
  static constexpr int worth_keeping = 8;  // cuts, between two cells that are kept on a path

  /// Go to where the edge above a node begins: the part of the cell above that holds x, or the whole box. If no cell is
  /// kept above, the walk is there already.
  void begin_edge(const KeyedCell* above, bool is_root, const float* x, std::uint64_t seed, std::uint32_t number,
                  std::size_t width) {
    if (!is_root && above == nullptr) return;
    n_drawn_ = 0;
    if (is_root) return cells_.start(seed, number, width);
    cells_.start(seed, *above);
    const KeyedCut cut = cells_.next();
    cells_.enter(cut, cut.sends_right(x));
  }

  /// Draws the cuts of the edge above a node again, up to the one that separates x from the node's rows, or else to the
  /// node's own. Returns that cut, and whether it is the former.
  std::pair<KeyedCut, bool> pass_edge(const MondrianTree<M>& tree, NodeId id, const float* x, const Setting& setting) {
    const Node& node = tree.node(id);
    const float* beside = node.box != none ? tree.boxes[node.box].lower : setting.rows.row(some_row(tree, id));
    for (;; ++n_drawn_) {
      const KeyedCut cut = cells_.next();
      const bool is_over = !(cut.time < setting.growth.lifetime);
      if (node.is_leaf() ? is_over : cut.feature == node.feature && cut.location == node.location) return {cut, false};
      if (is_over) throw std::logic_error("a tree has a cut that its key does not give");
      const bool goes_right = cut.sends_right(x);
      if (goes_right != cut.sends_right(beside)) return {cut, true};
      cells_.enter(cut, goes_right);
    }
  }

  static RowId some_row(const MondrianTree<M>& tree, NodeId id) {
    while (!tree.node(id).is_leaf()) id = tree.node(id).left();
    return tree.node(id).first_row;
  }

  /// A paused leaf takes the row and, if it may split now, is grown afresh on all its rows.
  void absorb(MondrianTree<M>& tree, NodeId leaf, RowId row, const Setting& setting) {
    if (!wakes(tree, leaf, row, setting)) return;
    members_.clear();
    tree.shape.for_each_row(leaf, [this](RowId member) { members_.push_back(member); });
    if (members_.size() == 2) return split_pair(tree, leaf, setting);
    const Box box = tree.box(leaf, setting.rows, rooms_.left);
    grower_.grow(tree, leaf, box, members_, nullptr, setting, cells_);
  }

  void split_pair(MondrianTree<M>& tree, NodeId leaf, const Setting& setting) {
    const float* x = setting.rows.row(members_[0]);
    const float* beside = setting.rows.row(members_[1]);
    for (KeyedCut cut = cells_.next(); cut.time < setting.growth.lifetime; cut = cells_.next()) {
      const bool goes_right = cut.sends_right(x);
      if (goes_right != cut.sends_right(beside)) {
        return part_pair(tree, leaf, cut.feature, cut.location, cut.time, setting);
      }
      cells_.enter(cut, goes_right);
    }
  }

  std::vector<NodeId> path_;
  std::vector<RowId> members_;
  Grower<M> grower_;
  KeyedCells cells_;
  int n_drawn_ = 0;  ///< since the last cell that is kept
  BoxRooms rooms_;
};

}  // namespace hedgerow::mondrian
