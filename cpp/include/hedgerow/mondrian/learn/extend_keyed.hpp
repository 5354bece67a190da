// SPDX-License-Identifier: BSD-3-Clause
// Online growth with keyed cuts: one row enters one tree, which becomes, bit for bit, the tree that the grower makes of
// all rows. A cut on the row's way that separated no rows, and was not kept, may separate this one from the others.
// What is known of an edge tells most rows that they pass it; only where one does not, or it is not known, are cuts
// drawn again.
#pragma once

#include <cstdint>
#include <span>
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

  /// What the cuts of a tree follow from.
  struct Key {
    std::uint64_t seed;
    std::uint32_t number;           ///< of the tree
    std::span<const float> domain;  ///< holds all rows
  };

  void extend(MondrianTree<M>& tree, RowId row, const Setting& setting, const Key& key) {
    const std::size_t width = setting.rows.width();
    const float* x = setting.rows.row(row);
    path_.clear();
    if (tree.shape.is_empty()) return plant(tree, row, setting);
    last_kept_ = n_walked_ = not_begun;
    bool is_among_few = false;  // below a node that keeps no box
    for (NodeId id = tree.root;;) {
      const bool is_leaf = tree.node(id).is_leaf();
      if (!is_leaf) tree.keyed_cells.fetch(tree.node(id).left());
      if (is_leaf && tree.is_paused(id, setting.rows, setting.growth, setting.model)) {
        absorb(tree, id, row, setting, key);
        break;
      }
      const auto [is_open, has_cell] = tree.keyed_cells.ask(id, x, width);
      if (!is_open) {
        catch_up(tree, x, setting, key);
        const std::size_t n_entered = cells_.n_entered();
        const auto [cut, parts] = pass_edge(tree, id, x, setting);
        const KeyedEdge edge = cells_.edge_since(n_entered);
        if (parts) {
          hang_leaf(tree, id, cut.feature, cut.location, cut.time, cut.sends_right(x), row, setting, rooms_);
          tree.keyed_cells.keep_edge(id, edge);
          path_.push_back(id);
          break;
        }
        tree.keyed_cells.keep_edge(id, edge);
        if (!is_leaf) leave(tree, id, cut, x, !edge.is_known());
      } else if (has_cell) {
        last_kept_ = path_.size();
      }
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
  static constexpr std::size_t not_begun = static_cast<std::size_t>(-1);

  /// Bring the walk to where the edge below the path begins. It goes on from where it is, or from the last cell that is
  /// kept, or from the domain; the row is known to pass all edges of the path.
  void catch_up(MondrianTree<M>& tree, const float* x, const Setting& setting, const Key& key) {
    if (last_kept_ != not_begun && (n_walked_ == not_begun || last_kept_ >= n_walked_)) {
      tree.keyed_cells.start(cells_, key.seed, path_[last_kept_], setting.rows.width());
      n_walked_ = last_kept_;
      n_drawn_ = 0;
    } else if (n_walked_ == not_begun) {
      cells_.start(key.seed, key.number, key.domain, setting.rows.width());
      n_walked_ = 0;
      n_drawn_ = 0;
    }
    while (n_walked_ < path_.size()) {
      const NodeId id = path_[n_walked_];
      const Node& node = tree.node(id);
      for (;; ++n_drawn_) {
        const KeyedCut cut = cells_.next();
        if (cut.feature == node.feature && cut.location == node.location) {
          leave(tree, id, cut, x, false);
          break;
        }
        require_time(cut, setting);
        cells_.enter(cut, cut.sends_right(x));
      }
    }
  }

  /// Into the part below a node that holds x; the node's cell is kept if many cuts were drawn on the way to it.
  void leave(MondrianTree<M>& tree, NodeId id, const KeyedCut& cut, const float* x, bool is_long) {
    if (is_long || ++n_drawn_ >= worth_keeping) {
      tree.keyed_cells.keep(id, cells_, tree.boxes.width());
      n_drawn_ = 0;
    }
    cells_.enter(cut, cut.sends_right(x));
    ++n_walked_;
  }

  static void require_time(const KeyedCut& cut, const Setting& setting) {
    if (!(cut.time < setting.growth.lifetime)) {
      throw std::logic_error("a tree has a cut that its key does not give");
    }
  }

  /// Draws the cuts of the edge above a node again, up to the one that separates x from the node's rows, or else to the
  /// node's own. Returns that cut, and whether it is the former.
  std::pair<KeyedCut, bool> pass_edge(const MondrianTree<M>& tree, NodeId id, const float* x, const Setting& setting) {
    const Node& node = tree.node(id);
    const float* beside = node.box != none ? tree.boxes[node.box].lower : setting.rows.row(some_row(tree, id));
    for (;; ++n_drawn_) {
      const KeyedCut cut = cells_.next();
      const bool is_last = node.is_leaf() ? !(cut.time < setting.growth.lifetime)
                                          : cut.feature == node.feature && cut.location == node.location;
      if (is_last) return {cut, false};
      require_time(cut, setting);
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
  void absorb(MondrianTree<M>& tree, NodeId leaf, RowId row, const Setting& setting, const Key& key) {
    if (!wakes(tree, leaf, row, setting)) return;
    catch_up(tree, setting.rows.row(row), setting, key);
    members_.clear();
    tree.shape.for_each_row(leaf, [this](RowId member) { members_.push_back(member); });
    if (members_.size() == 2) return split_pair(tree, leaf, setting);
    const Box box = tree.box(leaf, setting.rows, rooms_.left);
    grower_.grow(tree, leaf, box, members_, nullptr, setting, cells_);
  }

  void split_pair(MondrianTree<M>& tree, NodeId leaf, const Setting& setting) {
    const float* x = setting.rows.row(members_[0]);
    const float* beside = setting.rows.row(members_[1]);
    const std::size_t n_entered = cells_.n_entered();
    for (KeyedCut cut = cells_.next(); cut.time < setting.growth.lifetime; cut = cells_.next()) {
      const bool goes_right = cut.sends_right(x);
      if (goes_right != cut.sends_right(beside)) {
        part_pair(tree, leaf, cut.feature, cut.location, cut.time, setting);
        return tree.keyed_cells.keep_edge(leaf, cells_.edge_since(n_entered));
      }
      cells_.enter(cut, goes_right);
    }
    tree.hear_set(leaf, setting.rows, setting.model);  // both stay
  }

  std::vector<NodeId> path_;
  std::vector<RowId> members_;
  Grower<M> grower_;
  KeyedCells cells_;
  std::size_t n_walked_ = 0;   ///< nodes of the path whose cuts the walk has passed
  std::size_t last_kept_ = 0;  ///< the last node of the path whose cell is kept
  int n_drawn_ = 0;            ///< since the last cell that is kept
  BoxRooms rooms_;
};

}  // namespace hedgerow::mondrian
