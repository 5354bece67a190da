// SPDX-License-Identifier: BSD-3-Clause
// A tree from the prior, drawn as it is defined: from the root down (document 004, equations 4.3 and 4.4).
#pragma once

#include "hedgerow/bart/deal.hpp"

namespace hedgerow::bart {

/// Decides on a leaf, and on all that come below it.
inline void grow_from_prior(const Target& target, Tree& tree, NodeId id, random::Stream& stream) {
  settle(target, tree.nodes[id], tree.rows_of(id));
  const double log_split = target.prior.log_split(tree.nodes[id].depth);
  if (!tree.nodes[id].splittable || std::log(stream.uniform()) >= log_split) return;
  tree.nodes[id].rule = target.draw_rule(tree.rows_of(id), stream);
  tree.resize_subtree(id, 3);
  deal(target, tree, id);
  grow_from_prior(target, tree, tree.right(id), stream);  // the right one first: then the left one does not move it
  grow_from_prior(target, tree, tree.left(id), stream);
}

inline Tree draw_from_prior(const Target& target, random::Stream& stream) {
  Tree tree(target.data);
  grow_from_prior(target, tree, 0, stream);
  return tree;
}

}  // namespace hedgerow::bart
