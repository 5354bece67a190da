// SPDX-License-Identifier: BSD-3-Clause
// What moves have in common that give a subtree other rules: rows are assigned to its leaves in a copy, which takes the
// place of the subtree if it is accepted (Metropolis and Hastings).
#pragma once

#include <optional>
#include <utility>

#include "hedgerow/posterior_tree/moves/grow_prune.hpp"

namespace hedgerow::posterior_tree {

inline constexpr auto is_inner = [](const auto& node) { return !node.is_leaf(); };

/// An inner node, each as likely; none in a tree of one leaf.
template <class AnyTree>
std::optional<NodeId> draw_inner(const AnyTree& tree, random::Stream& stream) {
  const std::size_t n_inner = tree.nodes.size() / 2;
  if (n_inner == 0) return std::nullopt;
  return tree.find(random::draw_below(n_inner, stream), is_inner);
}

/// `log_ratio(new, old)` says by which ratio the changed subtree is accepted; all rules of both are known then.
template <class T, class LogRatio>
bool propose_subtree(const T& target, typename T::Tree& tree, NodeId id, typename T::Tree&& changed,
                     random::Stream& stream, LogRatio&& log_ratio) {
  if (!assign_rows(target, changed, 0)) return false;
  find_log_rules(target, tree, id);
  const std::span<const typename T::Node> now(changed.nodes), before = tree.subtree(id);
  if (!is_accepted(log_ratio(now, before), stream)) return false;
  tree.replace(id, changed);
  return true;
}

}  // namespace hedgerow::posterior_tree
