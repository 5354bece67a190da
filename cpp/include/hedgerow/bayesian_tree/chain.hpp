// SPDX-License-Identifier: BSD-3-Clause
// The Markov chain of Chipman, George and McCulloch (1998) over trees: a quarter of the steps each to grow, prune,
// change and swap. It starts from the root alone; the first steps are thrown away and of the rest a few, evenly spaced,
// are kept. Its rules are cuts between ranks: where in the gap between two values a location lies changes no label, so
// it is drawn, uniformly, only when a tree is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "hedgerow/bayesian_tree/tree_sample.hpp"
#include "hedgerow/particle/filter.hpp"
#include "hedgerow/posterior_tree/leaves/labels.hpp"
#include "hedgerow/posterior_tree/moves/change_swap.hpp"

namespace hedgerow::bayesian_tree {

template <label::LeafModel M>
class Chain {
 public:
  struct Settings {
    std::uint64_t n_steps;
    std::uint64_t n_burn_in;  ///< fewer than n_steps
  };

  Chain(const Problem<M>& problem, const Settings& settings, std::size_t n_kept, particle::FilterKey key)
      : problem_(problem),
        settings_(settings),
        n_kept_(std::min<std::uint64_t>(n_kept, settings.n_steps - settings.n_burn_in)),
        key_(key),
        prior_(problem.prior),
        tree_(problem.data),
        maker_(problem) {
    posterior_tree::set_leaf(target(), tree_.nodes[0], tree_.rows);
  }

  [[nodiscard]] bool is_finished() const { return step_ == settings_.n_steps; }

  void run(std::size_t most_visits) {
    // A move looks at the rows of a node and of those below it: about so much.
    const std::size_t a_move = problem_.data.n_rows / 10 + 500;
    for (std::size_t n_visits = 0; !is_finished() && n_visits < most_visits; n_visits += a_move) {
      random::Stream stream(key_.seed, random::Purpose::metropolis, key_.island, step_);
      if (posterior_tree::grow_prune_change_or_swap(target(), tree_, stream)) kept_ = {};
      ++step_;
      if (is_kept()) keep(stream);
    }
  }

  [[nodiscard]] TreeSample sample() const { return maker_.finished(); }

 private:
  using Target = posterior_tree::LabelTarget<M>;

  [[nodiscard]] Target target() {
    return {problem_.data, prior_, {problem_.model, problem_.data}, left_rows_, right_rows_};
  }

  /// Does the number of trees that should be kept by now grow with this step?
  [[nodiscard]] bool is_kept() const {
    if (step_ <= settings_.n_burn_in) return false;
    const std::uint64_t after = step_ - settings_.n_burn_in, steps = settings_.n_steps - settings_.n_burn_in;
    return after * n_kept_ / steps > (after - 1) * n_kept_ / steps;
  }

  /// A tree that has not changed since is kept as it was, locations too.
  void keep(random::Stream& stream) {
    if (kept_.nodes.empty()) finish_tree(stream);
    maker_.add(kept_.nodes, 1.0 / static_cast<double>(n_kept_),
               [&](std::size_t i) { return tree_.nodes[kept_.ids[i]].statistic.value; });
  }

  void finish_tree(random::Stream& stream) {
    kept_ = as_grown(tree_, 0, [&](const typename Target::Rule& rule) {
      const auto& values = problem_.data.positions[rule.feature];
      return posterior_tree::draw_between(values[rule.cut], values[rule.cut + 1], stream);
    });
    const auto summaries = leaf_summaries();
    for (std::size_t i = 0; i < kept_.ids.size(); ++i) {
      if (kept_.nodes[i].is_leaf()) kept_.nodes[i].link = number_of(summaries[kept_.ids[i]]);
    }
  }

  /// By nodes. Rows are added in their own order, so that the same rows are the same summary, bit by bit.
  [[nodiscard]] std::vector<typename M::Summary> leaf_summaries() const {
    const RankedRows& data = problem_.data;
    std::vector<posterior_tree::NodeId> leaf_of(data.n_rows);
    for (posterior_tree::NodeId id = 0; id < tree_.nodes.size(); ++id) {
      if (!tree_.nodes[id].is_leaf()) continue;
      for (const RowId row : tree_.rows_of(id)) leaf_of[row] = id;
    }
    std::vector<typename M::Summary> summaries(tree_.nodes.size(), problem_.model.empty());
    for (RowId row = 0; row < data.n_rows; ++row) {
      problem_.model.add(summaries[leaf_of[row]], data.labels[row], data.weight(row));
    }
    return summaries;
  }

  /// Leaves that hold the same are one.
  [[nodiscard]] std::uint32_t number_of(const typename M::Summary& summary) {
    std::vector<double> numbers;
    problem_.model.write(summary, numbers);
    const auto [place, is_new] = leaf_numbers_.try_emplace(std::move(numbers), 0);
    if (is_new) place->second = maker_.add_leaf(summary);
    return place->second;
  }

  const Problem<M>& problem_;
  Settings settings_;
  std::uint64_t n_kept_;
  particle::FilterKey key_;
  posterior_tree::PriorTable prior_;
  typename Target::Tree tree_;
  std::vector<RowId> left_rows_, right_rows_;
  std::uint64_t step_ = 0;
  GrownTree kept_;  ///< the tree as it was kept; none if it has changed since
  SampleMaker<M> maker_;
  std::map<std::vector<double>, std::uint32_t> leaf_numbers_;
};

}  // namespace hedgerow::bayesian_tree
