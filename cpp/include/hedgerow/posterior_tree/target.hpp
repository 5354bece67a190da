// SPDX-License-Identifier: BSD-3-Clause
// The distribution that a tree is drawn from: prior times likelihood of the labels, or, in a sum, of the residuals that
// all other trees leave (Lakshminarayanan 2016, equations 4.3, 4.4 and 4.9). A node is split, if its rows can be
// divided at all, with the probability of its depth; then each feature that varies among its rows is as likely as the
// others, and each cut within their range as its share of it. Moves ask for nothing else.
#pragma once

#include <cmath>
#include <concepts>
#include <span>
#include <vector>

#include "hedgerow/posterior_tree/tree.hpp"
#include "hedgerow/posterior_tree/tree_prior.hpp"

namespace hedgerow::posterior_tree {

/// What a tree asks of its leaves: the statistic of some rows, of the rows that are left when some go to another leaf,
/// and of the rows of two leaves together; and how likely the labels are, as a logarithm.
template <class L>
concept Leaves = std::copyable<typename L::Statistic> && std::copyable<typename L::Value> &&
                 requires(const L leaves, const typename L::Statistic& statistic, std::span<const RowId> rows) {
                   { L::adds_up } -> std::convertible_to<bool>;  // do statistics add up, as numbers do?
                   { leaves.statistic(rows) } -> std::same_as<typename L::Statistic>;
                   { leaves.rest(statistic, statistic, rows) } -> std::same_as<typename L::Statistic>;
                   { leaves.joined(statistic, statistic, statistic, rows) } -> std::same_as<typename L::Statistic>;
                   { leaves.log_likelihood(statistic) } -> std::same_as<double>;
                 };

template <class C, Leaves L>
struct Target {
  using Code = C;
  using Rule = CutRule<Code>;
  using Range = CodeRange<Code>;
  using Tree = posterior_tree::Tree<Code, L>;
  using Node = posterior_tree::Node<Code, L>;
  using Statistic = typename L::Statistic;
  using Rows = std::span<const RowId>;

  const CodedRows<Code>& data;
  const PriorTable& prior;
  L leaves;
  std::vector<RowId>& left_rows;  ///< room for rows on their way, used again and again
  std::vector<RowId>& right_rows;

  [[nodiscard]] Range range(std::uint32_t feature, Rows rows) const { return range_of(data, feature, rows); }
  [[nodiscard]] bool varies(std::uint32_t feature, Rows rows) const {
    return posterior_tree::varies(data.column(feature), rows);
  }
  [[nodiscard]] bool is_splittable(Rows rows) const { return posterior_tree::is_splittable(data, rows); }

  /// Prior weight of the cuts from one code up to another.
  [[nodiscard]] double cut_weight(std::uint32_t feature, std::size_t lowest, std::size_t highest) const {
    return data.positions[feature][highest] - data.positions[feature][lowest];
  }

  /// Prior probability of a cut, given its feature, among rows that it divides; as a logarithm.
  [[nodiscard]] double log_cut(const Rule& rule, Rows rows) const {
    const Range at{rule.cut, static_cast<Code>(rule.cut + 1)};
    return std::log(share_of_range(data.positions[rule.feature], at, range(rule.feature, rows)));
  }

  /// Prior probability of a rule among rows that it divides, as a logarithm.
  [[nodiscard]] double log_rule(const Rule& rule, Rows rows) const {
    return log_cut(rule, rows) - std::log(static_cast<double>(n_varying(data, rows)));
  }

  [[nodiscard]] Code draw_cut(std::uint32_t feature, Range range, random::Stream& stream) const {
    return posterior_tree::draw_cut(data.positions[feature], range, stream);
  }
  [[nodiscard]] Code draw_cut(std::uint32_t feature, Rows rows, random::Stream& stream) const {
    return draw_cut(feature, range(feature, rows), stream);
  }

  /// From the prior; the rows can be divided.
  [[nodiscard]] Rule draw_rule(Rows rows, random::Stream& stream) const {
    const auto chosen = draw_varying_feature(data, rows, stream);
    return {chosen->feature, draw_cut(chosen->feature, chosen->range, stream)};
  }

  [[nodiscard]] double log_leaf_prior(const Node& node) const {
    return node.splittable ? prior.log_stop(node.depth) : 0.0;
  }
  [[nodiscard]] double log_likelihood(const Node& leaf) const { return leaves.log_likelihood(leaf.statistic); }
};

/// Prior of a subtree whose rules are all known, and likelihood of the labels in it.
template <class T>
double log_prior(const T& target, std::span<const typename T::Node> nodes) {
  double total = 0.0;
  for (const auto& node : nodes) {
    total += node.is_leaf() ? target.log_leaf_prior(node) : target.prior.log_split(node.depth) + node.log_rule;
  }
  return total;
}

template <class T>
double log_likelihood(const T& target, std::span<const typename T::Node> nodes) {
  double total = 0.0;
  for (const auto& node : nodes) {
    if (node.is_leaf()) total += target.log_likelihood(node);
  }
  return total;
}

template <class T>
double log_joint(const T& target, std::span<const typename T::Node> nodes) {
  return log_prior(target, nodes) + log_likelihood(target, nodes);
}

/// Finds the prior probabilities of rules in a subtree that are still unknown: most are never asked for.
template <class T>
void find_log_rules(const T& target, typename T::Tree& tree, NodeId id) {
  for (NodeId i = id; i < id + tree.nodes[id].size; ++i) {
    auto& node = tree.nodes[i];
    if (!node.is_leaf() && std::isnan(node.log_rule)) node.log_rule = target.log_rule(node.rule, tree.rows_of(i));
  }
}

}  // namespace hedgerow::posterior_tree
