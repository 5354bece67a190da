// SPDX-License-Identifier: BSD-3-Clause
// The skeleton of a tree: nodes, and for each leaf the list of the rows in it. Three verbs change the shape and
// nothing else does: split_leaf, insert_above, contract. A number names a place in the tree: insert_above and
// contract move records between places, so that whoever holds a path from the root need not mend it.
// It knows no boxes, no labels and no data.
#pragma once

#include <utility>
#include <vector>

#include "hedgerow/tree/column.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::tree {

class Tree {
 public:
  static constexpr NodeId root = 0;

  Column<Node> nodes;         ///< the root, then pairs of siblings; empty for the empty tree
  Column<RowId> next_row;     ///< next_row[r] follows row r in its leaf's list; garbage for rows not in a leaf
  NodeId first_freed = none;  ///< head of the list of freed pairs

  [[nodiscard]] bool is_empty() const { return nodes.empty(); }

  /// For an empty tree.
  void plant() { nodes.push_back(Node::leaf()); }

  /// Verb 1: a leaf becomes an inner node above two new leaves. Its rows must be dealt out by the caller.
  void split_leaf(NodeId leaf, std::uint32_t feature, float location, float time) {
    const NodeId pair = new_pair();
    nodes.edit(leaf) = Node::inner(feature, location, pair, time, nodes[leaf].box);
  }

  /// Verb 2: `node` and a new leaf become the children of a new inner node in the place of `node`.
  /// The new leaf lies on the right iff `leaf_to_right`. The new inner node has no box yet.
  void insert_above(NodeId node, std::uint32_t feature, float location, float time, bool leaf_to_right) {
    const NodeId pair = new_pair();
    nodes.edit(pair + static_cast<NodeId>(!leaf_to_right)) = nodes[node];
    nodes.edit(node) = Node::inner(feature, location, pair, time, none);
  }

  /// Verb 3: one child of `parent` vanishes, and the other takes the place of `parent`.
  void contract(NodeId parent, bool right_vanishes) {
    const NodeId pair = nodes[parent].children;
    nodes.edit(parent) = nodes[pair + static_cast<NodeId>(!right_vanishes)];
    free_pair(pair);
  }

  /// Undo a split: `parent` becomes a leaf that holds all rows of the two leaves below it, and keeps its box.
  void join_leaves(NodeId parent) {
    const NodeId pair = nodes[parent].children;
    const Node& right = nodes[pair + 1];
    Node joined = nodes[pair];
    RowId last = none;
    for (RowId row = joined.first_row; row != none; row = next_row[row]) last = row;
    (last == none ? joined.first_row : next_row.edit(last)) = right.first_row;
    if (has_previous() && right.first_row != none) previous_row_.edit(right.first_row) = last;
    joined.n_rows += right.n_rows;
    joined.count += right.count;
    joined.box = nodes[parent].box;
    free_pair(pair);
    nodes.edit(parent) = joined;
  }

  /// Two siblings that hang nowhere wait to be reused.
  void free_pair(NodeId pair) {
    Node freed = Node::leaf();
    freed.feature = Node::freed_mark;
    freed.next_freed = first_freed;
    nodes.edit(pair) = nodes.edit(pair + 1) = freed;
    first_freed = pair;
  }

  void push_row(NodeId leaf, RowId row, double count) {
    if (row >= next_row.size()) next_row.resize(static_cast<std::size_t>(row) + 1, none);
    Node& node = nodes.edit(leaf);
    next_row.edit(row) = node.first_row;
    if (has_previous()) {
      previous_row_.resize(next_row.size(), none);
      if (node.first_row != none) previous_row_.edit(node.first_row) = row;
      previous_row_.edit(row) = none;
    }
    node.first_row = row;
    node.n_rows += 1;
    node.count = static_cast<float>(static_cast<double>(node.count) + count);
  }

