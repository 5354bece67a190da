// SPDX-License-Identifier: BSD-3-Clause
// Is a tree what its rules make of the rows?
#pragma once

#include <functional>
#include <map>
#include <string>

#include "posterior_tree/sample_target.hpp"

namespace hedgerow::posterior_tree {

/// Nodes and rows nest, and rows lie where rules send them.
template <class AnyTree, class Code>
void check_slices(const AnyTree& tree, const CodedRows<Code>& data) {
  CHECK(tree.nodes[0].size == tree.nodes.size() && tree.nodes[0].depth == 0);
  CHECK(tree.nodes[0].begin == 0 && tree.nodes[0].end == data.n_rows && tree.rows.size() == data.n_rows);
  CHECK(std::set(tree.rows.begin(), tree.rows.end()).size() == data.n_rows);
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const auto& node = tree.nodes[id];
    CHECK(node.begin < node.end);
    if (node.is_leaf()) {
      for (const RowId row : tree.rows_of(id)) CHECK(leaf_of(tree, data, row) == id);
      continue;
    }
    const auto &left = tree.nodes[tree.left(id)], &right = tree.nodes[tree.right(id)];
    CHECK(node.size == 1 + left.size + right.size);
    CHECK(left.begin == node.begin && left.end == right.begin && right.end == node.end);
    CHECK(left.depth == node.depth + 1 && right.depth == node.depth + 1);
  }
}

inline bool same(const LeafSum& a, const LeafSum& b) { return a.sum == b.sum && a.weight == b.weight; }
inline bool same(const LogMarginal& a, const LogMarginal& b) { return std::abs(a.value - b.value) < 1e-9; }

/// What nodes remember is what their rows say. Returns prior times likelihood, from scratch.
template <class Stage, class AnyTree>
double check_memory(const Stage& stage, const AnyTree& tree) {
  double log_joint = 0.0;
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const auto& node = tree.nodes[id];
    const auto rows = tree.rows_of(id);
    bool can_split = false;
    for (std::uint32_t d = 0; d < sample_width; ++d) can_split = can_split || codes_of(stage.data, d, rows).size() > 1;
    CHECK(node.splittable == can_split);
    const double split = sample_prior.base / std::sqrt(1.0 + node.depth);
    if (node.is_leaf()) {
      CHECK(same(node.statistic, stage.target.leaves.statistic(rows)));
      log_joint += (can_split ? std::log(1.0 - split) : 0.0) + stage.slow_log_likelihood(rows);
      continue;
    }
    const double log_rule = slow_log_rule(stage.data, node.rule, rows);
    CHECK(std::isnan(node.log_rule) || std::abs(node.log_rule - log_rule) < 1e-9);
    log_joint += std::log(split) + log_rule;
    if constexpr (requires { node.statistic.is_known(); }) {  // of when it was a leaf
      CHECK(!node.statistic.is_known() || same(node.statistic, stage.target.leaves.statistic(rows)));
    }
  }
  return log_joint;
}

template <class Stage, class AnyTree>
void check_tree(const Stage& stage, const AnyTree& tree) {
  check_slices(tree, stage.data);
  const double expected = check_memory(stage, tree);
  AnyTree known = tree;
  find_log_rules(stage.target, known, 0);
  CHECK_NEAR(log_joint(stage.target, known.nodes), expected, 1e-7);
}

template <class T>
using Moves = std::map<std::string, std::function<bool(const T&, typename T::Tree&, random::Stream&)>>;

/// Moves, each as likely, from a single leaf on; all of them succeed at times, and every tree is in order.
template <class Stage, class T>
void check_moves(const Stage& stage, const Moves<T>& moves, int n_moves) {
  std::map<std::string, int> n_accepted;
  random::Stream stream(11, random::Purpose::grow, 0, 0);
  auto tree = one_leaf(stage);
  for (int i = 0; i < n_moves; ++i) {
    auto move = moves.begin();
    std::advance(move, random::draw_below(moves.size(), stream));
    if (!move->second(stage.target, tree, stream)) continue;
    ++n_accepted[move->first];
    check_tree(stage, tree);
  }
  for (const auto& [name, move] : moves) CHECK(n_accepted[name] > 0);
}

/// A move that is turned down changes nothing that counts. Rules may become known; all else stays.
template <class Stage, class T>
void check_refusals(const Stage& stage, const Moves<T>& moves, int n_moves) {
  random::Stream stream(12, random::Purpose::grow, 0, 0);
  auto tree = one_leaf(stage);
  for (int i = 0; i < n_moves; ++i) {
    auto move = moves.begin();
    std::advance(move, random::draw_below(moves.size(), stream));
    const auto before = tree;
    if (move->second(stage.target, tree, stream)) continue;
    CHECK(tree.nodes.size() == before.nodes.size() && tree.rows == before.rows);
    for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
      const auto &now = tree.nodes[id], &then = before.nodes[id];
      CHECK(now.size == then.size && now.begin == then.begin && now.end == then.end && now.rule == then.rule);
      CHECK(!now.is_leaf() || same(now.statistic, then.statistic));
      CHECK(now.splittable == then.splittable && now.depth == then.depth);
    }
  }
}

}  // namespace hedgerow::posterior_tree
