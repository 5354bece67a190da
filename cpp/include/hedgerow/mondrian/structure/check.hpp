// SPDX-License-Identifier: BSD-3-Clause
// What must be true of a Mondrian tree, each broken rule said in a sentence. Safe on any bytes whatsoever: it trusts
// no number before it has looked at it, because model files come from strangers. Tests run it after every change.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "hedgerow/mondrian/structure/mondrian_tree.hpp"

namespace hedgerow::mondrian {

/// Rules that must hold before anything else may touch the tree: every number that is used as an index is one,
/// every node hangs in one place, every row lies in one leaf.
template <label::LabelModel M>
std::vector<std::string> check_links(const MondrianTree<M>& tree, const Rows& rows) {
  const auto& nodes = tree.shape.nodes.values();
  std::vector<std::string> broken;
  const auto say = [&](NodeId id, const char* what) { broken.push_back("node " + std::to_string(id) + " " + what); };
  if (tree.summaries.size() != nodes.size()) return {"the columns of a tree differ in length"};
  if (nodes.size() % 2 != (nodes.empty() ? 0 : 1)) return {"a node has no sibling"};
  std::vector<bool> is_free(rows.capacity(), false);
  for (const RowId row : rows.freed) is_free[row] = true;
  std::vector<bool> seen_row(rows.capacity(), false), seen(nodes.size(), false);
  std::size_t n_rows = 0;
  const auto check_leaf = [&](NodeId id) {
    std::size_t count = 0;
    for (RowId row = nodes[id].first_row; row != none; row = tree.shape.next_row[row]) {
      if (row >= rows.capacity() || row >= tree.shape.next_row.size() || is_free[row] || seen_row[row]) {
        return say(id, "lists a row that does not exist or lies in two places");
      }
      seen_row[row] = true;
      ++count;
    }
    if (count == 0) say(id, "is a leaf without rows");
    if (count != nodes[id].n_rows) say(id, "miscounts its rows");
    n_rows += count;
  };
  const auto is_pair = [&](NodeId pair) {  // pairs follow the root: 1 and 2, 3 and 4, ...
    return pair % 2 == 1 && pair < nodes.size() && !seen[pair] && !seen[pair + 1];
  };
  std::vector<NodeId> pending;
  if (!nodes.empty()) pending.push_back(tree.root);
  while (!pending.empty() && broken.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    seen[id] = true;
    if (nodes[id].box != none && nodes[id].box >= tree.boxes.n_slots()) say(id, "has a box that does not exist");
    if (nodes[id].is_leaf()) {
      check_leaf(id);
    } else if (nodes[id].feature >= tree.boxes.width()) {
      say(id, "splits a column that does not exist");
    } else if (!is_pair(nodes[id].children)) {
      say(id, "has children that do not exist or hang in two places");
    } else {
      pending.push_back(nodes[id].right());
      pending.push_back(nodes[id].left());
      seen[nodes[id].left()] = seen[nodes[id].right()] = true;
    }
  }
  if (!broken.empty()) return broken;
  if (n_rows != rows.size()) broken.push_back("the leaves do not hold every row");
  for (NodeId pair = tree.shape.first_freed; pair != none; pair = nodes[pair].next_freed) {
    if (!is_pair(pair) || !nodes[pair].is_freed() || !nodes[pair + 1].is_freed()) {
      return {"the list of freed nodes is broken"};
    }
    seen[pair] = seen[pair + 1] = true;
  }
  for (NodeId id = 0; id < nodes.size(); ++id) {
    if (!seen[id]) say(id, "is lost: neither in the tree nor freed");
  }
  return broken;
}

/// Does an inner node, and do its children, keep a box unless their rows are few?
template <label::LabelModel M>
bool keeps_needed_boxes(const MondrianTree<M>& tree, NodeId id) {
  const auto is_fine = [&](NodeId each) {
    return tree.node(each).is_leaf() || tree.node(each).box != none || tree.few_rows_below(each);
  };
  return is_fine(id) && is_fine(tree.node(id).left()) && is_fine(tree.node(id).right());
}

/// Rules of the Mondrian tree itself. Only after `check_links` has found nothing.
template <label::LabelModel M>
std::vector<std::string> check_blocks(const MondrianTree<M>& tree, const Rows& rows, const Growth& growth,
                                      const M& model) {
  std::vector<std::string> broken;
  const auto say = [&](NodeId id, const char* what) { broken.push_back("node " + std::to_string(id) + " " + what); };
  const std::size_t width = tree.boxes.width();
  std::vector<float> lower(width), upper(width);
  BoxRoom own_room;
  BoxRooms rooms;
  std::vector<bool> slot_taken(tree.boxes.n_slots(), false);
  std::vector<NodeId> order;
  append_preorder(tree.shape, tree.root, order);
  for (const NodeId id : order) {
    const Node& node = tree.node(id);
    if (node.is_leaf()) {
      double count = 0.0;
      std::copy_n(rows.row(node.first_row), width, lower.begin());
      upper = lower;
      tree.shape.for_each_row(id, [&](RowId row) {
        stretch_box(lower.data(), upper.data(), rows.row(row), width);
        count += size_of<M>(rows, row);
      });
      if (!(std::abs(count - static_cast<double>(node.count)) <= 1e-4 * count)) {
        say(id, "miscounts its rows");
      }
      if (std::isinf(growth.lifetime) && !tree.is_paused(id, rows, growth, model))
        say(id, "is a leaf that should have been split");
      if (lower == upper && node.box != none) say(id, "has a box for a point");
      if (lower != upper && node.box == none && node.n_rows > FewRows::most)
        say(id, "has no box for more than a point");
    } else {
      const NodeId left = node.left(), right = node.right();
      if (!keeps_needed_boxes(tree, id)) {
        say(id, "has no box");
        continue;
      }
      const Box left_box = tree.box(left, rows, rooms.left), right_box = tree.box(right, rows, rooms.right);
      if (!(node.time >= 0.0F && static_cast<double>(node.time) <= growth.lifetime)) {
        say(id, "has a time outside the lifetime");
      }
      for (const NodeId child : {left, right}) {
        if (!tree.node(child).is_leaf() && !(tree.node(child).time >= node.time)) {
          say(child, "is split before its parent");
        }
      }
      if (!(left_box.upper[node.feature] <= node.location)) say(id, "has a row on the wrong side, left");
      if (!(right_box.lower[node.feature] > node.location)) say(id, "has a row on the wrong side, right");
      if (tree.node(left).is_leaf() && tree.node(right).is_leaf() &&
          !(static_cast<double>(tree.node(left).count) + static_cast<double>(tree.node(right).count) >=
            growth.min_samples_split * (1 - 1e-4))) {
        say(id, "is split though its rows are too few");
      }
      if (model.pauses_pure() && model.is_pure(tree.summaries[id])) say(id, "is split though its labels are equal");
      join_boxes(lower.data(), upper.data(), left_box.lower, left_box.upper, right_box.lower, right_box.upper, width);
    }
    const Box own = tree.box(id, rows, own_room);
    if (!std::equal(lower.begin(), lower.end(), own.lower) || !std::equal(upper.begin(), upper.end(), own.upper)) {
      say(id, "has a box that is not the smallest around its rows");
    }
    if (node.box != none) {
      if (slot_taken[node.box]) say(id, "shares its box with another node");
      slot_taken[node.box] = true;
    }
  }
  for (const std::uint32_t slot : tree.boxes.freed.values()) {
    if (slot_taken[slot]) broken.push_back("a freed box is in use");
    slot_taken[slot] = true;
  }
  if (std::find(slot_taken.begin(), slot_taken.end(), false) != slot_taken.end()) broken.push_back("a box is lost");
  return broken;
}

}  // namespace hedgerow::mondrian
