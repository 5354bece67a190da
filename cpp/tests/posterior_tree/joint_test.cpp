// SPDX-License-Identifier: BSD-3-Clause
// Geweke's (2004) joint distribution test of the moves of a single tree: one step given labels, new labels given the
// tree, and so on, must keep to the joint distribution of trees and labels, of which direct draws are independent. A
// chain starts at a draw from the prior, so each of its steps is a draw from the joint distribution, and the mean over
// a chain is one observation: those of different chains are independent, whatever a chain's autocorrelation. The alarm
// is at 6.5 standard errors with 40 chains, below 2e-7 a comparison for Student's t with 39 degrees of freedom, and
// below 1e-4 for all comparisons of this file together if the seeds were drawn anew.
#include <array>
#include <functional>
#include <string>

#include "hedgerow/posterior_tree/moves/change_swap.hpp"
#include "hedgerow/posterior_tree/moves/exchange.hpp"
#include "hedgerow/posterior_tree/moves/graft.hpp"
#include "hedgerow/posterior_tree/moves/perturb.hpp"
#include "posterior_tree/sample_target.hpp"

namespace hedgerow::posterior_tree {
namespace {

constexpr std::size_t few_rows = 12;
constexpr RowId first_row = 2, other_row = 9;

/// The first rows of the sample, with labels to come.
RankedRows unlabelled() {
  const auto x = sample_points();
  return {Points{x.data(), few_rows, sample_width}, std::vector<double>(few_rows), {}, 1};
}

struct NumbersToCome : LabelStage<label::NormalInverseGamma> {
  static constexpr label::NormalInverseGamma::Prior leaf{0.5, 0.4, 6.0, 0.3};
  NumbersToCome() : LabelStage(unlabelled(), {leaf, few_rows}) {}

  /// Labels of a leaf, its mean and variance drawn first.
  void draw_labels(std::span<const RowId> rows, random::Stream& stream) {
    const double variance = 0.5 * leaf.df * leaf.scale / random::draw_gamma(0.5 * leaf.df, stream);
    const double mean = leaf.mean + std::sqrt(variance / leaf.mean_weight) * random::draw_normal(stream);
    for (const RowId row : rows) data.labels[row] = mean + std::sqrt(variance) * random::draw_normal(stream);
  }
};

struct ClassesToCome : LabelStage<label::DirichletMultinomial> {
  static constexpr std::size_t n_classes = 3;
  static constexpr double concentration = 2.0;
  ClassesToCome() : LabelStage(unlabelled(), {n_classes, concentration, few_rows}) {}

  /// Labels of a leaf by Polya's urn.
  void draw_labels(std::span<const RowId> rows, random::Stream& stream) {
    std::array<double, n_classes> urn;
    urn.fill(concentration / n_classes);
    double total = concentration;
    for (const RowId row : rows) {
      std::size_t k = 0;
      for (double rest = total * stream.uniform() - urn[0]; rest >= 0.0 && k + 1 < n_classes; rest -= urn[k]) ++k;
      data.labels[row] = static_cast<double>(k);
      urn[k] += 1.0;
      total += 1.0;
    }
  }
};

/// New labels given the tree; what its nodes knew of the old ones is forgotten.
template <class Stage, class AnyTree>
void redraw_labels(Stage& stage, AnyTree& tree, random::Stream& stream) {
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    if (tree.nodes[id].is_leaf()) stage.draw_labels(tree.rows_of(id), stream);
  }
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    tree.nodes[id].statistic = {};
    if (tree.nodes[id].is_leaf()) tree.nodes[id].statistic = stage.target.leaves.statistic(tree.rows_of(id));
  }
}

using Features = std::array<double, 7>;

