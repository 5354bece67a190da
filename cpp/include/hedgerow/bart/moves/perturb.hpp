// SPDX-License-Identifier: BSD-3-Clause
// Perturb: an inner node keeps its feature and moves its cut by a few bins (Pratola 2016, section 3.1). Above two
// leaves, only the child that loses rows is looked at until the move is accepted.
#pragma once

#include "hedgerow/bart/moves/redeal.hpp"

namespace hedgerow::bart {

/// The same rule with another cut, as likely there as back; none if it leaves the grid.
inline std::optional<Rule> perturbed(const Target& target, Rule rule, random::Stream& stream) {
  const std::size_t n_cuts = target.data.cuts[rule.feature].size();
  const std::size_t step = 1 + random::draw_below(std::max<std::size_t>(1, n_cuts / 20), stream);
  const bool up = stream.uniform() < 0.5;
  if (up ? rule.cut + step >= n_cuts : rule.cut < step) return std::nullopt;
  return Rule{rule.feature, static_cast<Bin>(up ? rule.cut + step : rule.cut - step)};
}

/// Above two leaves.
inline bool perturb_above_leaves(const Target& target, Tree& tree, NodeId id, const Rule& rule,
                                 random::Stream& stream) {
  Node& node = tree.nodes[id];
  const bool up = rule.cut > node.rule.cut;
  Node &loser = tree.nodes[up ? id + 2 : id + 1], &winner = tree.nodes[up ? id + 1 : id + 2];
  divide(target, rule, {tree.rows.data() + loser.begin, loser.n_rows()});
  const auto& moved = up ? target.left_rows : target.right_rows;
  const auto& kept = up ? target.right_rows : target.left_rows;
  if (kept.empty()) return false;
  Node less = loser, more = winner;
  const Heard passed = target.hear(moved);
  less.heard -= passed;
  more.heard += passed;
  less.splittable = loser.splittable && target.is_splittable(kept);
  if (!more.splittable && !moved.empty()) {
    std::vector<RowId> joined(tree.rows.begin() + winner.begin, tree.rows.begin() + winner.end);
    joined.insert(joined.end(), moved.begin(), moved.end());
    more.splittable = target.is_splittable(joined);
  }
  const auto log_target = [&](const Node& leaf) { return target.log_leaf_prior(leaf) + target.evidence(leaf.heard); };
  const auto cut_weight = [&](const Rule& at) {
    return target.cut_weight(at.feature, at.cut, at.cut + std::size_t{1});
  };
  const double log_cuts = std::log(cut_weight(rule) / cut_weight(node.rule));
  const double log_ratio = log_cuts + log_target(less) + log_target(more) - log_target(loser) - log_target(winner);
  if (!is_accepted(log_ratio, stream)) return false;

  const auto middle = std::ranges::copy(target.left_rows, tree.rows.begin() + loser.begin).out;
  std::ranges::copy(target.right_rows, middle);
  const auto border = static_cast<std::uint32_t>(middle - tree.rows.begin());
  (up ? less.begin : less.end) = (up ? more.end : more.begin) = border;
  loser = less;
  winner = more;
  node.rule = rule;
  node.log_rule = Node::unknown;
  return true;
}

inline bool perturb(const Target& target, Tree& tree, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  const auto rule = perturbed(target, tree.nodes[*id].rule, stream);
  if (!rule) return false;
  if (tree.nodes[*id].has_two_leaves()) return perturb_above_leaves(target, tree, *id, *rule, stream);
  Tree changed = tree.copy_of(*id);
  changed.nodes[0].rule = *rule;
  return redeal(target, tree, *id, std::move(changed), stream,
                [&](const Tree& now, auto before) { return log_joint(target, now.nodes) - log_joint(target, before); });
}

}  // namespace hedgerow::bart
