// SPDX-License-Identifier: BSD-3-Clause
// A tree whose nodes all keep their blocks, so that any of them may change: what a Markov chain over trees needs.
// Blocks, rules and the finished tree are those of the filters. Copies share all blocks, so a copy is cheap.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hedgerow/bayesian_tree/growing_tree.hpp"

namespace hedgerow::bayesian_tree {

/// Siblings lie side by side.
template <label::LeafModel M>
class ChainTree {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Node {
    SharedBlock<M> block;
    std::uint32_t parent = none;
    std::uint32_t left = none;  ///< none for a leaf
    Rule rule{};
    double log_rule = 0.0;    ///< inner: log of the prior density of its rule
    bool splittable = false;  ///< could a rule divide its rows?
    [[nodiscard]] bool is_leaf() const { return left == none; }
  };

  explicit ChainTree(const Problem<M>& problem) : problem_(&problem) {
    nodes_.push_back(new_leaf(root_block(problem), none));
  }

  [[nodiscard]] const Node& node(std::uint32_t id) const { return nodes_[id]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  /// Nodes of which `is_wanted` says so, in their order.
  template <class Predicate>
  [[nodiscard]] std::vector<std::uint32_t> where(Predicate&& is_wanted) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t id = 0; id < size(); ++id) {
      if (is_wanted(nodes_[id])) found.push_back(id);
    }
    return found;
  }
  [[nodiscard]] std::vector<std::uint32_t> growable() const {
    return where([](const Node& node) { return node.is_leaf() && node.splittable; });
  }
  [[nodiscard]] std::vector<std::uint32_t> prunable() const {
    return where([this](const Node& node) {
      return !node.is_leaf() && nodes_[node.left].is_leaf() && nodes_[node.left + 1].is_leaf();
    });
  }
  [[nodiscard]] std::vector<std::uint32_t> inner() const {
    return where([](const Node& node) { return !node.is_leaf(); });
  }
  /// Inner nodes whose parents, being inner too, could swap rules with them.
  [[nodiscard]] std::vector<std::uint32_t> swappable() const {
    return where([](const Node& node) { return !node.is_leaf() && node.parent != none; });
  }

  /// Prior (with its density of rules) times likelihood of all that lies below a node, as a logarithm.
  [[nodiscard]] double log_joint_below(std::uint32_t id) const {
    const Node& node = nodes_[id];
    return node.is_leaf() ? 0.0 : log_joint_at(node.left) + log_joint_at(node.left + 1);
  }
  [[nodiscard]] double log_joint_at(std::uint32_t id) const {
    const Node& node = nodes_[id];
    const std::uint32_t depth = node.block->depth;
    if (node.is_leaf()) return node.block->log_marginal + (node.splittable ? problem_->prior.log_stop(depth) : 0.0);
    return problem_->prior.log_split(depth) + node.log_rule + log_joint_below(id);
  }

  /// A leaf becomes an inner node above two leaves; false if the rule does not divide its rows.
  bool split(std::uint32_t leaf, Rule rule, Sides& sides) {
    auto blocks = divide(*problem_, *nodes_[leaf].block, rule, sides);
    if (!blocks) return false;
    nodes_[leaf].left = size();
    set_rule(leaf, rule);
    nodes_.push_back(new_leaf(std::move(blocks->first), leaf));
    nodes_.push_back(new_leaf(std::move(blocks->second), leaf));
    return true;
  }

  /// An inner node above two leaves becomes a leaf. The last pair of nodes moves into the room that is left; returns
  /// where the node itself is then, because it may be one of them.
  std::uint32_t join(std::uint32_t id) {
    const std::uint32_t pair = nodes_[id].left, last = size() - 2;
    nodes_[id].left = none;
    if (pair != last) {
      nodes_[nodes_[last].parent].left = pair;
      for (std::uint32_t side = 0; side < 2; ++side) {
        nodes_[pair + side] = nodes_[last + side];
        if (nodes_[pair + side].is_leaf()) continue;
        nodes_[nodes_[pair + side].left].parent = nodes_[nodes_[pair + side].left + 1].parent = pair + side;
      }
    }
    nodes_.resize(last);
    return id < last ? id : pair + (id - last);
  }

  void set_rule(std::uint32_t id, Rule rule) {
    const Block<M>& block = *nodes_[id].block;
    const auto& values = problem_->data.values[rule.feature];
    const RankRange range = range_of(problem_->data.column(rule.feature), block.rows);
    const auto n_varying = static_cast<double>(varying_features(problem_->data, block.rows).size());
    nodes_[id].rule = rule;
    nodes_[id].log_rule = -std::log(n_varying) - log_length(values[range.lowest], values[range.highest]);
  }

  /// A node and its parent exchange rules. The child's density is wrong until rows are dealt anew below the parent.
  void exchange_rules(std::uint32_t child) {
    const std::uint32_t parent = nodes_[child].parent;
    const Rule above = nodes_[parent].rule;
    set_rule(parent, nodes_[child].rule);
    nodes_[child].rule = above;
  }

  /// Deals the rows of an inner node anew to all below; false, with the tree in disorder, if a node would be empty.
  bool deal_below(std::uint32_t id, Sides& sides) {
    const std::uint32_t left = nodes_[id].left;
    auto blocks = divide(*problem_, *nodes_[id].block, nodes_[id].rule, sides);
    if (!blocks) return false;
    nodes_[left].block = std::move(blocks->first);
    nodes_[left + 1].block = std::move(blocks->second);
    for (const std::uint32_t child : {left, left + 1}) {
      nodes_[child].splittable = is_splittable(problem_->data, nodes_[child].block->rows);
      if (nodes_[child].is_leaf()) continue;
      if (!nodes_[child].splittable) return false;
      set_rule(child, nodes_[child].rule);
      if (!deal_below(child, sides)) return false;
    }
    return true;
  }

  [[nodiscard]] GrowingTree<M> finished() const {
    GrowingTree<M> tree(nodes_[0].block);
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& node = nodes_[order[i]];
      if (node.is_leaf()) {
        tree.stop_next();
        continue;
      }
      tree.split_next(node.rule, nodes_[node.left].block, nodes_[node.left + 1].block);
      order.insert(order.end(), {node.left, node.left + 1});
    }
    return tree;
  }

 private:
  Node new_leaf(SharedBlock<M> block, std::uint32_t parent) const {
    const bool splittable = is_splittable(problem_->data, block->rows);
    Node node;
    node.block = std::move(block);
    node.parent = parent;
    node.splittable = splittable;
    return node;
  }

  const Problem<M>* problem_;
  std::vector<Node> nodes_;
};

}  // namespace hedgerow::bayesian_tree
