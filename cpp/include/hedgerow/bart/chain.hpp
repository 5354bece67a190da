// SPDX-License-Identifier: BSD-3-Clause
// One Markov chain over sums of trees and all that is drawn with them (Lakshminarayanan 2016, Algorithm 4.1).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hedgerow/bart/response.hpp"

namespace hedgerow::bart {

/// Where a chain begins: all trees single leaves of value zero, or draws from the prior.
enum class Start : std::uint8_t { leaves, prior };

struct ChainKey {
  std::uint64_t seed;
  std::uint32_t chain;
};

/// What is kept of a state besides the trees.
struct TracePoint {
  double noise;  ///< its standard deviation; if it varies, the root of the mean variance of rows
  double log_likelihood;
  double n_leaves;         ///< mean over trees
  double n_roots_changed;  ///< share of trees whose root has changed in the last sweep
};

class Chain {
 public:
  Chain(const Problem& problem, const Response& response, ChainKey key, Start start)
      : problem_(&problem),
        response_(&response),
        key_(key),
        utilities_(first_utilities(response, problem.units)),
        total_weight_(problem.weights.empty() ? static_cast<double>(problem.data.n_rows) : 0.0) {
    for (const double weight : problem.weights) total_weight_ += weight;
    for (std::uint32_t k = 0; k < response.n_sums(); ++k) {
      sums_.emplace_back(problem, utilities_[k]);
      if (start == Start::prior) sums_.back().start_from_prior(round_key(k));
    }
    if (response.varying.n_trees > 0) {
      noise_trees_.emplace(problem, response.varying);
      if (start == Start::prior) noise_trees_->start_from_prior(round_key(0));
    }
    ++round_;
  }

  [[nodiscard]] const std::vector<SumOfTrees>& sums() const { return sums_; }
  [[nodiscard]] const Utilities& utilities() const { return utilities_; }
  [[nodiscard]] std::uint64_t n_rounds() const { return round_; }
  [[nodiscard]] double noise_variance() const { return noise_variance_; }
  [[nodiscard]] const std::optional<NoiseTrees>& noise_trees() const { return noise_trees_; }

  void sweep() {
    std::vector<std::vector<std::optional<Rule>>> roots;
    for (const SumOfTrees& sum : sums_) roots.push_back(sum.roots());
    for (std::uint32_t r = 0; r < problem_->plan.n_rounds; ++r) {
      draw_noise_or_utilities();
      for (std::uint32_t k = 0; k < sums_.size(); ++k) {
        if (!noise_trees_) sums_[k].set_noise(noise_variance_);
        sums_[k].sweep(round_key(k));
      }
      ++round_;
    }
    n_roots_changed_ = 0;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const auto now = sums_[k].roots();
      for (std::size_t m = 0; m < now.size(); ++m) n_roots_changed_ += static_cast<std::size_t>(now[m] != roots[k][m]);
    }
  }

  [[nodiscard]] TracePoint trace_point() const {
    const double n_trees = static_cast<double>(sums_.size() * problem_->n_trees);
    double n_leaves = 0.0;
    for (const SumOfTrees& sum : sums_) {
      for (const Tree& tree : sum.trees()) n_leaves += static_cast<double>(tree.n_leaves());
    }
    const auto [noise, log_likelihood] = noise_trees_ ? varying_noise() : constant_noise();
    return {noise, log_likelihood, n_leaves / n_trees, static_cast<double>(n_roots_changed_) / n_trees};
  }

  /// What the trees of a sum say of a training row, offset left out.
  [[nodiscard]] double mean_at(std::size_t sum, std::size_t row) const {
    return static_cast<double>(utilities_[sum][row] - sums_[sum].residuals()[row]) * problem_->units.label;
  }

  /// Goes on from a state that a file has. False if its trees do not fit the rows.
  bool restore(std::vector<std::vector<Tree>> trees, std::vector<Tree> noise_trees, Utilities utilities,
               double noise_variance, std::uint64_t round) {
    sums_.clear();
    utilities_ = std::move(utilities);
    noise_variance_ = noise_variance;
    round_ = round;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      sums_.emplace_back(*problem_, utilities_[k]);
      if (!sums_.back().restore(std::move(trees[k]))) return false;
    }
    return !noise_trees_ || noise_trees_->restore(std::move(noise_trees));
  }

 private:
  [[nodiscard]] RoundKey round_key(std::uint32_t sum) const { return {key_.seed, key_.chain, sum, round_}; }

  void draw_noise_or_utilities() {
    const RoundKey key = round_key(0);
    switch (response_->kind) {
      case ResponseKind::normal:
        noise_variance_ = draw_noise(
            *response_,
            noise_trees_ ? noise_trees_->sum_of_squares(sums_[0]) : sum_of_squares(sums_[0], problem_->weights),
            total_weight_, key.stream(random::Purpose::noise, 0));
        if (noise_trees_) draw_noise_trees(key);
        break;
      case ResponseKind::probit:
        draw_signs(*response_, sums_[0], utilities_, problem_->units, key.stream(random::Purpose::latent, 0));
        break;
      case ResponseKind::classes:
        draw_ranks(*response_, sums_, utilities_, problem_->units, key.stream(random::Purpose::latent, 0));
        break;
    }
  }

  [[nodiscard]] double weight(std::size_t row) const {
    return problem_->weights.empty() ? 1.0 : problem_->weights[row];
  }

  /// Then rows weigh as their noise says. Together they weigh what they always do, so that sums of weighted residuals
  /// are no larger than those of constant noise: the variance for that is the harmonic mean over rows.
  void draw_noise_trees(const RoundKey& key) {
    noise_trees_->sweep(sums_[0], noise_variance_, key);
    std::vector<double> weights(problem_->data.n_rows);
    double total = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) total += weights[i] = weight(i) * noise_trees_->precision(i);
    for (double& weight : weights) weight *= total_weight_ / total;
    sums_[0].set_weights(weights);
    sums_[0].set_noise(noise_variance_ * total_weight_ / total);
  }

  /// Noise as it is noted down, and how likely the labels are.
  [[nodiscard]] std::pair<double, double> constant_noise() const {
    const bool is_normal = response_->kind == ResponseKind::normal;
    const double squares = is_normal ? sum_of_squares(sums_[0], problem_->weights) : 0.0;
    return {std::sqrt(noise_variance_),
            log_likelihood(*response_, sums_, utilities_, problem_->units, noise_variance_, total_weight_, squares)};
  }
  [[nodiscard]] std::pair<double, double> varying_noise() const {
    double variances = 0.0, logs = 0.0;
    for (std::size_t i = 0; i < problem_->data.n_rows; ++i) {
      const double precision = noise_trees_->precision(i) / noise_variance_, residual = sums_[0].residual(i);
      variances += weight(i) / precision;
      logs += weight(i) * (std::log(2.0 * std::numbers::pi / precision) + precision * residual * residual);
    }
    return {std::sqrt(variances / total_weight_), -0.5 * logs};
  }

  const Problem* problem_;
  const Response* response_;
  ChainKey key_;
  Utilities utilities_;
  double total_weight_;
  std::vector<SumOfTrees> sums_;
  std::optional<NoiseTrees> noise_trees_;  ///< if noise varies
  double noise_variance_ = 1.0;
  std::uint64_t round_ = 0;
  std::size_t n_roots_changed_ = 0;
};

}  // namespace hedgerow::bart
