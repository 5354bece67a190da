// SPDX-License-Identifier: BSD-3-Clause
// The Markov chain of Chipman, George and McCulloch (1998) over trees: a quarter of the steps each to grow, prune,
// change and swap. It starts from the root alone; the first steps are thrown away and of the rest a few, evenly spaced,
// are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hedgerow/bayesian_tree/moves.hpp"
#include "hedgerow/bayesian_tree/tree_sample.hpp"
#include "hedgerow/particle/filter.hpp"

namespace hedgerow::bayesian_tree {

template <label::LeafModel M>
class Chain {
 public:
  struct Settings {
    std::uint64_t n_steps;
    std::uint64_t n_burn_in;  ///< fewer than n_steps
  };

  Chain(const Problem<M>& problem, const Settings& settings, std::size_t n_kept, particle::FilterKey key)
      : problem_(problem), settings_(settings), n_kept_(n_kept), key_(key), tree_(problem) {}

  [[nodiscard]] bool is_finished() const { return step_ == settings_.n_steps; }

  void run(std::size_t most_visits) {
    // A move copies the tree and looks at the rows of a node and of those below it: about so much.
    const std::size_t a_move = problem_.data.n_rows / 10 + 500;
    for (std::size_t n_visits = 0; !is_finished() && n_visits < most_visits; n_visits += a_move) {
      take_step();
      ++step_;
      if (is_kept()) kept_.push_back(tree_.finished());
    }
  }

  [[nodiscard]] TreeSample sample() const {
    SampleMaker<M> maker(problem_);
    for (const GrowingTree<M>& tree : kept_) maker.add(tree, 1.0 / static_cast<double>(kept_.size()));
    return maker.finish();
  }

 private:
  /// Does the number of trees that should be kept by now grow with this step?
  [[nodiscard]] bool is_kept() const {
    if (step_ <= settings_.n_burn_in) return false;
    const std::uint64_t after = step_ - settings_.n_burn_in, steps = settings_.n_steps - settings_.n_burn_in;
    const std::uint64_t n = std::min<std::uint64_t>(n_kept_, steps);
    return after * n / steps > (after - 1) * n / steps;
  }

  void take_step() {
    random::Stream stream(key_.seed, random::Purpose::metropolis, key_.island, step_);
    auto candidate = propose(stream);
    if (candidate && std::log(stream.uniform()) < candidate->log_ratio) tree_ = std::move(candidate->tree);
  }

  std::optional<Candidate<M>> propose(random::Stream& stream) {
    switch (random::draw_below(4, stream)) {
      case 0:
        return propose_grow(problem_, tree_, sides_, stream);
      case 1:
        return propose_prune(tree_, stream);
      case 2:
        return propose_change(problem_, tree_, sides_, stream);
      default:
        return propose_swap(tree_, sides_, stream);
    }
  }

  const Problem<M>& problem_;
  Settings settings_;
  std::size_t n_kept_;
  particle::FilterKey key_;
  ChainTree<M> tree_;
  Sides sides_;
  std::uint64_t step_ = 0;
  std::vector<GrowingTree<M>> kept_;
};

}  // namespace hedgerow::bayesian_tree
