// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/forest.hpp"

#include "check.hpp"
#include "hedgerow/mondrian/archive.hpp"
#include "hedgerow/mondrian/query/query_rule.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(a_rescaled_forest_holds_the_same_rows_in_other_units) {
  const Sample sample = draw_sample(40, 2, Kind::weighted);
  auto forest = learned_forest<RunningMoments>(sample, 2, {3.0, infinity});
  forest.forget(std::vector<RowId>{4, 9}, 1);
  Scaling other = unit_scaling(2);
  other.values = {0.25, -1.0};
  other.slopes = {4.0, 0.5};
  auto fresh = forest.rescaled(other);
  fresh.grow(0, 2, 1);
  fresh.grown();
  CHECK(is_sound(fresh) && fresh.rows.size() == 38);
  for (const RowId row : {0U, 5U, 39U}) {
    for (const std::size_t d : {0, 1}) {
      CHECK(fresh.rows.as_given(row)[d] == sample.features[2 * row + d]);
      CHECK(fresh.rows.row(row)[d] == other.image(d, sample.features[2 * row + d]));
    }
  }
}

TEST(rows_are_located_after_rescaling) {
  const Sample sample = draw_sample(40, 2);
  const auto forest = learned_forest<RunningMoments>(sample, 1);
  Scaling other = unit_scaling(2);
  other.values = {0.3, 0.1};
  other.slopes = {1.0 / 3.0, 7.0};
  auto fresh = forest.rescaled(other);
  fresh.grow(0, 1, 1);
  fresh.grown();
  const auto located = fresh.locate(sample.all());
  CHECK(located.size() == 40);
  for (std::size_t i = 0; i < located.size(); ++i) CHECK(located[i] == i);
}

TEST(a_forest_that_keeps_few_trees_is_one_made_with_few) {
  const Sample sample = draw_sample(60, 2);
  auto fewer = learned_forest<RunningMoments>(sample, 5), made = learned_forest<RunningMoments>(sample, 3);
  fewer.keep_trees(3);
  CHECK(fewer.trees.size() == 3 && is_sound(fewer));
  CHECK(all_summaries(fewer) == all_summaries(made));
  for (const std::size_t n : {0U, 4U}) CHECK_THROWS(std::invalid_argument, fewer.keep_trees(n));
}

TEST(another_model_renews_all_summaries) {
  auto forest = learned_forest<GaussianHierarchy>(draw_sample(40, 2, Kind::weighted), 3);
  forest.set_model(GaussianHierarchy::make(3.0, 2.0, infinity), 2);
  CHECK(is_sound(forest));
}

TEST(a_query_follows_the_labels_or_stays) {
  RunningMoments::Summary seen;
  for (const double label : {1.0, 3.0}) RunningMoments{}.add(seen, label, 1.0);
  const auto follows = QueryRule{nan, nan, 2.0, 0.0}.at(seen), stays = QueryRule{7.0, 8.0, 2.0, 0.0}.at(seen);
  CHECK(follows.centre == 2.0 && follows.variance == 2.0);
  CHECK(stays.centre == 7.0 && stays.variance == 8.0);
}

TEST(a_query_without_labels_has_a_positive_variance) {
  const auto none_seen = QueryRule{nan, nan, 2.0, 0.0}.at({});
  CHECK(none_seen.centre == 0.0 && none_seen.variance > 0.0);
  RunningMoments::Summary seen;
  for (int i = 0; i < 5; ++i) RunningMoments{}.add(seen, 0.0, 1.0);
  CHECK((QueryRule{nan, nan, 2.0, 0.0}.at(seen).variance > 0.0));
}

}  // namespace
}  // namespace hedgerow::mondrian
