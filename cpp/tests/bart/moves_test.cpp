// SPDX-License-Identifier: BSD-3-Clause
// After thousands of random moves of every kind, a tree is what its rules make of the rows.
#include <functional>
#include <map>
#include <string>

#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

/// Nodes and rows nest, and rows lie where rules send them.
void check_slices(const Tree& tree, const BinnedRows& data) {
  CHECK(tree.nodes[0].size == tree.nodes.size() && tree.nodes[0].depth == 0);
  CHECK(tree.nodes[0].begin == 0 && tree.nodes[0].end == data.n_rows && tree.rows.size() == data.n_rows);
  CHECK(std::set(tree.rows.begin(), tree.rows.end()).size() == data.n_rows);
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree.nodes[id];
    CHECK(node.begin < node.end);
    if (node.is_leaf()) {
      for (const RowId row : tree.rows_of(id)) CHECK(leaf_of(tree, data, row) == id);
      continue;
    }
    const Node &left = tree.nodes[tree.left(id)], &right = tree.nodes[tree.right(id)];
    CHECK(node.size == 1 + left.size + right.size);
    CHECK(left.begin == node.begin && left.end == right.begin && right.end == node.end);
    CHECK(left.depth == node.depth + 1 && right.depth == node.depth + 1);
  }
}

/// What nodes remember is what their rows say. Returns prior times likelihood, from scratch.
double check_memory(const Stage& stage, const Tree& tree) {
  double log_joint = 0.0;
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree.nodes[id];
    const auto rows = tree.rows_of(id);
    bool can_split = false;
    for (std::uint32_t d = 0; d < sample_width; ++d) can_split = can_split || bins_of(stage.data, d, rows).size() > 1;
    CHECK(node.splittable == can_split);
    const double split = 0.95 / std::sqrt(1.0 + node.depth);
    if (node.is_leaf()) {
      Heard heard;
      for (const RowId row : rows) heard += {stage.target.weight(row), stage.target.residuals[row]};
      CHECK(heard.sum == node.heard.sum && heard.weight == node.heard.weight);
      log_joint += (can_split ? std::log(1.0 - split) : 0.0) + slow_log_evidence(stage, rows);
    } else {
      const double log_rule = slow_log_rule(stage.data, node.rule, rows);
      CHECK(std::isnan(node.log_rule) || std::abs(node.log_rule - log_rule) < 1e-9);
      log_joint += std::log(split) + log_rule;
    }
  }
  return log_joint;
}

void check_tree(const Stage& stage, const Tree& tree, bool with_joint) {
  check_slices(tree, stage.data);
  const double expected = check_memory(stage, tree);
  if (!with_joint) return;
  Tree known = tree;
  know_rules(stage.target, known, 0);
  CHECK_NEAR(log_joint(stage.target, known.nodes), expected, 1e-7);
}

using MakeMove = std::function<bool(const Target&, Tree&, random::Stream&)>;

/// All moves; grow and prune come often, so that trees live.
std::map<std::string, MakeMove> all_moves(ParticleGibbs& particles) {
  return {
      {"grow or prune",
       [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::certain_if_alone, s); }},
      {"even", [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::even, s); }},
      {"cgm", grow_prune_change_or_swap},
      {"perturb", perturb},
      {"change", change},
      {"swap", swap},
      {"heat bath", heat_bath},
      {"exchange", exchange},
      {"graft, from prior", [](auto& t, auto& tree, auto& s) { return graft(t, tree, OtherSide::from_prior, s); }},
      {"take out, from prior",
       [](auto& t, auto& tree, auto& s) { return take_out(t, tree, OtherSide::from_prior, s); }},
      {"graft, alike", [](auto& t, auto& tree, auto& s) { return graft(t, tree, OtherSide::alike, s); }},
      {"take out, alike", [](auto& t, auto& tree, auto& s) { return take_out(t, tree, OtherSide::alike, s); }},
      {"subtree", [&](auto& t, auto& tree, auto& s) { return particles.draw_subtree(t, tree, s); }},
      {"particles", [&](auto& t, auto& tree, auto& s) { return particles.draw_tree(t, tree, s); }},
  };
}

