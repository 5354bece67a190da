// SPDX-License-Identifier: BSD-3-Clause
// Small problems with ties, equal rows and a constant column, for the tests of this room, and the slow way to say what
// a tree is: row by row, pair by pair, from the rules alone.
#pragma once

#include <algorithm>
#include <numeric>
#include <set>

#include "check.hpp"
#include "dense_gaussian.hpp"
#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"
#include "hedgerow/posterior_tree/leaves/labels.hpp"
#include "hedgerow/posterior_tree/leaves/normal_values.hpp"
#include "hedgerow/posterior_tree/prior_draw.hpp"

namespace hedgerow::posterior_tree {

constexpr std::size_t sample_rows = 40, sample_width = 4;
constexpr double noise_variance = 0.09, leaf_variance = 0.5;
constexpr Units sample_units{0x1p-40, 0x1p-30};
constexpr TreePrior sample_prior{0.95, 0.5};

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

/// A tree of a sum, with all that its moves look at.
struct SumStage {
  BinnedRows data = sample_data();
  std::vector<Fixed> labels, weighted, weights;
  Units units;
  PriorTable prior{sample_prior};
  NormalValues evidence;
  std::vector<RowId> left, right;
  SumTarget target;

  explicit SumStage(bool has_weights)
      : units{sample_units.label, has_weights ? sample_units.weight : 1.0},
        evidence(leaf_variance, units, has_weights ? 0 : sample_rows),
        target{
            data, prior, {fixed_labels(has_weights), has_weights ? weighted : labels, weights, evidence}, left, right} {
    evidence.set_noise(noise_variance);
  }
  SumStage(const SumStage&) = delete;
  SumStage& operator=(const SumStage&) = delete;

  [[nodiscard]] double slow_log_likelihood(std::span<const RowId> rows) const {
    std::vector<double> row_labels, row_weights;
    for (const RowId row : rows) {
      row_labels.push_back(static_cast<double>(labels[row]) * units.label);
      row_weights.push_back(static_cast<double>(target.leaves.weight(row)) * units.weight);
    }
    return slow_log_evidence(row_labels, row_weights, evidence.noise_variance());
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

/// A single tree, with all that its moves look at.
template <label::LeafModel M>
struct LabelStage {
  RankedRows data;
  M model;
  PriorTable prior{sample_prior};
  std::vector<RowId> left{}, right{};
  LabelTarget<M> target;

  LabelStage(RankedRows rows, M leaf_model)
      : data(std::move(rows)), model(std::move(leaf_model)), target{data, prior, {model, data}, left, right} {}
  LabelStage(const LabelStage&) = delete;
  LabelStage& operator=(const LabelStage&) = delete;

  /// Label by label, from the last row to the first: order matters to rounding alone.
  [[nodiscard]] double slow_log_likelihood(std::span<const RowId> rows) const {
    auto scan = model.scan();
    for (std::size_t i = rows.size(); i-- > 0;) scan.add(data.labels[rows[i]], data.weight(rows[i]));
    return scan.log_marginal();
  }
};

inline RankedRows sample_ranks(bool weighted, bool classes) {
  const auto x = sample_points();
  auto labels = sample_labels();
  for (double& label : labels) label = classes ? std::clamp(std::floor(2.0 * label), 0.0, 2.0) : label;
  return {Points{x.data(), sample_rows, sample_width}, std::move(labels), sample_weights(weighted), 1};
}

struct ClassStage : LabelStage<label::DirichletMultinomial> {
  explicit ClassStage(bool weighted) : LabelStage(sample_ranks(weighted, true), {3, 5.0, sample_rows}) {}
};
struct NumberStage : LabelStage<label::NormalInverseGamma> {
  explicit NumberStage(bool weighted)
      : LabelStage(sample_ranks(weighted, false), {{0.5, 0.2, 3.0, 0.1}, sample_rows}) {}
};

/// One leaf with all rows.
template <class Stage>
auto one_leaf(const Stage& stage) {
  typename decltype(stage.target)::Tree tree(stage.data);
  set_leaf(stage.target, tree.nodes[0], tree.rows);
  return tree;
}

/// Where rules send a row: the leaf.
template <class AnyTree, class Code>
NodeId leaf_of(const AnyTree& tree, const CodedRows<Code>& data, RowId row) {
  NodeId id = 0;
  while (!tree.nodes[id].is_leaf()) {
    const auto& rule = tree.nodes[id].rule;
    id = data.column(rule.feature)[row] <= rule.cut ? tree.left(id) : tree.right(id);
  }
  return id;
}

/// Different codes of a feature among some rows.
template <class Code>
std::set<Code> codes_of(const CodedRows<Code>& data, std::uint32_t feature, std::span<const RowId> rows) {
  std::set<Code> found;
  for (const RowId row : rows) found.insert(data.column(feature)[row]);
  return found;
}

/// Prior probability of a rule among some rows: each varying feature as likely, each cut as its weight says.
template <class Code>
double slow_log_rule(const CodedRows<Code>& data, const CutRule<Code>& rule, std::span<const RowId> rows) {
  double n_varying = 0.0;
  for (std::uint32_t d = 0; d < data.n_features; ++d) n_varying += codes_of(data, d, rows).size() > 1 ? 1.0 : 0.0;
  const auto codes = codes_of(data, rule.feature, rows);
  const auto& positions = data.positions[rule.feature];
  double whole = 0.0;
  for (std::size_t cut = *codes.begin(); cut < *codes.rbegin(); ++cut) whole += positions[cut + 1] - positions[cut];
  return std::log((positions[rule.cut + std::size_t{1}] - positions[rule.cut]) / (whole * n_varying));
}

}  // namespace hedgerow::posterior_tree
