// SPDX-License-Identifier: BSD-3-Clause
// A tree from the prior, drawn as it is defined: from the root down.
#pragma once

#include "hedgerow/posterior_tree/assign_rows.hpp"

namespace hedgerow::posterior_tree {

/// Decides on a leaf, and on all that come below it.
template <class T>
void grow_from_prior(const T& target, typename T::Tree& tree, NodeId id, random::Stream& stream) {
  set_leaf(target, tree.nodes[id], tree.rows_of(id));
  const double log_split = target.prior.log_split(tree.nodes[id].depth);
  if (!tree.nodes[id].splittable || std::log(stream.uniform()) >= log_split) return;
  tree.nodes[id].rule = target.draw_rule(tree.rows_of(id), stream);
  tree.resize_subtree(id, 3);
  assign_rows(target, tree, id);
  grow_from_prior(target, tree, tree.right(id), stream);  // the right one first: then the left one does not move it
  grow_from_prior(target, tree, tree.left(id), stream);
}

template <class T>
typename T::Tree draw_from_prior(const T& target, random::Stream& stream) {
  typename T::Tree tree(target.data);
  grow_from_prior(target, tree, 0, stream);
  return tree;
}

}  // namespace hedgerow::posterior_tree
