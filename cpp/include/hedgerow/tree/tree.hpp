// SPDX-License-Identifier: BSD-3-Clause
// The skeleton of a tree: nodes, and for each leaf the list of the rows in it. Three verbs change the shape and
// nothing else does: split_leaf, insert_above, contract. A number names a place in the tree: insert_above and
// contract move records between places, so that whoever holds a path from the root need not mend it.
// It knows no boxes, no labels and no data.
#pragma once

#include <vector>

#include "hedgerow/tree/node.hpp"

namespace hedgerow::tree {

class Tree {
 public:
  static constexpr NodeId root = 0;

  std::vector<Node> nodes;      ///< the root, then pairs of siblings; empty for the empty tree
  std::vector<RowId> next_row;  ///< next_row[r] follows row r in its leaf's list; garbage for rows not in a leaf
  NodeId first_freed = none;    ///< head of the list of freed pairs

  [[nodiscard]] bool is_empty() const { return nodes.empty(); }

  void plant() { nodes.assign(1, Node::leaf()); }

  /// Verb 1: a leaf becomes an inner node above two new leaves. Its rows must be dealt out by the caller.
  void split_leaf(NodeId leaf, std::uint32_t feature, float location, float time) {
    const NodeId pair = new_pair();
    nodes[leaf] = Node::inner(feature, location, pair, time, nodes[leaf].box);
  }

  /// Verb 2: `node` and a new leaf become the children of a new inner node in the place of `node`.
  /// The new leaf lies on the right iff `leaf_to_right`. The new inner node has no box yet.
  void insert_above(NodeId node, std::uint32_t feature, float location, float time, bool leaf_to_right) {
    const NodeId pair = new_pair();
    nodes[pair + static_cast<NodeId>(!leaf_to_right)] = nodes[node];
    nodes[node] = Node::inner(feature, location, pair, time, none);
  }

  /// Verb 3: one child of `parent` vanishes, and the other takes the place of `parent`.
  void contract(NodeId parent, bool right_vanishes) {
    const NodeId pair = nodes[parent].children;
    nodes[parent] = nodes[pair + static_cast<NodeId>(!right_vanishes)];
    release_pair(pair);
  }

  /// Undo a split: `parent` becomes a leaf that holds all rows of the two leaves below it, and keeps its box.
  void join_leaves(NodeId parent) {
    const NodeId pair = nodes[parent].children;
    const Node& right = nodes[pair + 1];
    Node joined = nodes[pair];
    RowId* link = &joined.first_row;
    while (*link != none) link = &next_row[*link];
    *link = right.first_row;
    joined.n_rows += right.n_rows;
    joined.count += right.count;
    joined.box = nodes[parent].box;
    release_pair(pair);
    nodes[parent] = joined;
  }

  void push_row(NodeId leaf, RowId row, double count) {
    if (row >= next_row.size()) next_row.resize(static_cast<std::size_t>(row) + 1, none);
    Node& node = nodes[leaf];
    next_row[row] = node.first_row;
    node.first_row = row;
    node.n_rows += 1;
    node.count = static_cast<float>(static_cast<double>(node.count) + count);
  }

  /// Take `row` out of the list of `leaf`; false if it is not there. The caller sets the leaf's count anew.
  bool remove_row(NodeId leaf, RowId row) {
    RowId* link = &nodes[leaf].first_row;
    while (*link != none && *link != row) link = &next_row[*link];
    if (*link == none) return false;
    *link = next_row[row];
    nodes[leaf].n_rows -= 1;
    return true;
  }

  /// The same for all rows of which `leaves(row)` is true.
  template <class Leaves>
  void remove_rows(NodeId leaf, Leaves&& leaves) {
    for (RowId* link = &nodes[leaf].first_row; *link != none;) {
      if (leaves(*link)) {
        *link = next_row[*link];
        nodes[leaf].n_rows -= 1;
      } else {
        link = &next_row[*link];
      }
    }
  }

  template <class Visit>
  void for_each_row(NodeId leaf, Visit&& visit) const {
    for (RowId row = nodes[leaf].first_row; row != none; row = next_row[row]) visit(row);
  }

  void clear() {
    nodes.clear();
    next_row.clear();
    first_freed = none;
  }

 private:
  NodeId new_pair() {
    NodeId pair = first_freed;
    if (pair == none) {
      pair = static_cast<NodeId>(nodes.size());
      nodes.resize(nodes.size() + 2);
    } else {
      first_freed = nodes[pair].next_freed;
    }
    nodes[pair] = nodes[pair + 1] = Node::leaf();
    return pair;
  }

  void release_pair(NodeId pair) {
    nodes[pair] = nodes[pair + 1] = Node::leaf();
    nodes[pair].feature = nodes[pair + 1].feature = Node::freed_mark;
    nodes[pair].next_freed = nodes[pair + 1].next_freed = first_freed;
    first_freed = pair;
  }
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
