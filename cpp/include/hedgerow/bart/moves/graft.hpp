// SPDX-License-Identifier: BSD-3-Clause
// Graft: a rule from the prior comes above a node, and what was below it goes on on one side of the rule. The other
// side gets a subtree drawn from the prior, or one alike: with the same features and cuts drawn anew, where a feature
// no longer varies without its rule. Take out, a graft backwards: a node and one side of it give way to the other side.
// With a single leaf on the other side these are grow and prune. As there, what is drawn from the prior cancels, so
// that a rule high up, below which both sides say the same in their own ways, goes as easily as one above two leaves.
#pragma once

#include "hedgerow/bart/moves/redeal.hpp"
#include "hedgerow/bart/prior_draw.hpp"

namespace hedgerow::bart {

/// How the other side of a grafted rule is drawn.
enum class OtherSide { from_prior, alike };

/// The node of a pattern that speaks for some rows: rules along which these rows do not vary are passed.
inline NodeId pass_idle_rules(const Target& target, const Tree& pattern, NodeId id, std::span<const RowId> rows) {
  while (!pattern.nodes[id].is_leaf() && !target.varies(pattern.nodes[id].rule.feature, rows)) {
    const Rule& rule = pattern.nodes[id].rule;
    id = target.data.column(rule.feature)[rows[0]] <= rule.cut ? pattern.left(id) : pattern.right(id);
  }
  return id;
}

/// Appends, for the rows from `begin` to `end` of a tree, a subtree with the features of a pattern and cuts from the
/// prior; returns the logarithm of their probability.
inline double draw_like(const Target& target, const Tree& pattern, NodeId id, Tree& tree, std::size_t begin,
                        std::size_t end, random::Stream& stream) {
  const std::span<const RowId> rows(tree.rows.data() + begin, end - begin);
  const std::size_t place = tree.nodes.size();
  tree.nodes.emplace_back();
  id = pass_idle_rules(target, pattern, id, rows);
  double log_drawn = 0.0;
  if (!pattern.nodes[id].is_leaf()) {
    const std::uint32_t feature = pattern.nodes[id].rule.feature;
    const Rule rule{feature, target.draw_cut(feature, rows, stream)};
    tree.nodes[place].rule = rule;
    log_drawn = target.log_cut(rule, rows);
    divide(target, rule, rows);
    const std::size_t middle = begin + target.left_rows.size();
    std::ranges::copy(target.left_rows, tree.rows.begin() + static_cast<std::ptrdiff_t>(begin));
    std::ranges::copy(target.right_rows, tree.rows.begin() + static_cast<std::ptrdiff_t>(middle));
    log_drawn += draw_like(target, pattern, pattern.left(id), tree, begin, middle, stream);
    log_drawn += draw_like(target, pattern, pattern.right(id), tree, middle, end, stream);
  }
  tree.nodes[place].size = static_cast<std::uint32_t>(tree.nodes.size() - place);
  return log_drawn;
}

/// How likely `draw_like` is to draw a subtree that is there, as a logarithm; none if it never would.
inline std::optional<double> log_drawn_like(const Target& target, const Tree& tree, NodeId pattern, NodeId drawn) {
  const auto rows = tree.rows_of(drawn);
  pattern = pass_idle_rules(target, tree, pattern, rows);
  const Node &told = tree.nodes[pattern], &found = tree.nodes[drawn];
  if (told.is_leaf() || found.is_leaf()) return told.is_leaf() && found.is_leaf() ? std::optional(0.0) : std::nullopt;
  if (told.rule.feature != found.rule.feature) return std::nullopt;
  const auto left = log_drawn_like(target, tree, tree.left(pattern), tree.left(drawn));
  if (!left) return std::nullopt;
  const auto right = log_drawn_like(target, tree, tree.right(pattern), tree.right(drawn));
  if (!right) return std::nullopt;
  return target.log_cut(found.rule, rows) + *left + *right;
}

/// The other side, for rows that are its own, and how likely it was to be drawn.
inline double draw_other_side(const Target& target, OtherSide how, const Tree& tree, NodeId id, Tree& other,
                              random::Stream& stream) {
  if (how == OtherSide::alike) return draw_like(target, tree, id, other, 0, other.rows.size(), stream);
  Node& root = other.nodes.emplace_back();
  root.end = static_cast<std::uint32_t>(other.rows.size());
  root.depth = tree.nodes[id].depth + 1;
  grow_from_prior(target, other, 0, stream);
  return log_prior(target, other.nodes);
}

/// How likely a side that is there was to be drawn; none if it never would.
inline std::optional<double> log_other_side(const Target& target, OtherSide how, Tree& tree, NodeId kept,
                                            NodeId other) {
  if (how == OtherSide::alike) return log_drawn_like(target, tree, kept, other);
  know_rules(target, tree, other);
  return log_prior(target, tree.subtree(other));
}

inline bool is_splittable(const Node& node) { return node.splittable; }

/// Logarithm of how many nodes a graft could choose from, or a rule be taken out of, with a subtree in another's place.
inline double log_splittable(const Tree& tree, std::span<const Node> before, std::span<const Node> now) {
  const auto count = [](std::span<const Node> nodes) { return std::ranges::count_if(nodes, is_splittable); };
  return std::log(static_cast<double>(count(tree.nodes) - count(before) + count(now)));
}
inline double log_inner(const Tree& tree, std::span<const Node> before, std::span<const Node> now) {
  return std::log(static_cast<double>((tree.nodes.size() - before.size() + now.size()) / 2));
}

inline bool graft(const Target& target, Tree& tree, OtherSide how, random::Stream& stream) {
  const std::size_t n_splittable = tree.count(is_splittable);
  if (n_splittable == 0) return false;
  const NodeId id = tree.find(random::draw_below(n_splittable, stream), is_splittable);
  const auto rows = tree.rows_of(id);
  const Rule rule = target.draw_rule(rows, stream);
  const bool keeps_left = stream.uniform() < 0.5;
  divide(target, rule, rows);
  Tree other;
  other.rows = keeps_left ? target.right_rows : target.left_rows;
  const double log_drawn = draw_other_side(target, how, tree, id, other, stream);

  Tree grafted;
  const auto append = [&](std::span<const Node> nodes) {
    grafted.nodes.insert(grafted.nodes.end(), nodes.begin(), nodes.end());
  };
  grafted.nodes.push_back(tree.nodes[id]);
  append(keeps_left ? tree.subtree(id) : other.nodes);
  append(keeps_left ? other.nodes : tree.subtree(id));
  grafted.rows.assign(rows.begin(), rows.end());
  Node& top = grafted.nodes[0];
  top.size = static_cast<std::uint32_t>(grafted.nodes.size());
  top.begin = 0;
  top.end = static_cast<std::uint32_t>(rows.size());
  top.rule = rule;
  return redeal(target, tree, id, std::move(grafted), stream, [&](const Tree& now, auto before) {
    const double log_there = now.nodes[0].log_rule + log_drawn - log_splittable(tree, before, before);
    const double log_back = -log_inner(tree, before, now.nodes);
    return log_joint(target, now.nodes) - log_joint(target, before) + log_back - log_there;
  });
}

inline bool take_out(const Target& target, Tree& tree, OtherSide how, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  const bool keeps_left = stream.uniform() < 0.5;
  const NodeId kept = keeps_left ? tree.left(*id) : tree.right(*id);
  const NodeId lost = keeps_left ? tree.right(*id) : tree.left(*id);
  const auto log_drawn = log_other_side(target, how, tree, kept, lost);
  if (!log_drawn) return false;
  Tree left;
  left.nodes.assign(tree.subtree(kept).begin(), tree.subtree(kept).end());
  left.rows.assign(tree.rows_of(*id).begin(), tree.rows_of(*id).end());
  left.nodes[0].begin = 0;
  left.nodes[0].end = tree.nodes[*id].n_rows();
  left.nodes[0].depth = tree.nodes[*id].depth;
  return redeal(target, tree, *id, std::move(left), stream, [&](const Tree& now, auto before) {
    const double log_there = -log_inner(tree, before, before);
    const double log_back = before[0].log_rule + *log_drawn - log_splittable(tree, before, now.nodes);
    return log_joint(target, now.nodes) - log_joint(target, before) + log_back - log_there;
  });
}

inline bool graft_or_take_out(const Target& target, Tree& tree, OtherSide how, random::Stream& stream) {
  return stream.uniform() < 0.5 ? graft(target, tree, how, stream) : take_out(target, tree, how, stream);
}

}  // namespace hedgerow::bart
