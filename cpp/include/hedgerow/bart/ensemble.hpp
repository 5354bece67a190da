// SPDX-License-Identifier: BSD-3-Clause
// Trees whose values add up, and what they leave of what they should add up to. Whole numbers: nothing drifts, however
// often a tree is taken out and put back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hedgerow/bart/plan.hpp"
#include "hedgerow/bart/tree.hpp"
#include "hedgerow/posterior_tree/prior_draw.hpp"

namespace hedgerow::bart {

/// Rows and what is known of them before any tree: shared by all chains.
struct Problem {
  BinnedRows data;
  std::vector<double> weights;  ///< empty if all are one
  posterior_tree::TreePrior prior;
  double leaf_variance;
  Units units;
  std::size_t n_trees;
  Plan plan;
  std::size_t n_particles;
  bool weights_change = false;  ///< noise varies: weights of rows change in every round
};

/// Which round of which sum this is: the name of its random numbers.
struct RoundKey {
  std::uint64_t seed;
  std::uint32_t chain;
  std::uint32_t sum;
  std::uint64_t round;  ///< below 2^36

  [[nodiscard]] random::Stream stream(random::Purpose purpose, std::uint64_t tree) const {
    return {seed, purpose, (chain << 12) | sum, (round << 20) | tree};
  }
};

class Ensemble {
 public:
  static constexpr std::size_t most_trees = 1 << 20, most_sums = 1 << 12;

  [[nodiscard]] const std::vector<Tree>& trees() const { return trees_; }
  [[nodiscard]] std::span<const Fixed> residuals() const { return residuals_; }

  /// The rule at the root of each tree; none for a single leaf.
  [[nodiscard]] std::vector<std::optional<Rule>> roots() const {
    std::vector<std::optional<Rule>> found;
    for (const Tree& tree : trees_) {
      const Node& root = tree.nodes[0];
      found.push_back(root.is_leaf() ? std::nullopt : std::optional(root.rule));
    }
    return found;
  }

 protected:
  Ensemble(const Problem& problem, std::size_t n_trees, std::vector<Fixed> labels)
      : problem_(&problem), prior_(problem.prior), residuals_(std::move(labels)), trees_(n_trees, Tree(problem.data)) {}

  /// Of trees that are single leaves.
  void find_splittable(const Target& target) {
    const bool splittable = target.is_splittable(trees_[0].rows);
    for (Tree& tree : trees_) tree.nodes[0].splittable = splittable;
  }

  /// Puts draws from the prior in the place of all trees and values.
  void start_from_prior(const Target& target, const RoundKey& key, random::Purpose purpose) {
    for (std::size_t m = 0; m < trees_.size(); ++m) {
      random::Stream stream = key.stream(purpose, m);
      forget(trees_[m]);
      trees_[m] = posterior_tree::draw_from_prior(target, stream);
      for (Node& node : trees_[m].nodes) node.statistic = {};
      put_back(target.leaves.evidence, trees_[m], stream);
    }
  }

  /// Puts trees in the place of all there are, as a file has them: rules and values. False if they do not fit the rows.
  bool restore(const Target& target, std::vector<Tree> trees) {
    for (std::size_t m = 0; m < trees.size(); ++m) {
      forget(trees_[m]);
      trees_[m] = std::move(trees[m]);
      if (!posterior_tree::assign_rows(target, trees_[m], 0)) return false;
      for (const Node& node : trees_[m].nodes) {
        if (node.is_leaf()) add(trees_[m], node, -node.value);
      }
    }
    return true;
  }

  void add(const Tree& tree, const Node& leaf, Fixed value) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) residuals_[tree.rows[i]] += value;
  }

  /// Takes a tree out.
  void forget(const Tree& tree) {
    for (const Node& node : tree.nodes) {
      if (node.is_leaf()) add(tree, node, node.value);
    }
  }

  /// Draws values, and puts a tree back.
  void put_back(const Evidence& evidence, Tree& tree, random::Stream& stream) {
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) continue;
      node.value = evidence.draw_value(node.statistic, stream);
      add(tree, node, -node.value);
    }
  }

  const Problem* problem_;
  posterior_tree::PriorTable prior_;
  std::vector<Fixed> residuals_;
  std::vector<Tree> trees_;
  std::vector<RowId> left_, right_;
};

}  // namespace hedgerow::bart
