// SPDX-License-Identifier: BSD-3-Clause
// What moves have in common that give a subtree other rules: the rows are dealt anew in a copy, which takes the place
// of the subtree if it is accepted.
#pragma once

#include <utility>

#include "hedgerow/bart/moves/grow_prune.hpp"

namespace hedgerow::bart {

inline bool is_inner(const Node& node) { return !node.is_leaf(); }

/// An inner node, each as likely; none in a tree of one leaf.
inline std::optional<NodeId> draw_inner(const Tree& tree, random::Stream& stream) {
  const std::size_t n_inner = tree.nodes.size() / 2;
  if (n_inner == 0) return std::nullopt;
  return tree.find(random::draw_below(n_inner, stream), is_inner);
}

/// Prior times likelihood.
inline double log_joint(const Target& target, std::span<const Node> nodes) {
  return log_prior(target, nodes) + log_evidence(target, nodes);
}

/// Deals the rows of a subtree with other rules. `log_ratio(new, old)` says by which ratio it is accepted; all rules
/// of both are known then.
template <class LogRatio>
bool redeal(const Target& target, Tree& tree, NodeId id, Tree&& changed, random::Stream& stream, LogRatio&& log_ratio) {
  if (!deal(target, changed, 0)) return false;
  know_rules(target, tree, id);
  if (!is_accepted(log_ratio(std::as_const(changed), tree.subtree(id)), stream)) return false;
  tree.replace(id, changed);
  return true;
}

}  // namespace hedgerow::bart
