// SPDX-License-Identifier: BSD-3-Clause
// Independent samplers on the same problem, several at a time: islands of particles (Lakshminarayanan 2016,
// section 3.4.1.3), or Markov chains. Work comes in pieces of bounded length, so that Python can look for Ctrl-C; how
// it is cut does not matter, nor does the number of threads. Predictions give each island the same weight.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hedgerow/bayesian_tree/growing_tree.hpp"
#include "hedgerow/bayesian_tree/tree_sample.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/particle/filter.hpp"

namespace hedgerow::bayesian_tree {

/// One filter over growing trees: Lakshminarayanan (2016), Algorithm 3.1.
template <label::LeafModel M>
class FilterIsland {
 public:
  struct Settings {
    Growth growth;
    particle::Schedule schedule;
  };

  FilterIsland(const Problem<M>& problem, const Settings& settings, std::size_t n_particles, particle::FilterKey key)
      : problem_(problem), growth_(settings.growth), filter_(start(problem, settings, n_particles, key)) {}

  [[nodiscard]] bool is_finished() const { return filter_.is_finished(); }

  void run(std::size_t most_visits) {
    std::size_t n_visits = 0;
    filter_.run([&](GrowingTree<M>& tree, random::Stream& stream,
                    bool) { return tree.grow(problem_, growth_, room_, stream, n_visits); },
                [&] { return n_visits < most_visits; });
  }

  [[nodiscard]] TreeSample sample() const {
    constexpr double unseen = 1e-18;  // a share too small to be seen in any sum
    SampleMaker<M> maker(problem_);
    std::unordered_map<const Block<M>*, std::uint32_t> numbers;
    const auto weights = filter_.weights();
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if (weights[c] < unseen) continue;
      const GrowingTree<M>& tree = filter_.particles()[c];
      std::vector<SplitNode> nodes = tree.nodes();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is_leaf()) continue;
        const auto [place, is_new] = numbers.try_emplace(tree.block(i).get(), 0);
        if (is_new) place->second = maker.add_leaf(tree.block(i)->summary);
        nodes[i].link = place->second;
      }
      maker.add(std::move(nodes), weights[c], [&](std::size_t i) { return tree.block(i)->log_marginal; });
    }
    TreeSample found = std::move(maker).finished();
    found.log_evidence = {filter_.log_evidence()};
    return found;
  }

 private:
  using TreeFilter = particle::Filter<GrowingTree<M>>;

  static TreeFilter start(const Problem<M>& problem, const Settings& settings, std::size_t n_particles,
                          particle::FilterKey key) {
    const SharedBlock<M> root = root_block(problem);
    return {GrowingTree<M>(root), root->log_marginal, n_particles, settings.schedule, key};
  }

  const Problem<M>& problem_;
  Growth growth_;
  Workspace room_;
  TreeFilter filter_;
};

/// `Island` is constructed from (problem, settings, size, key), and has is_finished, run and sample.
template <label::LeafModel M, class Island>
class Islands {
 public:
  /// Sizes differ by one at most.
  Islands(Problem<M> problem, typename Island::Settings settings, std::size_t total_size, std::size_t n_islands,
          std::uint64_t seed)
      : problem_(std::move(problem)), islands_(n_islands), samples_(n_islands) {
    for (std::size_t i = 0; i < n_islands; ++i) {
      const std::size_t size = total_size / n_islands + static_cast<std::size_t>(i < total_size % n_islands);
      starts_.push_back([this, settings, size, seed, i] {
        const particle::FilterKey key{seed, static_cast<std::uint32_t>(i)};
        return std::make_unique<Island>(problem_, settings, size, key);
      });
    }
  }
  Islands(const Islands&) = delete;
  Islands& operator=(const Islands&) = delete;

  [[nodiscard]] const Problem<M>& problem() const { return problem_; }
  [[nodiscard]] bool is_finished() const { return n_finished_ == islands_.size(); }

  /// Lets the next islands work, one a thread, until each has looked at so many rows.
  void work(std::size_t most_visits, std::size_t n_threads) {
    const std::size_t n = std::min(std::max<std::size_t>(1, n_threads), islands_.size() - n_finished_);
    parallel::for_each_index(n, n_threads, [&](std::size_t index, std::size_t) {
      const std::size_t i = n_finished_ + index;
      if (samples_[i].n_trees() > 0) return;
      if (!islands_[i]) islands_[i] = starts_[i]();
      islands_[i]->run(most_visits);
      if (!islands_[i]->is_finished()) return;
      samples_[i] = islands_[i]->sample();
      islands_[i].reset();
    });
    while (n_finished_ < islands_.size() && samples_[n_finished_].n_trees() > 0) ++n_finished_;
  }

  [[nodiscard]] TreeSample sample() const { return joined(samples_); }

 private:
  Problem<M> problem_;
  std::vector<std::unique_ptr<Island>> islands_;  ///< those at work
  std::vector<TreeSample> samples_;               ///< of those that are done
  std::vector<std::function<std::unique_ptr<Island>()>> starts_;
  std::size_t n_finished_ = 0;  ///< all before it are done
};

}  // namespace hedgerow::bayesian_tree
