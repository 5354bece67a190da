// SPDX-License-Identifier: BSD-3-Clause
// A decision tree that grows from the root, oldest node first: the particle of Lakshminarayanan (2016), Algorithm 3.1.
// Nodes lie in the order in which they came, so those still to be decided are the last ones, and one number says where
// they begin.
#pragma once

#include <cstdint>
#include <vector>

#include "hedgerow/bayesian_tree/proposals.hpp"
#include "hedgerow/bayesian_tree/split_node.hpp"

namespace hedgerow::bayesian_tree {

/// Which nodes take part in a stage: the oldest alone, or all that wait.
enum class Expansion { node, layer };

struct Growth {
  Proposal proposal = Proposal::prior;
  Expansion expansion = Expansion::node;
  std::size_t max_features = 0;  ///< optimal proposal: how many features are weighed at a node; 0 for all

  [[nodiscard]] std::size_t n_weighed(std::size_t n_features) const {
    if (proposal != Proposal::optimal) return 1;
    return max_features == 0 ? n_features : std::min(max_features, n_features);
  }
};

template <label::LeafModel M>
class GrowingTree {
 public:
  explicit GrowingTree(SharedBlock<M> root) : nodes_(1), blocks_{std::move(root)} {}

  [[nodiscard]] bool is_complete() const { return next_ == nodes_.size(); }
  [[nodiscard]] const std::vector<SplitNode>& nodes() const { return nodes_; }
  [[nodiscard]] const SharedBlock<M>& block(std::size_t node) const { return blocks_[node]; }  ///< none if inner

  /// One stage; returns the logarithm of the factor on the weight, equation (3.7), and adds to `n_visits` about how
  /// many times a value of a row was looked at.
  double grow(const Problem<M>& problem, const Growth& growth, Workspace& room, random::Stream& stream,
              std::size_t& n_visits) {
    const std::size_t end = growth.expansion == Expansion::layer ? nodes_.size() : next_ + 1;
    double log_factor = 0.0;
    while (next_ < end) {
      n_visits += overhead + blocks_[next_]->rows.size() * growth.n_weighed(problem.data.n_features);
      log_factor += decide(problem, growth, room, stream);
    }
    skip_certain_leaves(problem.data);
    return log_factor;
  }

  /// One stage as another tree took it, whose nodes lie in the order in which they came. The proposal is the prior, or
  /// the optimal one over all features: then the factor is the same whatever was drawn.
  double repeat(const std::vector<SplitNode>& reference, const Problem<M>& problem, const Growth& growth,
                Workspace& room) {
    const SharedBlock<M> block = blocks_[next_];
    const SplitNode& node = reference[next_];
    double log_likelihood_ratio = 0.0;
    if (node.is_leaf()) {
      stop_next();
    } else {
      const Rule rule{node.feature, node.location};
      auto [left, right] = *divide(problem, *block, rule, room.sides);
      log_likelihood_ratio = left->log_marginal + right->log_marginal - block->log_marginal;
      split_next(rule, std::move(left), std::move(right));
    }
    skip_certain_leaves(problem.data);
    if (growth.proposal == Proposal::prior) return log_likelihood_ratio;
    return whole_table(problem, *block, room).log_total - block->log_marginal;
  }

  /// The next node becomes an inner one above two new nodes.
  void split_next(Rule rule, SharedBlock<M> left, SharedBlock<M> right) {
    nodes_[next_] = {rule.feature, static_cast<std::uint32_t>(nodes_.size()), rule.location};
    blocks_[next_] = {};
    nodes_.resize(nodes_.size() + 2);
    blocks_.push_back(std::move(left));
    blocks_.push_back(std::move(right));
    ++next_;
  }

  /// The next node stays a leaf.
  void stop_next() { ++next_; }

 private:
  static constexpr std::size_t overhead = 50;  ///< of a decision, in visits

  /// Equal rows, and lone ones, cannot be divided; a stage spent on them would change nothing.
  void skip_certain_leaves(const RankedRows& data) {
    while (next_ < nodes_.size() && !posterior_tree::is_splittable(data, blocks_[next_]->rows)) ++next_;
  }

  double decide(const Problem<M>& problem, const Growth& growth, Workspace& room, random::Stream& stream) {
    const SharedBlock<M> block = blocks_[next_];
    const Decision decision = propose(problem, *block, growth, room, stream);
    if (!decision.rule) {
      stop_next();
      return decision.log_prior_over_proposal;
    }
    auto [left, right] = *divide(problem, *block, *decision.rule, room.sides);
    const double log_likelihood_ratio = left->log_marginal + right->log_marginal - block->log_marginal;
    split_next(*decision.rule, std::move(left), std::move(right));
    return decision.log_prior_over_proposal + log_likelihood_ratio;
  }

  static Decision propose(const Problem<M>& problem, const Block<M>& block, const Growth& growth, Workspace& room,
                          random::Stream& stream) {
    switch (growth.proposal) {
      case Proposal::prior:
        return decide_by_prior(problem, block, stream);
      case Proposal::empirical:
        return decide_empirically(problem, block, room, stream);
      case Proposal::optimal:
        break;
    }
    const std::size_t n_weighed = growth.n_weighed(problem.data.n_features);
    return n_weighed == problem.data.n_features ? decide_optimally(problem, block, room, stream)
                                                : decide_among_few(problem, block, n_weighed, room, stream);
  }

  std::vector<SplitNode> nodes_;
  std::vector<SharedBlock<M>> blocks_;  ///< of nodes that are leaves or may become so
  std::size_t next_ = 0;                ///< all nodes before it are decided
};

}  // namespace hedgerow::bayesian_tree
