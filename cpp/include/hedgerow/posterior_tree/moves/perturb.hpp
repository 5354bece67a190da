// SPDX-License-Identifier: BSD-3-Clause
// Perturb: an inner node keeps its feature and moves its cut by a few bins (Pratola 2016, section 3.1). Above two
// leaves whose statistics add up, only the child that loses rows is looked at until the move is accepted.
#pragma once

#include "hedgerow/posterior_tree/moves/propose_subtree.hpp"

namespace hedgerow::posterior_tree {

/// The same rule with another cut, as likely there as back; none if it leaves the grid.
template <class T>
std::optional<typename T::Rule> perturbed(const T& target, typename T::Rule rule, random::Stream& stream) {
  const std::size_t n_cuts = target.data.n_cuts(rule.feature);
  const std::size_t step = 1 + random::draw_below(std::max<std::size_t>(1, n_cuts / 20), stream);
  const bool up = stream.uniform() < 0.5;
  if (up ? rule.cut + step >= n_cuts : rule.cut < step) return std::nullopt;
  return typename T::Rule{rule.feature, static_cast<typename T::Code>(up ? rule.cut + step : rule.cut - step)};
}

/// Above two leaves whose statistics add up.
template <class T>
bool perturb_above_leaves(const T& target, typename T::Tree& tree, NodeId id, const typename T::Rule& rule,
                          random::Stream& stream) {
  auto& node = tree.nodes[id];
  const bool up = rule.cut > node.rule.cut;
  auto &loser = tree.nodes[up ? id + 2 : id + 1], &winner = tree.nodes[up ? id + 1 : id + 2];
  divide(target, rule, {tree.rows.data() + loser.begin, loser.n_rows()});
  const auto& moved = up ? target.left_rows : target.right_rows;
  const auto& kept = up ? target.right_rows : target.left_rows;
  if (kept.empty()) return false;
  auto less = loser, more = winner;
  const auto passed = target.leaves.statistic(moved);
  less.statistic -= passed;
  more.statistic += passed;
  less.splittable = loser.splittable && target.is_splittable(kept);
  if (!more.splittable && !moved.empty()) {
    std::vector<RowId> joined(tree.rows.begin() + winner.begin, tree.rows.begin() + winner.end);
    joined.insert(joined.end(), moved.begin(), moved.end());
    more.splittable = target.is_splittable(joined);
  }
  const auto log_target = [&](const auto& leaf) { return target.log_leaf_prior(leaf) + target.log_likelihood(leaf); };
  const auto cut_weight = [&](const auto& at) {
    return target.cut_weight(at.feature, at.cut, at.cut + std::size_t{1});
  };
  const double log_cuts = std::log(cut_weight(rule) / cut_weight(node.rule));
  const double log_ratio = log_cuts + log_target(less) + log_target(more) - log_target(loser) - log_target(winner);
  if (!is_accepted(log_ratio, stream)) return false;

  const std::uint32_t border = place_sides(target, tree, loser.begin);
  (up ? less.begin : less.end) = (up ? more.end : more.begin) = border;
  loser = less;
  winner = more;
  node.rule = rule;
  node.log_rule = T::Node::unknown;
  return true;
}

template <class T>
bool perturb(const T& target, typename T::Tree& tree, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  const auto rule = perturbed(target, tree.nodes[*id].rule, stream);
  if (!rule) return false;
  if constexpr (decltype(target.leaves)::adds_up) {
    if (tree.nodes[*id].has_two_leaves()) return perturb_above_leaves(target, tree, *id, *rule, stream);
  }
  auto changed = tree.copy_of(*id);
  changed.nodes[0].rule = *rule;
  return propose_subtree(target, tree, *id, std::move(changed), stream,
                         [&](auto now, auto before) { return log_joint(target, now) - log_joint(target, before); });
}

}  // namespace hedgerow::posterior_tree
