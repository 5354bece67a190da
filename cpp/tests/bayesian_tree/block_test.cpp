// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bayesian_tree/block.hpp"

#include <set>

#include "bayesian_tree/sample_problem.hpp"
#include "check.hpp"

namespace hedgerow::bayesian_tree {
namespace {

TEST(ranks_order_values_and_ties_share_one) {
  const std::vector<double> x{3.0, -1.0, 3.0, -0.0, 0.0, 7.0};
  const RankedRows data(Points{x.data(), 6, 1}, std::vector<double>(6, 0.0), {}, 2);
  CHECK((data.codes == std::vector<Rank>{2, 0, 2, 1, 1, 3}));
  CHECK((data.positions[0] == std::vector<double>{-1.0, 0.0, 3.0, 7.0}));
  CHECK(data.rank_at(0, -1.0) == 0 && data.rank_at(0, 2.9) == 1 && data.rank_at(0, 3.0) == 2);
}

TEST(a_rule_sends_every_row_to_one_side) {
  const auto problem = class_problem();
  Sides sides;
  const auto root = root_block(problem);
  const auto children = divide(problem, *root, {1, 0.3}, sides);
  CHECK(children.has_value());
  CHECK(children->first->rows.size() + children->second->rows.size() == sample_rows);
  const auto& values = problem.data.positions[1];
  for (const RowId row : children->first->rows) CHECK(values[problem.data.column(1)[row]] <= 0.3);
  for (const RowId row : children->second->rows) CHECK(values[problem.data.column(1)[row]] > 0.3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(children->first->summary.counts[k] + children->second->summary.counts[k] == root->summary.counts[k]);
  }
  CHECK(children->first->depth == 1 && children->second->depth == 1);
}

TEST(a_rule_that_leaves_a_side_empty_makes_no_blocks) {
  const auto problem = class_problem();
  Sides sides;
  const auto root = root_block(problem);
  CHECK(!divide(problem, *root, {1, -100.0}, sides));
  CHECK(!divide(problem, *root, {1, 100.0}, sides));
  CHECK(!divide(problem, *root, {2, 3.0}, sides));
}

TEST(equal_rows_are_not_splittable) {
  const auto problem = class_problem();
  CHECK(!posterior_tree::is_splittable(problem.data, std::vector<RowId>{0, 1}));
  CHECK(!posterior_tree::is_splittable(problem.data, std::vector<RowId>{4}));
  CHECK(posterior_tree::is_splittable(problem.data, root_block(problem)->rows));
  CHECK(posterior_tree::varying_features(problem.data, std::vector<RowId>{0, 1}).empty());
  CHECK((posterior_tree::varying_features(problem.data, root_block(problem)->rows) ==
         std::vector<std::uint32_t>{0, 1, 3}));
}

TEST(rules_drawn_from_the_prior_divide_and_reach_every_feature) {
  const auto problem = class_problem();
  const auto root = root_block(problem);
  Sides sides;
  std::vector<int> counts(sample_width, 0);
  constexpr int n_draws = 3000;
  for (std::uint64_t event = 0; event < n_draws; ++event) {
    random::Stream stream(1, random::Purpose::particle_step, 0, event);
    const auto chosen = posterior_tree::draw_varying_feature(problem.data, root->rows, stream);
    const Rule rule = draw_rule(problem.data, *chosen, stream);
    CHECK(divide(problem, *root, rule, sides).has_value());
    ++counts[rule.feature];
  }
  CHECK(counts[2] == 0);
  // Six standard deviations of a binomial: false less than once in 1e8.
  for (const int d : {0, 1, 3})
    CHECK_NEAR(counts[static_cast<std::size_t>(d)], n_draws / 3.0, 6.0 * std::sqrt(n_draws * 2.0 / 9.0));
}

TEST(one_varying_feature_among_many_is_found) {
  constexpr std::size_t width = 300;
  std::vector<double> x(2 * width, 1.0);
  x[width + 217] = 2.0;
  const RankedRows data(Points{x.data(), 2, width}, {0.0, 0.0}, {}, 1);
  const std::vector<RowId> rows{0, 1};
  for (std::uint64_t event = 0; event < 50; ++event) {
    random::Stream stream(1, random::Purpose::particle_step, 0, event);
    CHECK(posterior_tree::draw_varying_feature(data, rows, stream)->feature == 217);
  }
  random::Stream stream(1, random::Purpose::particle_step, 0, 0);
  CHECK(!posterior_tree::draw_varying_feature(data, std::vector<RowId>{1}, stream));
}

TEST(locations_fall_between_values_however_close_or_far) {
  const double huge = 1.7e308, tiny = 5e-324;
  random::Stream stream(1, random::Purpose::particle_step, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    const double wide = posterior_tree::draw_between(-huge, huge, stream);
    CHECK(std::isfinite(wide) && wide >= -huge && wide < huge);
    CHECK(posterior_tree::draw_between(0.0, tiny, stream) == 0.0);
    CHECK(posterior_tree::draw_between(1.0, std::nextafter(1.0, 2.0), stream) == 1.0);
  }
  const std::vector<double> values{-huge, 0.0, huge};
  CHECK_NEAR(posterior_tree::share_of_range(values, RankRange{0, 1}, RankRange{0, 2}), 0.5, 1e-15);
  CHECK_NEAR(posterior_tree::share_of_range({0.0, tiny, 4.0 * tiny}, RankRange{0, 1}, RankRange{0, 2}), 0.25, 1e-15);
}

}  // namespace
}  // namespace hedgerow::bayesian_tree
