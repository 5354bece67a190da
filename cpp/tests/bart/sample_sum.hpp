// SPDX-License-Identifier: BSD-3-Clause
// Small problems with ties, equal rows and a constant column, for the tests of this room, and the slow way to say what
// a tree is: row by row, pair by pair, from the rules alone.
#pragma once

#include <algorithm>
#include <set>

#include "check.hpp"
#include "dense_gaussian.hpp"
#include "hedgerow/bart/moves/redeal.hpp"
#include "hedgerow/bart/sum_of_trees.hpp"

namespace hedgerow::bart {

constexpr std::size_t sample_rows = 40, sample_width = 4;
constexpr double noise_variance = 0.09, leaf_variance = 0.5;
constexpr Units sample_units{0x1p-40, 0x1p-30};

/// Columns: few values, many values, constant, halves. Rows 0 and 1 are equal.
inline std::vector<double> sample_points(std::uint32_t name = 0) {
  random::Stream stream(5, random::Purpose::grow, name, 0);
  std::vector<double> x;
  for (std::size_t i = 0; i < sample_rows; ++i) {
    const double few = std::floor(4.0 * stream.uniform()), many = 10.0 * stream.uniform() - 5.0;
    x.insert(x.end(), {few, i % 7 == 0 ? -1.0 : many, 3.0, std::floor(2.0 * stream.uniform())});
  }
  std::copy_n(x.begin(), sample_width, x.begin() + sample_width);
  return x;
}

inline BinnedRows sample_data() {
  const auto x = sample_points();
  return {Points{x.data(), sample_rows, sample_width}, 1};
}

inline std::vector<double> sample_labels() {
  const auto x = sample_points();
  random::Stream stream(6, random::Purpose::grow, 0, 0);
  std::vector<double> labels;
  for (std::size_t i = 0; i < sample_rows; ++i) {
    const double* row = x.data() + i * sample_width;
    labels.push_back(0.3 * row[0] + (row[1] > 0.0 ? row[3] : 0.5) + 0.3 * random::draw_normal(stream));
  }
  return labels;
}

inline std::vector<double> sample_weights(bool weighted) {
  random::Stream stream(7, random::Purpose::grow, 0, 0);
  std::vector<double> weights;
  for (std::size_t i = 0; weighted && i < sample_rows; ++i) weights.push_back(0.25 + stream.uniform());
  return weights;
}

inline Problem sample_problem(Plan plan, std::size_t n_trees, bool weighted = false, bool varying = false) {
  const double weight_unit = weighted ? sample_units.weight : 1.0;
  return {sample_data(),
          sample_weights(weighted),
          {0.95, 0.5},
          leaf_variance,
          {sample_units.label, varying ? 0x1p-55 : weight_unit},
          n_trees,
          std::move(plan),
          4,
          varying};
}

/// A tree on its own, with all that its moves look at.
struct Stage {
  BinnedRows data = sample_data();
  std::vector<Fixed> labels, weighted, weights;
  Units units;
  PriorTable prior{{0.95, 0.5}};
  LeafEvidence evidence;
  std::vector<RowId> left, right;
  Target target;

  explicit Stage(bool has_weights)
      : units{sample_units.label, has_weights ? sample_units.weight : 1.0},
        evidence(leaf_variance, units, has_weights ? 0 : sample_rows),
        target{data, fixed_labels(has_weights), has_weights ? weighted : labels, weights, prior, evidence, left,
               right} {
    evidence.set_noise(noise_variance);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// One leaf with all rows.
  [[nodiscard]] Tree leaf() const {
    Tree tree(data);
    settle(target, tree.nodes[0], tree.rows);
    return tree;
  }

 private:
  /// Fills all three lists, and is the first of them.
  std::span<const Fixed> fixed_labels(bool has_weights) {
    const auto real_weights = sample_weights(has_weights), real_labels = sample_labels();
    for (std::size_t i = 0; i < sample_rows; ++i) {
      labels.push_back(static_cast<Fixed>(std::llround(real_labels[i] / units.label)));
      if (!has_weights) continue;
      weights.push_back(static_cast<Fixed>(std::llround(real_weights[i] / units.weight)));
      const double weight = static_cast<double>(weights[i]) * units.weight;
      weighted.push_back(static_cast<Fixed>(std::llround(weight * static_cast<double>(labels[i]))));
    }
    return labels;
  }
};

/// Where rules send a row: the leaf.
inline NodeId leaf_of(const Tree& tree, const BinnedRows& data, RowId row) {
  NodeId id = 0;
  while (!tree.nodes[id].is_leaf()) {
    const Rule& rule = tree.nodes[id].rule;
    id = data.column(rule.feature)[row] <= rule.cut ? tree.left(id) : tree.right(id);
  }
  return id;
}

/// Different bins of a feature among some rows.
inline std::set<Bin> bins_of(const BinnedRows& data, std::uint32_t feature, std::span<const RowId> rows) {
  std::set<Bin> found;
  for (const RowId row : rows) found.insert(data.column(feature)[row]);
  return found;
}

/// Prior probability of a rule among some rows: each varying feature as likely, each cut as its weight says.
inline double slow_log_rule(const BinnedRows& data, const Rule& rule, std::span<const RowId> rows) {
  double n_varying = 0.0;
  for (std::uint32_t d = 0; d < data.n_features; ++d) n_varying += bins_of(data, d, rows).size() > 1 ? 1.0 : 0.0;
  const auto bins = bins_of(data, rule.feature, rows);
  const auto& before = data.weight_before[rule.feature];
  double whole = 0.0;
  for (std::size_t cut = *bins.begin(); cut < *bins.rbegin(); ++cut) whole += before[cut + 1] - before[cut];
  return std::log((before[rule.cut + std::size_t{1}] - before[rule.cut]) / (whole * n_varying));
}

/// How likely labels are that share a normal value, by dense algebra; a weight divides a label's noise. Over how likely
/// they are if the value is zero.
inline double slow_log_evidence(std::span<const double> labels, std::span<const double> weights, double noise) {
  tests::DenseGaussian joint;
  const std::size_t value = joint.add_root(0.0, leaf_variance);
  double total = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    tests::DenseGaussian alone;
    const double own = noise / (weights.empty() ? 1.0 : weights[i]);
    total += joint.observe(value, labels[i], own) - alone.observe(alone.add_root(0.0, 0.0), labels[i], own);
  }
  return total;
}

inline double slow_log_evidence(const Stage& stage, std::span<const RowId> rows) {
  std::vector<double> labels, weights;
  for (const RowId row : rows) {
    labels.push_back(static_cast<double>(stage.labels[row]) * stage.units.label);
    weights.push_back(static_cast<double>(stage.target.weight(row)) * stage.units.weight);
  }
  return slow_log_evidence(labels, weights, noise_variance);
}

}  // namespace hedgerow::bart
