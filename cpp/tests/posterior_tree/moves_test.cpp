// SPDX-License-Identifier: BSD-3-Clause
// After thousands of random moves of every kind, a tree is what its rules make of the rows, whatever its leaves hold.
#include "hedgerow/posterior_tree/moves/change_swap.hpp"
#include "hedgerow/posterior_tree/moves/exchange.hpp"
#include "hedgerow/posterior_tree/moves/graft.hpp"
#include "hedgerow/posterior_tree/moves/heat_bath.hpp"
#include "hedgerow/posterior_tree/moves/perturb.hpp"
#include "posterior_tree/check_tree.hpp"

namespace hedgerow::posterior_tree {
namespace {

/// All moves; grow and prune come often, so that trees live.
template <class T>
Moves<T> all_moves() {
  Moves<T> moves{
      {"grow or prune",
       [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::certain_if_alone, s); }},
      {"even", [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::even, s); }},
      {"cgm", grow_prune_change_or_swap<T>},
      {"perturb", perturb<T>},
      {"change", change<T>},
      {"swap", swap<T>},
      {"exchange", exchange<T>},
      {"graft, from prior", [](auto& t, auto& tree, auto& s) { return graft(t, tree, OtherSide::from_prior, s); }},
      {"take out, from prior",
       [](auto& t, auto& tree, auto& s) { return take_out(t, tree, OtherSide::from_prior, s); }},
      {"graft, alike", [](auto& t, auto& tree, auto& s) { return graft(t, tree, OtherSide::alike, s); }},
      {"take out, alike", [](auto& t, auto& tree, auto& s) { return take_out(t, tree, OtherSide::alike, s); }},
  };
  if constexpr (std::same_as<T, SumTarget>) moves["heat bath"] = heat_bath;
  return moves;
}

template <class Stage>
void check_all_moves(const Stage& stage, int n_moves) {
  check_moves(stage, all_moves<std::remove_const_t<decltype(stage.target)>>(), n_moves);
}

TEST(trees_of_sums_are_what_their_rules_make_of_the_rows) { check_all_moves(SumStage(false), 4000); }
TEST(weighted_trees_of_sums_are_too) { check_all_moves(SumStage(true), 4000); }
TEST(trees_for_classes_are_too) { check_all_moves(ClassStage(false), 3000); }
TEST(weighted_trees_for_numbers_are_too) { check_all_moves(NumberStage(true), 3000); }
TEST(large_trees_are_too) {
  SumStage stage(false);
  stage.evidence.set_noise(1e6);  // nothing pulls: trees are those of the prior
  check_all_moves(stage, 1500);
}

TEST(a_move_that_is_turned_down_changes_nothing_that_counts) {
  check_refusals(SumStage(false), all_moves<SumTarget>(), 3000);
  const ClassStage classes(false);
  check_refusals(classes, all_moves<std::remove_const_t<decltype(classes.target)>>(), 3000);
}

template <class Stage>
void check_prior_draws(const Stage& stage) {
  random::Stream stream(13, random::Purpose::grow, 0, 0);
  std::size_t most_leaves = 0;
  for (int i = 0; i < 300; ++i) {
    const auto tree = draw_from_prior(stage.target, stream);
    check_tree(stage, tree);
    most_leaves = std::max(most_leaves, tree.n_leaves());
  }
  CHECK(most_leaves > 10);
}

TEST(a_draw_from_the_prior_is_a_whole_tree) {
  check_prior_draws(SumStage(false));
  check_prior_draws(NumberStage(false));
}

/// 20000 draws among the rows of a node: chi-squared of all rules. Statistic above its mean by 6 standard deviations of
/// a normal approximation or more: once in about 1e8.
template <class Stage>
void check_rules(const Stage& stage) {
  using T = std::remove_const_t<decltype(stage.target)>;
  random::Stream stream(14, random::Purpose::grow, 0, 0);
  const auto tree = one_leaf(stage);
  const auto rows = tree.rows_of(0).subspan(3, 9);
  std::map<std::pair<std::uint32_t, std::size_t>, double> counts;
  const double n = 20000.0;
  for (int i = 0; i < 20000; ++i) {
    const auto rule = stage.target.draw_rule(rows, stream);
    counts[{rule.feature, rule.cut}] += 1.0;
  }
  double statistic = 0.0, total = 0.0, df = -1.0, rest = 0.0, rest_counts = 0.0;
  for (std::uint32_t d = 0; d < sample_width; ++d) {
    const auto codes = codes_of(stage.data, d, rows);
    for (std::size_t cut = *codes.begin(); cut < *codes.rbegin(); ++cut) {
      const typename T::Rule rule{d, static_cast<typename T::Code>(cut)};
      const double expected = n * std::exp(slow_log_rule(stage.data, rule, rows));
      const double count = counts[{d, cut}];
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

TEST(rules_are_drawn_as_the_prior_says) {
  check_rules(SumStage(false));
  check_rules(ClassStage(false));
}

TEST(cuts_are_drawn_however_far_apart_values_are) {
  const double huge = 1.7e308;
  const std::vector<double> positions{-huge, 0.0, 0.5 * huge, huge};
  random::Stream stream(15, random::Purpose::grow, 0, 0);
  std::vector<int> counts(3, 0);
  for (int i = 0; i < 4000; ++i) ++counts[draw_cut(positions, CodeRange<Rank>{0, 3}, stream)];
  // Six standard deviations of a binomial: false less than once in 1e8.
  CHECK_NEAR(counts[0], 2000.0, 6.0 * std::sqrt(1000.0));
  CHECK_NEAR(counts[2], 1000.0, 6.0 * std::sqrt(750.0));
  CHECK_NEAR(share_of_range(positions, CodeRange<Rank>{0, 1}, CodeRange<Rank>{0, 3}), 0.5, 1e-15);
}

}  // namespace
}  // namespace hedgerow::posterior_tree
