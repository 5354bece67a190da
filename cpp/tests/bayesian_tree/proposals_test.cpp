// SPDX-License-Identifier: BSD-3-Clause
// The scan over cuts, and the tables of the optimal proposal, against cutting at every place by hand.
#include "hedgerow/bayesian_tree/proposals.hpp"

#include "bayesian_tree/sample_problem.hpp"
#include "check.hpp"

namespace hedgerow::bayesian_tree {
namespace {

/// log(share) + log likelihood of both sides for the gap after each distinct value.
template <class M>
std::vector<double> cut_by_hand(const Problem<M>& problem, const Block<M>& block, std::uint32_t feature) {
  std::vector<double> found;
  Sides sides;
  std::vector<Rank> ranks;
  for (const RowId row : block.rows) ranks.push_back(problem.data.column(feature)[row]);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const auto& values = problem.data.positions[feature];
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    const auto children = divide(problem, block, {feature, values[ranks[i]]}, sides);
    const double share = (values[ranks[i + 1]] - values[ranks[i]]) / (values[ranks.back()] - values[ranks.front()]);
    found.push_back(std::log(share) + children->first->log_marginal + children->second->log_marginal);
  }
  return found;
}

template <class M>
void check_scan(const Problem<M>& problem) {
  Sides sides;
  const auto root = root_block(problem);
  const auto inner = divide(problem, *root, {1, 0.0}, sides)->second;
  for (const Block<M>* block : {root.get(), inner.get()}) {
    SplitScan scan;
    for (const std::uint32_t feature : {0U, 1U, 3U}) {
      const auto expected = cut_by_hand(problem, *block, feature);
      const double total =
          scan.run(problem, *block, {feature, posterior_tree::range_of(problem.data.column(feature), block->rows)});
      CHECK(scan.gaps.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK_NEAR(scan.gaps[i].log_weight, expected[i], 1e-9);
      CHECK_NEAR(total, particle::log_sum_exp(expected), 1e-9);
    }
  }
}

TEST(a_scan_weighs_every_cut_of_classes) { check_scan(class_problem()); }
TEST(a_scan_weighs_every_cut_of_weighted_classes) { check_scan(class_problem(true)); }
TEST(a_scan_weighs_every_cut_of_numbers) { check_scan(real_problem()); }
TEST(a_scan_weighs_every_cut_of_weighted_numbers) { check_scan(real_problem(true)); }

TEST(a_table_adds_up_to_stopping_and_all_cuts) {
  const auto problem = real_problem();
  const auto root = root_block(problem);
  SplitScan scan;
  const SplitTable table =
      split_table(problem, *root, posterior_tree::varying_features(problem.data, root->rows), scan);
  std::vector<double> logs{problem.prior.log_stop(0) + root->log_marginal};
  for (const std::uint32_t feature : {0U, 1U, 3U}) {
    for (const double cut : cut_by_hand(problem, *root, feature)) {
      logs.push_back(problem.prior.log_split(0) - std::log(3.0) + cut);
    }
  }
  CHECK_NEAR(table.log_total, particle::log_sum_exp(logs), 1e-9);
}

/// Over all pairs of the three features that vary, tables have the optimal one as their mean.
TEST(tables_of_some_features_have_the_right_mean) {
  const auto problem = class_problem();
  const auto root = root_block(problem);
  SplitScan scan;
  double mean = 0.0;
  for (const std::vector<std::uint32_t>& some : std::vector<std::vector<std::uint32_t>>{{0, 1}, {0, 3}, {1, 3}}) {
    mean += std::exp(split_table(problem, *root, some, scan).log_total - root->log_marginal) / 3.0;
  }
  const double whole = split_table(problem, *root, {0, 1, 3}, scan).log_total;
  CHECK_NEAR(std::log(mean) + root->log_marginal, whole, 1e-10);
}

/// What the optimal proposal draws, counted; at 6 standard deviations a false alarm is rarer than 1e-7.
TEST(the_optimal_proposal_draws_what_its_table_says) {
  const auto problem = class_problem();
  Sides sides;
  const auto block = divide(problem, *root_block(problem), {1, 2.0}, sides)->second;
  Workspace room;
  constexpr int n_draws = 4000;
  std::vector<double> counts(5, 0.0);
  for (std::uint64_t event = 0; event < n_draws; ++event) {
    random::Stream stream(3, random::Purpose::particle_step, 0, event);
    const Decision decision = decide_optimally(problem, *block, room, stream);
    ++counts[decision.rule ? decision.rule->feature : 4];
    double log_likelihood = block->log_marginal;
    if (decision.rule) {
      const auto children = divide(problem, *block, *decision.rule, sides);
      log_likelihood = children->first->log_marginal + children->second->log_marginal;
    }
    CHECK_NEAR(decision.log_prior_over_proposal + log_likelihood, block->table->log_total, 1e-9);
  }
  const SplitTable& table = *block->table;
  for (std::size_t i = 0; i <= table.features.size(); ++i) {
    const bool stops = i == table.features.size();
    const double p = std::exp((stops ? table.log_stop : table.log_splits[i]) - table.log_total);
    CHECK_NEAR(counts[stops ? 4 : table.features[i]], n_draws * p, 6.0 * std::sqrt(n_draws * p * (1.0 - p)) + 1e-9);
  }
}

TEST(equal_rows_stop_and_change_no_weight) {
  const auto problem = class_problem();
  const auto block = new_block(problem, {0, 1}, 3);
  Workspace room;
  for (std::uint64_t event = 0; event < 50; ++event) {
    random::Stream stream(3, random::Purpose::particle_step, 0, event);
    for (const Decision& decision :
         {decide_by_prior(problem, *block, stream), decide_empirically(problem, *block, room, stream),
          decide_optimally(problem, *block, room, stream), decide_among_few(problem, *block, 2, room, stream)}) {
      CHECK(!decision.rule);
      CHECK_NEAR(decision.log_prior_over_proposal, 0.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace hedgerow::bayesian_tree
