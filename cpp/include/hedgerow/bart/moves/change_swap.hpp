// SPDX-License-Identifier: BSD-3-Clause
// Change: an inner node gets another rule from the prior, and all below keep theirs. Swap: a node and its parent
// exchange rules. Chipman, George and McCulloch (1998), section 5.1.
#pragma once

#include "hedgerow/bart/moves/redeal.hpp"

namespace hedgerow::bart {

inline bool change(const Target& target, Tree& tree, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  Tree changed = tree.copy_of(*id);
  changed.nodes[0].rule = target.draw_rule(tree.rows_of(*id), stream);
  return redeal(target, tree, *id, std::move(changed), stream, [&](const Tree& now, auto before) {
    const double log_drawn = now.nodes[0].log_rule, log_back = before[0].log_rule;
    return log_joint(target, now.nodes) - log_joint(target, before) + log_back - log_drawn;
  });
}

/// An inner node whose parent is given its rule. The shape stays, so going back is as likely. Siblings with the
/// same rule are not treated apart: the move undoes itself all the same.
inline bool swap(const Target& target, Tree& tree, random::Stream& stream) {
  const std::size_t n_inner = tree.nodes.size() / 2;
  if (n_inner < 2) return false;
  const NodeId child = tree.find(1 + random::draw_below(n_inner - 1, stream), is_inner);  // the root comes first
  NodeId parent = child - 1;
  while (parent + tree.nodes[parent].size <= child) --parent;
  Tree changed = tree.copy_of(parent);
  std::swap(changed.nodes[0].rule, changed.nodes[child - parent].rule);
  return redeal(target, tree, parent, std::move(changed), stream,
                [&](const Tree& now, auto before) { return log_joint(target, now.nodes) - log_joint(target, before); });
}

/// The four moves of Chipman, George and McCulloch, a quarter each; one that is impossible is a rejection.
inline bool grow_prune_change_or_swap(const Target& target, Tree& tree, random::Stream& stream) {
  switch (random::draw_below(4, stream)) {
    case 0:
      return grow(target, tree, GrowChance::even, stream);
    case 1:
      return prune(target, tree, GrowChance::even, stream);
    case 2:
      return change(target, tree, stream);
    default:
      return swap(target, tree, stream);
  }
}

}  // namespace hedgerow::bart
