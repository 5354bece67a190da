// SPDX-License-Identifier: BSD-3-Clause
// Unlearning: take rows out of a tree. What is left is the tree restricted to the remaining rows, and by the
// self-consistency of the Mondrian process that is a Mondrian tree on them: a split stays iff it still separates
// rows, and a block that has become too light, or whose labels have become equal, is paused again. No random number is
// drawn. Cost: one path a row, however many rows its leaf has.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hedgerow/mondrian/structure/measure.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Forgetter {
 public:
  void forget(MondrianTree<M>& tree, RowId row, const Rows& rows, const Growth& growth, const M& model) {
    const NodeId leaf = go_down(tree, rows.row(row));
    const bool is_crowded = leaf != none && tree.node(leaf).n_rows > Crowds<M>::few;
    if (is_crowded) tree.shape.know_previous_rows();
    if (leaf == none || !tree.shape.remove_row(leaf, row)) throw std::logic_error("the row is not in its leaf");
    if (is_crowded) {
      leave_crowd(tree, leaf, row, rows, model);
      tell_others(tree, leaf, rows, growth, model);
    } else {
      restrict_to_rows_left(tree, leaf, rows, growth, model);
    }
  }

  /// The same for many rows, of which alone `leaves(row)` is true: a leaf loses all of its own at once, so that a large
  /// one is looked through once and not for each.
  template <class Leaves>
  void forget_all(MondrianTree<M>& tree, std::span<const RowId> leaving, Leaves&& leaves, const Rows& rows,
                  const Growth& growth, const M& model) {
    is_gone_.assign(rows.capacity(), 0);
    for (const RowId row : leaving) {
      if (is_gone_[row] != 0) continue;
      const NodeId leaf = go_down(tree, rows.row(row));
      if (leaf != none) {
        tree.shape.remove_rows(leaf, [&](RowId member) { return (is_gone_[member] = leaves(member) ? 1 : 0) != 0; });
      }
      if (is_gone_[row] == 0) throw std::logic_error("the row is not in its leaf");
      restrict_to_rows_left(tree, leaf, rows, growth, model);
    }
  }

 private:
  /// Notes the path of x; returns its leaf, or none in an empty tree.
  NodeId go_down(const MondrianTree<M>& tree, const float* x) {
    path_.clear();
    if (tree.shape.is_empty()) return none;
    NodeId id = tree.root;
    while (!tree.node(id).is_leaf()) {
      path_.push_back(id);
      id = tree.node(id).child(tree.node(id).sends_right(x));
    }
    return id;
  }

  /// The leaf at the end of the path has lost rows.
  void restrict_to_rows_left(MondrianTree<M>& tree, NodeId id, const Rows& rows, const Growth& growth, const M& model) {
    if (tree.node(id).n_rows > 0) {
      listen(tree, id, rows, model);
    } else if (path_.empty()) {
      tree.clear();
      return;
    } else {
      const NodeId parent = path_.back();
      path_.pop_back();
      tree.contract(parent, id == tree.node(parent).right());
      id = parent;
    }
    tell_others(tree, id, rows, growth, model);
  }

  /// One row has left a large leaf: what the others say, without a look at all of them.
  void leave_crowd(MondrianTree<M>& tree, NodeId leaf, RowId row, const Rows& rows, const M& model) {
    auto& crowd = tree.crowds.of(leaf, rows, model, [&](auto&& count) {
      tree.shape.for_each_row(leaf, count);
      count(row);
    });
    crowd.count(row, rows, model, -1.0);
    if (rows.are_a_set) {
      tree.hear_set(leaf, rows, model);
    } else {
      tree.shape.nodes.edit(leaf).count = static_cast<float>(crowd.size.value());
      tree.summaries.replace(leaf, model.summary_of(crowd.labels));
    }
    if (was_alone_on_a_side(tree, leaf, rows, rows.row(row))) measure_rows(tree, leaf, rows);
  }

  /// Did x, which has left, hold a side of the leaf's box alone? Where values repeat, the first rows tell.
  bool was_alone_on_a_side(const MondrianTree<M>& tree, NodeId leaf, const Rows& rows, const float* x) {
    if (tree.node(leaf).box == none) return false;
    const Box box = tree.box(leaf, rows, rooms_.left);
    sides_.clear();
    for (std::size_t d = 0; d < rows.width(); ++d) {
      if (x[d] == box.lower[d] || x[d] == box.upper[d]) sides_.push_back(d);
    }
    for (RowId other = tree.node(leaf).first_row; other != none && !sides_.empty();
         other = tree.shape.next_row[other]) {
      std::erase_if(sides_, [&](std::size_t d) { return rows.row(other)[d] == x[d]; });
    }
    return !sides_.empty();
  }

  void tell_others(MondrianTree<M>& tree, NodeId id, const Rows& rows, const Growth& growth, const M& model) {
    pause_blocks(tree, id, rows, growth, model);
    tell_ancestors(tree, rows, model);
  }

  /// The leaf's count, box and summary anew, from the rows that are left.
  void listen(MondrianTree<M>& tree, NodeId leaf, const Rows& rows, const M& model) {
    double count = 0.0;
    tree.shape.for_each_row(leaf, [&](RowId member) { count += size_of<M>(rows, member); });
    tree.crowds.erase(leaf);
    tree.shape.nodes.edit(leaf).count = static_cast<float>(count);
    measure_rows(tree, leaf, rows);
    tree.hear_rows(leaf, rows, model);
    if (rows.are_a_set) tree.hear_set(leaf, rows, model);
  }

  /// While the rows below the parent make no block to be split, its two leaves become one.
  /// (An inner sibling is heavy and mixed enough by itself.)
  void pause_blocks(MondrianTree<M>& tree, NodeId id, const Rows& rows, const Growth& growth, const M& model) {
    while (!path_.empty() && tree.node(id).is_leaf()) {
      const NodeId parent = path_.back();
      const Node& left = tree.node(tree.node(parent).left());
      const Node& right = tree.node(tree.node(parent).right());
      if (!left.is_leaf() || !right.is_leaf()) break;
      const bool is_light = growth.is_light(static_cast<double>(left.count) + static_cast<double>(right.count));
      if (!is_light && !has_become_pure(tree, parent, model)) break;
      tree.join_leaves(parent);
      listen(tree, parent, rows, model);
      path_.pop_back();
      id = parent;
    }
  }

  static bool has_become_pure(const MondrianTree<M>& tree, NodeId parent, const M& model) {
    if (!model.pauses_pure()) return false;
    const auto& node = tree.node(parent);
    return model.is_pure(model.merge(tree.summaries[node.left()], 0.0, tree.summaries[node.right()], 0.0, 0.0));
  }

  /// Boxes shrink up to the first ancestor that does not; summaries change up to the root.
  void tell_ancestors(MondrianTree<M>& tree, const Rows& rows, const M& model) {
    for (auto id = path_.rbegin(); id != path_.rend(); ++id) {
      if (tree.node(*id).box != none && !measure_children(tree, *id, rows, rooms_)) break;
    }
    tree.hear_path(path_, model);
  }

  std::vector<NodeId> path_;
  std::vector<std::size_t> sides_;
  BoxRooms rooms_;
  std::vector<std::uint8_t> is_gone_;  ///< while many rows leave, by row number
};

}  // namespace hedgerow::mondrian
