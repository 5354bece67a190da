// SPDX-License-Identifier: BSD-3-Clause
// Noise that varies: the variance at a point is that of all rows times the product of what some trees say there
// (Pratola, Chipman, George and McCulloch 2020). Values of leaves are logarithms of factors, so that trees add up as
// those of the mean do, and what they leave of zero is the logarithm of a precision.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "hedgerow/bart/sum_of_trees.hpp"
#include "hedgerow/parallel/may_stop.hpp"
#include "hedgerow/posterior_tree/leaves/variance_factors.hpp"

namespace hedgerow::bart {

struct VaryingNoise {
  std::size_t n_trees = 0;  ///< none if noise is constant
  posterior_tree::FactorPrior factor;
  double floor_variance = 0.0;  ///< squared residuals count as that much larger: the noise of no row vanishes
};

class NoiseTrees : public Ensemble {
 public:
  static constexpr double unit = 0x1p-40;  ///< of logarithms

  NoiseTrees(const Problem& problem, const VaryingNoise& noise)
      : Ensemble(problem, noise.n_trees, std::vector<Fixed>(problem.data.n_rows, 0)),
        floor_variance_(noise.floor_variance),
        evidence_(noise.factor, unit, problem.weights.empty() ? 1.0 : problem.units.weight,
                  problem.weights.empty() ? problem.data.n_rows : 0),
        squares_(problem.data.n_rows),
        shares_(problem.data.n_rows),
        fixed_shares_(problem.data.n_rows) {
    for (const double weight : problem.weights) {
      weights_.push_back(static_cast<Fixed>(std::max(1.0, std::round(weight / problem.units.weight))));
    }
    find_splittable(target());
  }

  /// What the variance of a row is divided by.
  [[nodiscard]] double precision(std::size_t row) const {
    return std::exp(static_cast<double>(residuals_[row]) * unit);
  }

  /// Squares of what the trees of the mean leave, each as often as its weight says, in units of the factors.
  [[nodiscard]] double sum_of_squares(const SumOfTrees& sum) const {
    double total = 0.0;
    for (std::size_t i = 0; i < residuals_.size(); ++i) total += square(sum, i) * precision(i);
    return total;
  }

  /// One round over all trees, given those of the mean and the variance that all rows share.
  void sweep(const SumOfTrees& sum, double variance, const RoundKey& key) {
    for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = square(sum, i) / variance;
    for (std::size_t m = 0; m < trees_.size(); ++m) {
      parallel::may_stop();
      random::Stream stream = key.stream(random::Purpose::tree_of_noise, m);
      forget(trees_[m]);
      find_statistics(trees_[m]);
      move(trees_[m], stream);
      put_back(evidence_, trees_[m], stream);
    }
  }

  void start_from_prior(const RoundKey& key) {
    Ensemble::start_from_prior(target(), key, random::Purpose::tree_of_noise);
  }
  bool restore(std::vector<Tree> trees) { return Ensemble::restore(target(), std::move(trees)); }

 private:
  [[nodiscard]] Target target() {
    return {problem_->data, prior_, {residuals_, fixed_shares_, weights_, evidence_}, left_, right_};
  }

  [[nodiscard]] double square(const SumOfTrees& sum, std::size_t row) const {
    const double residual = sum.residual(row);
    return (problem_->weights.empty() ? 1.0 : problem_->weights[row]) * (residual * residual + floor_variance_);
  }

  /// Squares next to the variance that the other trees leave a row, as whole numbers: of a unit so small that their sum
  /// just fits. It is the same whatever the order of rows in leaves.
  void find_statistics(Tree& tree) {
    double total = 0.0;
    for (std::size_t i = 0; i < squares_.size(); ++i) total += shares_[i] = squares_[i] * precision(i);
    const double square_unit = std::exp2(std::ceil(std::log2(std::max(total, 0x1p-900))) - 61.0);
    for (std::size_t i = 0; i < squares_.size(); ++i) {
      fixed_shares_[i] = static_cast<Fixed>(std::llround(shares_[i] / square_unit));
    }
    evidence_.set_square_unit(square_unit);
    for (NodeId id = 0; id < tree.nodes.size(); ++id) {
      if (tree.nodes[id].is_leaf()) tree.nodes[id].statistic = target().leaves.statistic(tree.rows_of(id));
    }
  }

  /// Always these: trees are small, and the noise asks for no more.
  void move(Tree& tree, random::Stream& stream) {
    const Target target = this->target();
    posterior_tree::grow_or_prune(target, tree, posterior_tree::GrowChance::certain_if_alone, stream);
    posterior_tree::perturb(target, tree, stream);
    posterior_tree::grow_or_prune(target, tree, posterior_tree::GrowChance::certain_if_alone, stream);
    posterior_tree::change(target, tree, stream);
  }

  double floor_variance_;
  posterior_tree::VarianceFactors evidence_;
  std::vector<double> squares_,
      shares_;  ///< of rows: over the variance that all share, and over that which others leave
  std::vector<Fixed> fixed_shares_, weights_;
};

}  // namespace hedgerow::bart
