// SPDX-License-Identifier: BSD-3-Clause
// What is left of a sampler when it is done: different trees with their weights, and what their leaves hold. Trees that
// came out equal are one tree, leaves that trees share are one leaf. It is flat, needs no rows, and goes to files.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hedgerow/bayesian_tree/block.hpp"
#include "hedgerow/bayesian_tree/split_node.hpp"

namespace hedgerow::bayesian_tree {

struct TreeSample {
  std::vector<SplitNode> nodes;              ///< tree after tree, each from its root; links count from the tree's root
  std::vector<std::uint64_t> first_node{0};  ///< of each tree, and where the last one ends
  std::vector<double> weights;               ///< of each tree; they add up to one
  std::vector<double> leaf_numbers;          ///< as the leaf model writes them
  std::vector<std::uint64_t> first_number{0};
  std::vector<double> log_evidence;  ///< of each filter; empty if the sampler gives none
  std::uint64_t most_probable = 0;   ///< a tree
  double log_joint = -HUGE_VAL;      ///< of that tree and the labels

  [[nodiscard]] std::size_t n_trees() const { return weights.size(); }
  [[nodiscard]] std::size_t n_leaves() const { return first_number.size() - 1; }
  [[nodiscard]] std::span<const SplitNode> tree(std::size_t t) const {
    return {nodes.data() + first_node[t], nodes.data() + first_node[t + 1]};
  }
  [[nodiscard]] std::span<const double> leaf(std::size_t number) const {
    return {leaf_numbers.data() + first_number[number], leaf_numbers.data() + first_number[number + 1]};
  }

  void push_tree(std::span<const SplitNode> tree, double weight) {
    nodes.insert(nodes.end(), tree.begin(), tree.end());
    first_node.push_back(nodes.size());
    weights.push_back(weight);
  }
};

/// The leaf in which a row falls.
inline std::uint32_t find_leaf(std::span<const SplitNode> tree, const double* x) {
  const SplitNode* node = tree.data();
  while (!node->is_leaf()) {
    node = tree.data() + node->link + static_cast<std::size_t>(x[node->feature] > node->location);
  }
  return node->link;
}

/// log P(partition of the rows) + log P(labels | tree), locations integrated over the gaps they lie in; none if a rule
/// leaves a side empty.
template <label::LeafModel M>
std::optional<double> log_joint(const Problem<M>& problem, std::span<const SplitNode> tree) {
  Sides sides;
  double sum = 0.0;
  std::vector<std::pair<std::uint32_t, SharedBlock<M>>> pending{{0, root_block(problem)}};
  while (!pending.empty()) {
    const auto [id, block] = pending.back();
    pending.pop_back();
    const SplitNode& node = tree[id];
    if (node.is_leaf()) {
      if (posterior_tree::is_splittable(problem.data, block->rows)) sum += problem.prior.log_stop(block->depth);
      sum += block->log_marginal;
      continue;
    }
    const auto children = divide(problem, *block, {node.feature, node.location}, sides);
    if (!children) return std::nullopt;
    const Rank* column = problem.data.column(node.feature);
    const RankRange left = posterior_tree::range_of(column, children->first->rows);
    const RankRange right = posterior_tree::range_of(column, children->second->rows);
    const double share =
        posterior_tree::share_of_range(problem.data.positions[node.feature], RankRange{left.highest, right.lowest},
                                       RankRange{left.lowest, right.highest});
    const auto n_varying = static_cast<double>(posterior_tree::n_varying(problem.data, block->rows));
    sum += problem.prior.log_split(block->depth) - std::log(n_varying) + std::log(share);
    pending.push_back({node.link, children->first});
    pending.push_back({node.link + 1, children->second});
  }
  return sum;
}

/// Turns finished trees with weights that add up to one into a sample.
template <label::LeafModel M>
class SampleMaker {
 public:
  explicit SampleMaker(const Problem<M>& problem) : problem_(problem) {}

