// SPDX-License-Identifier: BSD-3-Clause
// The distribution that one tree is drawn from while all others stand still: prior (document 004, equations 4.3 and
// 4.4) times how likely the residuals are that the others leave (equation 4.9). A node is split, if its rows can be
// divided at all, with the probability of its depth; then each feature that varies among its rows is as likely as
// the others, and each cut within their range as its weight says.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "hedgerow/bart/leaf_evidence.hpp"
#include "hedgerow/bart/prior_table.hpp"
#include "hedgerow/bart/tree.hpp"

namespace hedgerow::bart {

/// Lowest and highest bin of a feature among some rows; cuts from the lowest to below the highest divide them.
struct BinRange {
  Bin lowest, highest;
};

struct Target {
  const BinnedRows& data;
  std::span<const Fixed> labels;     ///< residuals that all other trees leave
  std::span<const Fixed> residuals;  ///< the same times the row's weight
  std::span<const Fixed> weights;    ///< empty if all are one
  const PriorTable& prior;
  const Evidence& evidence;
  std::vector<RowId>& left_rows;  ///< room for rows on their way, used again and again
  std::vector<RowId>& right_rows;

  [[nodiscard]] Fixed weight(RowId row) const { return weights.empty() ? 1 : weights[row]; }

  [[nodiscard]] Heard hear(std::span<const RowId> rows) const {
    Heard heard;
    for (const RowId row : rows) heard.sum += residuals[row];
    if (weights.empty()) {
      heard.weight = static_cast<Fixed>(rows.size());
    } else {
      for (const RowId row : rows) heard.weight += weights[row];
    }
    return heard;
  }

  [[nodiscard]] BinRange range(std::uint32_t feature, std::span<const RowId> rows) const {
    const Bin* column = data.column(feature);
    Bin lowest = column[rows[0]], highest = lowest;
    for (const RowId row : rows) {
      lowest = std::min(lowest, column[row]);
      highest = std::max(highest, column[row]);
    }
    return {lowest, highest};
  }

  [[nodiscard]] bool varies(std::uint32_t feature, std::span<const RowId> rows) const {
    const Bin* column = data.column(feature);
    const Bin first = column[rows[0]];
    return std::ranges::any_of(rows, [&](RowId row) { return column[row] != first; });
  }

  /// Row by row, because the second one usually says yes at once.
  [[nodiscard]] bool is_splittable(std::span<const RowId> rows) const {
    for (const RowId row : rows.subspan(1)) {
      for (std::uint32_t d = 0; d < data.n_features; ++d) {
        if (data.column(d)[row] != data.column(d)[rows[0]]) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::size_t n_varying(std::span<const RowId> rows) const {
    std::size_t n = 0;
    for (std::uint32_t d = 0; d < data.n_features; ++d) n += static_cast<std::size_t>(varies(d, rows));
    return n;
  }

  /// Prior weight of the cuts from one bin up to another.
  [[nodiscard]] double cut_weight(std::uint32_t feature, std::size_t lowest, std::size_t highest) const {
    const auto& before = data.weight_before[feature];
    return before[highest] - before[lowest];
  }

  /// Prior probability of a cut, given its feature, among rows that it divides; as a logarithm.
  [[nodiscard]] double log_cut(const Rule& rule, std::span<const RowId> rows) const {
    const BinRange bins = range(rule.feature, rows);
    return std::log(cut_weight(rule.feature, rule.cut, rule.cut + std::size_t{1}) /
                    cut_weight(rule.feature, bins.lowest, bins.highest));
  }

  /// Prior probability of a rule among rows that it divides, as a logarithm.
  [[nodiscard]] double log_rule(const Rule& rule, std::span<const RowId> rows) const {
    return log_cut(rule, rows) - std::log(static_cast<double>(n_varying(rows)));
  }

  /// A feature that varies, each as likely: drawn until one does, or, after a few tries, from a list.
  [[nodiscard]] std::uint32_t draw_feature(std::span<const RowId> rows, random::Stream& stream) const {
    constexpr int most_tries = 8;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      const auto feature = static_cast<std::uint32_t>(random::draw_below(data.n_features, stream));
      if (varies(feature, rows)) return feature;
    }
    std::vector<std::uint32_t> varying;
    for (std::uint32_t d = 0; d < data.n_features; ++d) {
      if (varies(d, rows)) varying.push_back(d);
    }
    return varying[random::draw_below(varying.size(), stream)];
  }

  /// A cut from one bin up to another, as likely as its weight says.
  [[nodiscard]] Bin draw_cut(std::uint32_t feature, BinRange bins, random::Stream& stream) const {
    const auto& before = data.weight_before[feature];
    const double point = before[bins.lowest] + stream.uniform() * cut_weight(feature, bins.lowest, bins.highest);
    const auto first = before.begin() + bins.lowest + 1, last = before.begin() + bins.highest;
    return static_cast<Bin>(std::upper_bound(first, last, point) - before.begin() - 1);
  }
  [[nodiscard]] Bin draw_cut(std::uint32_t feature, std::span<const RowId> rows, random::Stream& stream) const {
    return draw_cut(feature, range(feature, rows), stream);
  }

  /// From the prior; the rows can be divided.
  [[nodiscard]] Rule draw_rule(std::span<const RowId> rows, random::Stream& stream) const {
    const std::uint32_t feature = draw_feature(rows, stream);
    return {feature, draw_cut(feature, rows, stream)};
  }

  [[nodiscard]] double log_leaf_prior(const Node& node) const {
    return node.splittable ? prior.log_stop(node.depth) : 0.0;
  }
};

/// Prior of a subtree whose rules are all known, and likelihood of the residuals in it.
inline double log_prior(const Target& target, std::span<const Node> nodes) {
  double total = 0.0;
  for (const Node& node : nodes) {
    total += node.is_leaf() ? target.log_leaf_prior(node) : target.prior.log_split(node.depth) + node.log_rule;
  }
  return total;
}

inline double log_evidence(const Target& target, std::span<const Node> nodes) {
  double total = 0.0;
  for (const Node& node : nodes) {
    if (node.is_leaf()) total += target.evidence(node.heard);
  }
  return total;
}

/// Finds the prior probabilities of rules in a subtree that are still unknown: most are never asked for.
inline void know_rules(const Target& target, Tree& tree, NodeId id) {
  for (NodeId i = id; i < id + tree.nodes[id].size; ++i) {
    Node& node = tree.nodes[i];
    if (!node.is_leaf() && std::isnan(node.log_rule)) node.log_rule = target.log_rule(node.rule, tree.rows_of(i));
  }
}

}  // namespace hedgerow::bart