/// Functions of a tree and labels, the logarithm of the labels' probability among them.
template <class Stage, class AnyTree>
Features features_of(const Stage& stage, const AnyTree& tree) {
  const double n_leaves = static_cast<double>(tree.n_leaves());
  const NodeId leaf = leaf_of(tree, stage.data, first_row);
  const bool together = leaf == leaf_of(tree, stage.data, other_row);
  double sum = 0.0, log_likelihood = 0.0;
  for (const RowId row : tree.rows_of(leaf)) sum += stage.data.labels[row];
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    if (tree.nodes[id].is_leaf()) log_likelihood += stage.slow_log_likelihood(tree.rows_of(id));
  }
  const double first = stage.data.labels[first_row], other = stage.data.labels[other_row];
  const double mean = sum / static_cast<double>(tree.rows_of(leaf).size());
  return {n_leaves,      n_leaves * n_leaves, together ? 1.0 : 0.0,
          first * other, first * mean,        tree.nodes[0].is_leaf() ? -1.0 : double(tree.nodes[0].rule.feature),
          log_likelihood};
}

/// Means of observations and of their squares.
struct Means {
  Features mean{}, square{};
  double n = 0.0;

  void add(const Features& observed) {
    n += 1.0;
    for (std::size_t f = 0; f < observed.size(); ++f) {
      mean[f] += (observed[f] - mean[f]) / n;
      square[f] += (observed[f] * observed[f] - square[f]) / n;
    }
  }
  [[nodiscard]] double squared_error(std::size_t f) const { return (square[f] - mean[f] * mean[f]) / (n - 1.0); }
};

template <class Stage>
Means direct_draws(Stage& stage) {
  Means means;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    random::Stream stream(31, random::Purpose::grow, 0, i);
    auto tree = draw_from_prior(stage.target, stream);
    redraw_labels(stage, tree, stream);
    means.add(features_of(stage, tree));
  }
  return means;
}

template <class Stage, class Step>
Means chains(Stage& stage, const Step& step, std::uint32_t name) {
  constexpr std::uint32_t n_chains = 40;
  constexpr std::uint64_t n_steps = 1'500;
  Means means;
  for (std::uint32_t chain = 0; chain < n_chains; ++chain) {
    random::Stream stream(32, random::Purpose::grow, chain, name);
    auto tree = draw_from_prior(stage.target, stream);
    Means of_chain;
    for (std::uint64_t i = 0; i < n_steps; ++i) {
      redraw_labels(stage, tree, stream);
      step(stage.target, tree, stream);
      of_chain.add(features_of(stage, tree));
    }
    means.add(of_chain.mean);
  }
  return means;
}

template <class Stage>
void check_joint_distribution() {
  Stage stage;
  const Means direct = direct_draws(stage);
  using T = decltype(stage.target);
  using Step = std::function<void(const T&, typename T::Tree&, random::Stream&)>;
  const std::vector<Step> steps{
      [](auto& t, auto& tree, auto& s) { grow_prune_change_or_swap(t, tree, s); },
      [](auto& t, auto& tree, auto& s) { grow_or_prune(t, tree, GrowChance::certain_if_alone, s); },
      [](auto& t, auto& tree, auto& s) { graft_or_take_out(t, tree, OtherSide::from_prior, s); },
      [](auto& t, auto& tree, auto& s) { graft_or_take_out(t, tree, OtherSide::alike, s); },
      [](auto& t, auto& tree, auto& s) {
        grow_or_prune(t, tree, GrowChance::even, s);
        perturb(t, tree, s);
        exchange(t, tree, s);
        change(t, tree, s);
        swap(t, tree, s);
      },
  };
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const Means found = chains(stage, steps[i], i);
    for (std::size_t f = 0; f < found.mean.size(); ++f) {
      const double error = std::sqrt(found.squared_error(f) + direct.squared_error(f));
      CHECK_NEAR(found.mean[f], direct.mean[f], 6.5 * error);
    }
  }
}

TEST(moves_of_trees_for_numbers_keep_to_the_joint_distribution) { check_joint_distribution<NumbersToCome>(); }

TEST(moves_of_trees_for_classes_keep_to_the_joint_distribution) { check_joint_distribution<ClassesToCome>(); }

}  // namespace
}  // namespace hedgerow::posterior_tree
