// SPDX-License-Identifier: BSD-3-Clause
// Change: an inner node gets another rule from the prior, and all below keep theirs. Swap: a node and its parent
// exchange rules. Chipman, George and McCulloch (1998), section 5.1.
#pragma once

#include "hedgerow/posterior_tree/moves/propose_subtree.hpp"

namespace hedgerow::posterior_tree {

template <class T>
bool change(const T& target, typename T::Tree& tree, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  auto changed = tree.copy_of(*id);
  changed.nodes[0].rule = target.draw_rule(tree.rows_of(*id), stream);
  return propose_subtree(target, tree, *id, std::move(changed), stream, [&](auto now, auto before) {
    const double log_drawn = now[0].log_rule, log_back = before[0].log_rule;
    return log_joint(target, now) - log_joint(target, before) + log_back - log_drawn;
  });
}

/// An inner node whose parent is given its rule. The shape stays, so going back is as likely. Siblings with the
/// same rule are not treated apart: the move undoes itself all the same.
template <class T>
bool swap(const T& target, typename T::Tree& tree, random::Stream& stream) {
  const std::size_t n_inner = tree.nodes.size() / 2;
  if (n_inner < 2) return false;
  const NodeId child = tree.find(1 + random::draw_below(n_inner - 1, stream), is_inner);  // the root comes first
  NodeId parent = child - 1;
  while (parent + tree.nodes[parent].size <= child) --parent;
  auto changed = tree.copy_of(parent);
  std::swap(changed.nodes[0].rule, changed.nodes[child - parent].rule);
  return propose_subtree(target, tree, parent, std::move(changed), stream,
                         [&](auto now, auto before) { return log_joint(target, now) - log_joint(target, before); });
}

/// The four moves of Chipman, George and McCulloch, a quarter each; one that is impossible is a rejection.
template <class T>
bool grow_prune_change_or_swap(const T& target, typename T::Tree& tree, random::Stream& stream) {
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

}  // namespace hedgerow::posterior_tree