  /// Take `row` out of the list of `leaf`; false if it is not there. The caller sets the leaf's count anew.
  bool remove_row(NodeId leaf, RowId row) {
    RowId before = none;
    if (has_previous()) {
      before = previous_row_[row];
      if (before == none ? nodes[leaf].first_row != row : next_row[before] != row) return false;
    } else {
      RowId at = nodes[leaf].first_row;
      while (at != none && at != row) before = std::exchange(at, next_row[at]);
      if (at == none) return false;
    }
    unlink(leaf, row, before);
    return true;
  }

  /// The same for all rows of which `leaves(row)` is true.
  template <class Leaves>
  void remove_rows(NodeId leaf, Leaves&& leaves) {
    RowId before = none;
    for (RowId row = nodes[leaf].first_row; row != none;) {
      const RowId after = next_row[row];
      if (leaves(row)) {
        unlink(leaf, row, before);
      } else {
        before = row;
      }
      row = after;
    }
  }

  template <class Visit>
  void for_each_row(NodeId leaf, Visit&& visit) const {
    for (RowId row = nodes[leaf].first_row; row != none; row = next_row[row]) visit(row);
  }

  /// From now on a row leaves its list without a search for the one before it. Costs memory, so only trees with long
  /// lists ask for it.
  void know_previous_rows() {
    if (has_previous() || nodes.empty()) return;
    std::vector<RowId> previous(next_row.size(), none);
    for (const Node& node : nodes.values()) {
      if (!node.is_leaf()) continue;
      for (RowId row = node.first_row; row != none && next_row[row] != none; row = next_row[row]) {
        previous[next_row[row]] = row;
      }
    }
    previous_row_ = std::move(previous);
  }
  [[nodiscard]] std::size_t n_bytes_of_previous_rows() const {
    return previous_row_.values().capacity() * sizeof(RowId);
  }

  void clear() {
    nodes.clear();
    next_row.clear();
    previous_row_.clear();
    first_freed = none;
  }

  // Changes that can be taken back.

  void record(bool are_many) {
    nodes.record(are_many);
    next_row.record(are_many);
    previous_row_.record(are_many);
    recorded_first_freed_ = first_freed;
  }
  void keep() noexcept {
    nodes.keep();
    next_row.keep();
    previous_row_.keep();
  }
  void undo() noexcept {
    nodes.undo();
    next_row.undo();
    previous_row_.undo();
    first_freed = recorded_first_freed_;
  }

 private:
  [[nodiscard]] bool has_previous() const { return !previous_row_.empty(); }

  void unlink(NodeId leaf, RowId row, RowId before) {
    const RowId after = next_row[row];
    Node& node = nodes.edit(leaf);
    if (before == none) {
      node.first_row = after;
    } else {
      next_row.edit(before) = after;
    }
    if (has_previous() && after != none) previous_row_.edit(after) = before;
    node.n_rows -= 1;
  }

  NodeId new_pair() {
    NodeId pair = first_freed;
    if (pair == none) {
      pair = static_cast<NodeId>(nodes.size());
      nodes.resize(nodes.size() + 2);
    } else {
      first_freed = nodes[pair].next_freed;
    }
    nodes.edit(pair) = nodes.edit(pair + 1) = Node::leaf();
    return pair;
  }

  Column<RowId> previous_row_;  ///< the other direction of `next_row`; empty until it is asked for
  NodeId recorded_first_freed_ = none;
};

/// All nodes below and including `top`, parents before children, left before right. Appended to `order`.
inline void append_preorder(const Tree& tree, NodeId top, std::vector<NodeId>& order) {
  if (tree.is_empty()) return;
  std::vector<NodeId> pending{top};
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    order.push_back(id);
    if (!tree.nodes[id].is_leaf()) {
      pending.push_back(tree.nodes[id].right());
      pending.push_back(tree.nodes[id].left());
    }
  }
}

}  // namespace hedgerow::tree