  /// What a leaf holds; returns its number.
  std::uint32_t add_leaf(const typename M::Summary& summary) {
    problem_.model.write(summary, sample_.leaf_numbers);
    sample_.first_number.push_back(sample_.leaf_numbers.size());
    return static_cast<std::uint32_t>(sample_.n_leaves() - 1);
  }

  /// Nodes link to the numbers of their leaves; `log_marginal(i)` says how likely the labels are in the leaf
  /// nodes[i].
  template <class LogMarginal>
  void add(std::vector<SplitNode> added, double weight, LogMarginal&& log_marginal) {
    const auto [place, is_new] = known_.try_emplace(std::move(added), sample_.n_trees());
    if (!is_new) {
      sample_.weights[place->second] += weight;
      return;
    }
    const std::vector<SplitNode>& nodes = place->first;
    sample_.push_tree(nodes, weight);
    std::vector<std::uint32_t> depths(nodes.size(), 0);
    double log_shape = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_leaf()) {
        log_shape += log_marginal(i) + problem_.prior.log_stop(depths[i]);
      } else {
        depths[nodes[i].link] = depths[nodes[i].link + 1] = depths[i] + 1;
        log_shape += problem_.prior.log_split(depths[i]);
      }
    }
    log_shapes_.push_back(log_shape);
  }

  [[nodiscard]] TreeSample finished() && { return with_most_probable(std::move(sample_)); }
  [[nodiscard]] TreeSample finished() const& { return with_most_probable(sample_); }

 private:
  [[nodiscard]] TreeSample with_most_probable(TreeSample sample) const {
    find_most_probable(sample);
    return sample;
  }

  /// The prior of a rule needs all features of all nodes, so only the best few by likelihood and shape are weighed.
  void find_most_probable(TreeSample& sample) const {
    constexpr std::size_t n_weighed = 8;
    std::vector<std::size_t> order(log_shapes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return log_shapes_[a] > log_shapes_[b]; });
    for (std::size_t i = 0; i < std::min(n_weighed, order.size()); ++i) {
      const auto found = log_joint(problem_, sample.tree(order[i]));
      if (found && *found > sample.log_joint) {
        sample.log_joint = *found;
        sample.most_probable = order[i];
      }
    }
  }

  const Problem<M>& problem_;
  TreeSample sample_;
  std::map<std::vector<SplitNode>, std::size_t> known_;
  std::vector<double> log_shapes_;  ///< log likelihood plus log P(shape) of each tree, rules left out
};

/// All samples as one, each with the same share of the weight.
inline TreeSample joined(std::span<const TreeSample> parts) {
  TreeSample whole;
  const double share = 1.0 / static_cast<double>(parts.size());
  for (const TreeSample& part : parts) {
    const auto first_leaf = static_cast<std::uint32_t>(whole.n_leaves());
    if (part.log_joint > whole.log_joint) {
      whole.log_joint = part.log_joint;
      whole.most_probable = whole.n_trees() + part.most_probable;
    }
    for (std::size_t t = 0; t < part.n_trees(); ++t) {
      whole.push_tree(part.tree(t), share * part.weights[t]);
      for (std::size_t i = whole.first_node[whole.n_trees() - 1]; i < whole.nodes.size(); ++i) {
        if (whole.nodes[i].is_leaf()) whole.nodes[i].link += first_leaf;
      }
    }
    const std::uint64_t offset = whole.leaf_numbers.size();
    whole.leaf_numbers.insert(whole.leaf_numbers.end(), part.leaf_numbers.begin(), part.leaf_numbers.end());
    for (std::size_t l = 1; l < part.first_number.size(); ++l) {
      whole.first_number.push_back(offset + part.first_number[l]);
    }
    whole.log_evidence.insert(whole.log_evidence.end(), part.log_evidence.begin(), part.log_evidence.end());
  }
  return whole;
}

}  // namespace hedgerow::bayesian_tree
