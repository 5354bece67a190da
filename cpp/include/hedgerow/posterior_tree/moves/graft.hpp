// SPDX-License-Identifier: BSD-3-Clause
// Graft: a rule from the prior comes above a node, and what was below it goes on on one side of the rule. The other
// side gets a subtree drawn from the prior, or one alike: with the same features and cuts drawn anew, where a feature
// no longer varies without its rule. Take out, a graft backwards: a node and one side of it give way to the other side.
// With a single leaf on the other side these are grow and prune. As there, what is drawn from the prior cancels, so
// that a rule high up, below which both sides say the same in their own ways, goes as easily as one above two leaves.
#pragma once

#include "hedgerow/posterior_tree/moves/propose_subtree.hpp"
#include "hedgerow/posterior_tree/prior_draw.hpp"

namespace hedgerow::posterior_tree {

/// How the other side of a grafted rule is drawn.
enum class OtherSide { from_prior, alike };

/// The node of a pattern that speaks for some rows: rules along which these rows do not vary are passed.
template <class T>
NodeId pass_idle_rules(const T& target, const typename T::Tree& pattern, NodeId id, std::span<const RowId> rows) {
  while (!pattern.nodes[id].is_leaf() && !target.varies(pattern.nodes[id].rule.feature, rows)) {
    const auto& rule = pattern.nodes[id].rule;
    id = target.data.column(rule.feature)[rows[0]] <= rule.cut ? pattern.left(id) : pattern.right(id);
  }
  return id;
}

/// Appends, for the rows from `begin` to `end` of a tree, a subtree with the features of a pattern and cuts from the
/// prior; returns the logarithm of their probability.
template <class T>
double draw_like(const T& target, const typename T::Tree& pattern, NodeId id, typename T::Tree& tree, std::size_t begin,
                 std::size_t end, random::Stream& stream) {
  const std::span<const RowId> rows(tree.rows.data() + begin, end - begin);
  const std::size_t place = tree.nodes.size();
  tree.nodes.emplace_back();
  id = pass_idle_rules(target, pattern, id, rows);
  double log_drawn = 0.0;
  if (!pattern.nodes[id].is_leaf()) {
    const std::uint32_t feature = pattern.nodes[id].rule.feature;
    const typename T::Rule rule{feature, target.draw_cut(feature, rows, stream)};
    tree.nodes[place].rule = rule;
    log_drawn = target.log_cut(rule, rows);
    divide(target, rule, rows);
    const std::size_t middle = place_sides(target, tree, begin);
    log_drawn += draw_like(target, pattern, pattern.left(id), tree, begin, middle, stream);
    log_drawn += draw_like(target, pattern, pattern.right(id), tree, middle, end, stream);
  }
  tree.nodes[place].size = static_cast<std::uint32_t>(tree.nodes.size() - place);
  return log_drawn;
}

/// How likely `draw_like` is to draw a subtree that is there, as a logarithm; none if it never would.
template <class T>
std::optional<double> log_drawn_like(const T& target, const typename T::Tree& tree, NodeId pattern, NodeId drawn) {
  const auto rows = tree.rows_of(drawn);
  pattern = pass_idle_rules(target, tree, pattern, rows);
  const auto &wanted = tree.nodes[pattern], &found = tree.nodes[drawn];
  if (wanted.is_leaf() || found.is_leaf())
    return wanted.is_leaf() && found.is_leaf() ? std::optional(0.0) : std::nullopt;
  if (wanted.rule.feature != found.rule.feature) return std::nullopt;
  const auto left = log_drawn_like(target, tree, tree.left(pattern), tree.left(drawn));
  if (!left) return std::nullopt;
  const auto right = log_drawn_like(target, tree, tree.right(pattern), tree.right(drawn));
  if (!right) return std::nullopt;
  return target.log_cut(found.rule, rows) + *left + *right;
}

/// The other side, for rows that are its own, and how likely it was to be drawn.
template <class T>
double draw_other_side(const T& target, OtherSide how, const typename T::Tree& tree, NodeId id, typename T::Tree& other,
                       random::Stream& stream) {
  if (how == OtherSide::alike) return draw_like(target, tree, id, other, 0, other.rows.size(), stream);
  auto& root = other.nodes.emplace_back();
  root.end = static_cast<std::uint32_t>(other.rows.size());
  root.depth = tree.nodes[id].depth + 1;
  grow_from_prior(target, other, 0, stream);
  return log_prior(target, other.nodes);
}

/// How likely a side that is there was to be drawn; none if it never would.
template <class T>
std::optional<double> log_other_side(const T& target, OtherSide how, typename T::Tree& tree, NodeId kept,
                                     NodeId other) {
  if (how == OtherSide::alike) return log_drawn_like(target, tree, kept, other);
  find_log_rules(target, tree, other);
  return log_prior(target, tree.subtree(other));
}

inline constexpr auto is_divisible = [](const auto& node) { return node.splittable; };

/// Logarithm of how many nodes a graft could choose from, or a rule be taken out of, with a subtree in another's place.
template <class AnyTree, class Nodes>
double log_divisible(const AnyTree& tree, Nodes before, Nodes now) {
  const auto count = [](const auto& nodes) { return std::ranges::count_if(nodes, is_divisible); };
  return std::log(static_cast<double>(count(tree.nodes) - count(before) + count(now)));
}
template <class AnyTree, class Nodes>
double log_inner(const AnyTree& tree, Nodes before, Nodes now) {
  return std::log(static_cast<double>((tree.nodes.size() - before.size() + now.size()) / 2));
}

template <class T>
bool graft(const T& target, typename T::Tree& tree, OtherSide how, random::Stream& stream) {
  const std::size_t n_divisible = tree.count(is_divisible);
  if (n_divisible == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_divisible, stream), is_divisible);
  const auto rows = tree.rows_of(id);
  const auto rule = target.draw_rule(rows, stream);
  const bool keeps_left = stream.uniform() < 0.5;
  divide(target, rule, rows);
  typename T::Tree other;
  other.rows = keeps_left ? target.right_rows : target.left_rows;
  const double log_drawn = draw_other_side(target, how, tree, id, other, stream);

