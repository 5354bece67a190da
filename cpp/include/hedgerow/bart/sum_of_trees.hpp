// SPDX-License-Identifier: BSD-3-Clause
// A sum of trees and what it leaves of the labels, swept tree by tree (Lakshminarayanan 2016, Algorithm 4.1): a tree is
// taken out of the sum, makes its moves on the residuals, draws values for its leaves, and is put back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hedgerow/bart/ensemble.hpp"
#include "hedgerow/bart/particle_gibbs.hpp"
#include "hedgerow/parallel/may_stop.hpp"
#include "hedgerow/posterior_tree/leaves/normal_values.hpp"
#include "hedgerow/posterior_tree/moves/change_swap.hpp"
#include "hedgerow/posterior_tree/moves/exchange.hpp"
#include "hedgerow/posterior_tree/moves/graft.hpp"
#include "hedgerow/posterior_tree/moves/heat_bath.hpp"
#include "hedgerow/posterior_tree/moves/perturb.hpp"

namespace hedgerow::bart {

class SumOfTrees : public Ensemble {
 public:
  SumOfTrees(const Problem& problem, std::vector<Fixed> labels)
      : Ensemble(problem, problem.n_trees, std::move(labels)),
        evidence_(problem.leaf_variance, problem.units,
                  problem.weights.empty() && !problem.weights_change ? problem.data.n_rows : 0) {
    if (problem.plan.has_particles())
      particles_.emplace(problem.data, problem.weights, problem.prior, problem.n_particles);
    if (problem.weights_change && problem.weights.empty()) {
      set_weights(std::vector<double>(problem.data.n_rows, 1.0));
    } else {
      set_weights(problem.weights);
    }
    find_splittable(target());
  }

  [[nodiscard]] double residual(std::size_t row) const {
    return static_cast<double>(residuals_[row]) * problem_->units.label;
  }
  void set_noise(double variance) { evidence_.set_noise(variance); }

  /// What rows weigh from now on: the noise of a row has the variance divided by its weight.
  void set_weights(std::span<const double> weights) {
    weights_.clear();
    for (const double weight : weights) {
      weights_.push_back(static_cast<Fixed>(std::max(1.0, std::round(weight / problem_->units.weight))));
    }
    weighted_.resize(weights_.size());
    if (particles_) particles_->set_weights(weights);
  }

  /// Labels change under the trees: by how much, in units.
  void shift(std::size_t row, Fixed change) { residuals_[row] += change; }

  /// One round over all trees.
  void sweep(const RoundKey& key) {
    for (std::size_t m = 0; m < trees_.size(); ++m) {
      parallel::may_stop();
      random::Stream stream = key.stream(random::Purpose::tree_of_sum, m);
      take_out(trees_[m]);
      move(trees_[m], stream);
      put_back(evidence_, trees_[m], stream);
    }
  }

  void start_from_prior(const RoundKey& key) {
    Ensemble::start_from_prior(target(), key, random::Purpose::tree_of_sum);
  }
  bool restore(std::vector<Tree> trees) { return Ensemble::restore(target(), std::move(trees)); }

 private:
  [[nodiscard]] Target target() {
    const bool plain = weights_.empty();
    return {problem_->data, prior_, {residuals_, plain ? residuals_ : weighted_, weights_, evidence_}, left_, right_};
  }

  /// Takes a tree out of the sum; the statistics of its leaves are summed up in passing.
  void take_out(Tree& tree) {
    Fixed* residuals = residuals_.data();
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) continue;
      Fixed sum = 0;
      const Fixed value = node.value;  // which no compiler would know to stay as it is
      for (const RowId row : std::span(tree.rows).subspan(node.begin, node.n_rows())) sum += residuals[row] += value;
      node.statistic = {static_cast<Fixed>(node.n_rows()), sum};
      if (!weights_.empty()) sum_weighted(tree, node);
    }
  }

  void sum_weighted(const Tree& tree, Node& leaf) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
      const RowId row = tree.rows[i];
      const double weight = static_cast<double>(weights_[row]) * problem_->units.weight;
      weighted_[row] = static_cast<Fixed>(std::llround(weight * static_cast<double>(residuals_[row])));
    }
    leaf.statistic = target().leaves.statistic({tree.rows.data() + leaf.begin, leaf.n_rows()});
  }

  void move(Tree& tree, random::Stream& stream) {
    const Target target = this->target();
    for (const auto& [move, count] : problem_->plan.moves) {
      for (std::uint32_t i = 0; i < count; ++i) make(move, target, tree, stream);
    }
  }

  void make(Move move, const Target& target, Tree& tree, random::Stream& stream) {
    using posterior_tree::GrowChance, posterior_tree::OtherSide;
    switch (move) {
      case Move::grow_prune:
        posterior_tree::grow_or_prune(target, tree, GrowChance::certain_if_alone, stream);
        break;
      case Move::even_grow_prune:
        posterior_tree::grow_or_prune(target, tree, GrowChance::even, stream);
        break;
      case Move::cgm:
        posterior_tree::grow_prune_change_or_swap(target, tree, stream);
        break;
      case Move::perturb:
        posterior_tree::perturb(target, tree, stream);
        break;
      case Move::change:
        posterior_tree::change(target, tree, stream);
        break;
      case Move::swap:
        posterior_tree::swap(target, tree, stream);
        break;
      case Move::heat_bath:
        posterior_tree::heat_bath(target, tree, stream);
        break;
      case Move::exchange:
        posterior_tree::exchange(target, tree, stream);
        break;
      case Move::graft:
        posterior_tree::graft_or_take_out(target, tree, OtherSide::from_prior, stream);
        break;
      case Move::graft_alike:
        posterior_tree::graft_or_take_out(target, tree, OtherSide::alike, stream);
        break;
      case Move::subtree_particles:
        particles_->draw_subtree(target, tree, stream);
        break;
      case Move::particles:
        particles_->draw_tree(target, tree, stream);
        break;
    }
  }

  posterior_tree::NormalValues evidence_;
  std::vector<Fixed> weights_, weighted_;
  std::optional<ParticleGibbs> particles_;
};

}  // namespace hedgerow::bart