/// Moves on labels that pull, or, with noise so large that nothing pulls, under the prior, where trees are large.
void check_moves(bool weighted, double noise, int n_moves) {
  Stage stage(weighted);
  stage.evidence.set_noise(noise);
  const auto weights = sample_weights(weighted);
  ParticleGibbs particles(stage.data, weights, {0.95, 0.5}, 4);
  const auto moves = all_moves(particles);
  std::map<std::string, int> n_accepted;
  random::Stream stream(11, random::Purpose::grow, weighted ? 1 : 0, 0);
  Tree tree = stage.leaf();
  for (int i = 0; i < n_moves; ++i) {
    auto move = moves.begin();
    std::advance(move, random::draw_below(moves.size(), stream));
    if (!move->second(stage.target, tree, stream)) continue;
    ++n_accepted[move->first];
    check_tree(stage, tree, noise == noise_variance);
  }
  for (const auto& [name, move] : moves) CHECK(n_accepted[name] > 0);
}

TEST(trees_are_what_their_rules_make_of_the_rows) { check_moves(false, noise_variance, 6000); }
TEST(weighted_trees_are_too) { check_moves(true, noise_variance, 6000); }
TEST(large_trees_are_too) { check_moves(false, 1e6, 4000); }

TEST(a_move_that_is_turned_down_changes_nothing_that_counts) {
  // Rules may become known, and rows of a leaf may change their order; all else stays.
  Stage stage(false);
  ParticleGibbs particles(stage.data, {}, {0.95, 0.5}, 4);
  const auto moves = all_moves(particles);
  random::Stream stream(12, random::Purpose::grow, 0, 0);
  Tree tree = stage.leaf();
  for (int i = 0; i < 3000; ++i) {
    auto move = moves.begin();
    std::advance(move, random::draw_below(moves.size(), stream));
    const Tree before = tree;
    if (move->second(stage.target, tree, stream)) continue;
    CHECK(tree.nodes.size() == before.nodes.size() && tree.rows == before.rows);
    for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
      const Node &now = tree.nodes[id], &then = before.nodes[id];
      CHECK(now.size == then.size && now.begin == then.begin && now.end == then.end && now.rule == then.rule);
      CHECK(now.heard.sum == then.heard.sum && now.splittable == then.splittable && now.depth == then.depth);
    }
  }
}

TEST(a_draw_from_the_prior_is_a_whole_tree) {
  Stage stage(false);
  random::Stream stream(13, random::Purpose::grow, 0, 0);
  std::size_t most_leaves = 0;
  for (int i = 0; i < 300; ++i) {
    const Tree tree = draw_from_prior(stage.target, stream);
    check_tree(stage, tree, true);
    most_leaves = std::max(most_leaves, tree.n_leaves());
  }
  CHECK(most_leaves > 10);
}

TEST(rules_are_drawn_as_the_prior_says) {
  // 20000 draws among the rows of a node: chi-squared of all rules. Statistic below its mean by 6 standard deviations
  // of a normal approximation or more: once in about 1e8.
  Stage stage(false);
  random::Stream stream(14, random::Purpose::grow, 0, 0);
  const Tree tree = stage.leaf();
  const auto rows = tree.rows_of(0).subspan(3, 9);
  std::map<std::pair<std::uint32_t, Bin>, double> counts;
  const double n = 20000.0;
  for (int i = 0; i < 20000; ++i) {
    const Rule rule = stage.target.draw_rule(rows, stream);
    counts[{rule.feature, rule.cut}] += 1.0;
  }
  double statistic = 0.0, total = 0.0, df = -1.0, rest = 0.0, rest_counts = 0.0;
  for (std::uint32_t d = 0; d < sample_width; ++d) {
    const auto bins = bins_of(stage.data, d, rows);
    for (std::size_t cut = *bins.begin(); cut < *bins.rbegin(); ++cut) {
      const Rule rule{d, static_cast<Bin>(cut)};
      const double expected = n * std::exp(slow_log_rule(stage.data, rule, rows));
      const double count = counts[{d, rule.cut}];
      CHECK_NEAR(stage.target.log_rule(rule, rows), std::log(expected / n), 1e-9);
      total += count;
      if (expected < 10.0) {
        rest += expected;
        rest_counts += count;
        continue;
      }
      statistic += (count - expected) * (count - expected) / expected;
      df += 1.0;
    }
  }
  CHECK(total == n);
  if (rest > 0.0) statistic += (rest_counts - rest) * (rest_counts - rest) / rest;
  CHECK(df > 5.0 && statistic < df + 1.0 + 6.0 * std::sqrt(2.0 * (df + 1.0)) + 12.0);
}

}  // namespace
}  // namespace hedgerow::bart