  typename T::Tree grafted;
  const auto append = [&](std::span<const typename T::Node> nodes) {
    grafted.nodes.insert(grafted.nodes.end(), nodes.begin(), nodes.end());
  };
  grafted.nodes.push_back(tree.nodes[id]);
  append(keeps_left ? tree.subtree(id) : other.nodes);
  append(keeps_left ? other.nodes : tree.subtree(id));
  grafted.rows.assign(rows.begin(), rows.end());
  auto& top = grafted.nodes[0];
  top.size = static_cast<std::uint32_t>(grafted.nodes.size());
  top.begin = 0;
  top.end = static_cast<std::uint32_t>(rows.size());
  top.rule = rule;
  return propose_subtree(target, tree, id, std::move(grafted), stream, [&](auto now, auto before) {
    const double log_there = now[0].log_rule + log_drawn - log_divisible(tree, before, before);
    const double log_back = -log_inner(tree, before, now);
    return log_joint(target, now) - log_joint(target, before) + log_back - log_there;
  });
}

template <class T>
bool take_out(const T& target, typename T::Tree& tree, OtherSide how, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  const bool keeps_left = stream.uniform() < 0.5;
  const NodeId kept = keeps_left ? tree.left(*id) : tree.right(*id);
  const NodeId lost = keeps_left ? tree.right(*id) : tree.left(*id);
  const auto log_drawn = log_other_side(target, how, tree, kept, lost);
  if (!log_drawn) return false;
  typename T::Tree left;
  left.nodes.assign(tree.subtree(kept).begin(), tree.subtree(kept).end());
  left.rows.assign(tree.rows_of(*id).begin(), tree.rows_of(*id).end());
  left.nodes[0].begin = 0;
  left.nodes[0].end = tree.nodes[*id].n_rows();
  left.nodes[0].depth = tree.nodes[*id].depth;
  return propose_subtree(target, tree, *id, std::move(left), stream, [&](auto now, auto before) {
    const double log_there = -log_inner(tree, before, before);
    const double log_back = before[0].log_rule + *log_drawn - log_divisible(tree, before, now);
    return log_joint(target, now) - log_joint(target, before) + log_back - log_there;
  });
}

template <class T>
bool graft_or_take_out(const T& target, typename T::Tree& tree, OtherSide how, random::Stream& stream) {
  return stream.uniform() < 0.5 ? graft(target, tree, how, stream) : take_out(target, tree, how, stream);
}

}  // namespace hedgerow::posterior_tree
