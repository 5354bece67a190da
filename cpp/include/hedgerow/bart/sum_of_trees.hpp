// SPDX-License-Identifier: BSD-3-Clause
// A sum of trees and what it leaves of the labels, swept tree by tree (document 004, Algorithm 4.1): a tree is taken
// out of the sum, makes its moves on the residuals, draws values for its leaves, and is put back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hedgerow/bart/moves/change_swap.hpp"
#include "hedgerow/bart/moves/exchange.hpp"
#include "hedgerow/bart/moves/graft.hpp"
#include "hedgerow/bart/moves/heat_bath.hpp"
#include "hedgerow/bart/moves/particle_gibbs.hpp"
#include "hedgerow/bart/moves/perturb.hpp"
#include "hedgerow/bart/plan.hpp"
#include "hedgerow/bart/prior_draw.hpp"

namespace hedgerow::bart {

/// Rows and what is known of them before any tree: shared by all chains.
struct Problem {
  BinnedRows data;
  std::vector<double> weights;  ///< empty if all are one
  bayesian_tree::TreePrior prior;
  double leaf_variance;
  Units units;
  std::size_t n_trees;
  Plan plan;
  std::size_t n_particles;
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

class SumOfTrees {
 public:
  static constexpr std::size_t most_trees = 1 << 20, most_sums = 1 << 12;

  SumOfTrees(const Problem& problem, std::vector<Fixed> labels)
      : problem_(&problem),
        prior_(problem.prior),
        evidence_(problem.leaf_variance, problem.units, problem.weights.empty() ? problem.data.n_rows : 0),
        residuals_(std::move(labels)),
        trees_(problem.n_trees, Tree(problem.data)) {
    for (const double weight : problem.weights) {
      weights_.push_back(static_cast<Fixed>(std::max(1.0, std::round(weight / problem.units.weight))));
    }
    weighted_.resize(weights_.size());
    const Target target = this->target();
    for (Tree& tree : trees_) tree.nodes[0].splittable = target.is_splittable(tree.rows);
    if (problem.plan.has_particles())
      particles_.emplace(problem.data, problem.weights, problem.prior, problem.n_particles);
  }
  SumOfTrees(SumOfTrees&&) = default;
  SumOfTrees& operator=(SumOfTrees&&) = default;

  [[nodiscard]] const std::vector<Tree>& trees() const { return trees_; }
  [[nodiscard]] std::span<const Fixed> residuals() const { return residuals_; }
  [[nodiscard]] double residual(std::size_t row) const {
    return static_cast<double>(residuals_[row]) * problem_->units.label;
  }
  void set_noise(double variance) { evidence_.set_noise(variance); }

  /// Labels change under the trees: by how much, in units.
  void shift(std::size_t row, Fixed change) { residuals_[row] += change; }

  /// One round over all trees.
  void sweep(const RoundKey& key) {
    for (std::size_t m = 0; m < trees_.size(); ++m) {
      random::Stream stream = key.stream(random::Purpose::tree_of_sum, m);
      take_out(trees_[m]);
      move(trees_[m], stream);
      put_back(trees_[m], stream);
    }
  }

  /// The rule at the root of each tree; none for a single leaf.
  [[nodiscard]] std::vector<std::optional<Rule>> roots() const {
    std::vector<std::optional<Rule>> found;
    for (const Tree& tree : trees_) {
      const Node& root = tree.nodes[0];
      found.push_back(root.is_leaf() ? std::nullopt : std::optional(root.rule));
    }
    return found;
  }

  /// Puts draws from the prior in the place of all trees and values.
  void start_from_prior(const RoundKey& key) {
    for (std::size_t m = 0; m < trees_.size(); ++m) {
      random::Stream stream = key.stream(random::Purpose::tree_of_sum, m);
      take_out(trees_[m]);
      trees_[m] = draw_from_prior(target(), stream);
      for (Node& node : trees_[m].nodes) {
        if (!node.is_leaf()) continue;
        node.value = evidence_.draw_value({}, stream);
        add(trees_[m], node, -node.value);
      }
    }
  }

  /// Puts trees in the place of all there are, as a file has them: rules and values. False if they do not fit the rows.
  bool restore(std::vector<Tree> trees) {
    for (std::size_t m = 0; m < trees.size(); ++m) {
      take_out(trees_[m]);
      trees_[m] = std::move(trees[m]);
      if (!deal(target(), trees_[m], 0)) return false;
      for (Node& node : trees_[m].nodes) {
        if (node.is_leaf()) add(trees_[m], node, -node.value);
      }
    }
    return true;
  }

 private:
  [[nodiscard]] Target target() {
    const bool plain = weights_.empty();
    return {problem_->data, residuals_, plain ? residuals_ : weighted_, weights_, prior_, evidence_, left_, right_};
  }

  void add(const Tree& tree, const Node& leaf, Fixed value) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) residuals_[tree.rows[i]] += value;
  }

  /// What the leaves hear is summed up in passing.
  void take_out(Tree& tree) {
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) continue;
      Fixed sum = 0;
      for (std::uint32_t i = node.begin; i < node.end; ++i) sum += residuals_[tree.rows[i]] += node.value;
      node.heard = {static_cast<Fixed>(node.n_rows()), sum};
      if (!weights_.empty()) hear_weighted(tree, node);
    }
  }

  void hear_weighted(const Tree& tree, Node& leaf) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
      const RowId row = tree.rows[i];
      const double weight = static_cast<double>(weights_[row]) * problem_->units.weight;
      weighted_[row] = static_cast<Fixed>(std::llround(weight * static_cast<double>(residuals_[row])));
    }
    leaf.heard = target().hear({tree.rows.data() + leaf.begin, leaf.n_rows()});
  }

  void move(Tree& tree, random::Stream& stream) {
    const Target target = this->target();
    for (const auto& [move, count] : problem_->plan.moves) {
      for (std::uint32_t i = 0; i < count; ++i) make(move, target, tree, stream);
    }
  }

  void make(Move move, const Target& target, Tree& tree, random::Stream& stream) {
    switch (move) {
      case Move::grow_prune:
        grow_or_prune(target, tree, GrowChance::certain_if_alone, stream);
        break;
      case Move::even_grow_prune:
        grow_or_prune(target, tree, GrowChance::even, stream);
        break;
      case Move::cgm:
        grow_prune_change_or_swap(target, tree, stream);
        break;
      case Move::perturb:
        perturb(target, tree, stream);
        break;
      case Move::change:
        change(target, tree, stream);
        break;
      case Move::swap:
        swap(target, tree, stream);
        break;
      case Move::heat_bath:
        heat_bath(target, tree, stream);
        break;
      case Move::exchange:
        exchange(target, tree, stream);
        break;
      case Move::graft:
        graft_or_take_out(target, tree, OtherSide::from_prior, stream);
        break;
      case Move::graft_alike:
        graft_or_take_out(target, tree, OtherSide::alike, stream);
        break;
      case Move::subtree_particles:
        particles_->draw_subtree(target, tree, stream);
        break;
      case Move::particles:
        particles_->draw_tree(target, tree, stream);
        break;
    }
  }

  void put_back(Tree& tree, random::Stream& stream) {
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) continue;
      node.value = evidence_.draw_value(node.heard, stream);
      add(tree, node, -node.value);
    }
  }

  const Problem* problem_;
  PriorTable prior_;
  LeafEvidence evidence_;
  std::vector<Fixed> residuals_, weights_, weighted_;
  std::vector<Tree> trees_;
  std::optional<ParticleGibbs> particles_;
  std::vector<RowId> left_, right_;
};

}  // namespace hedgerow::bart
