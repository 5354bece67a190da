// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/learn/grow.hpp"

#include "check.hpp"
#include "hedgerow/mondrian/query/predict.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

TEST(a_grown_forest_is_sound) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {1, 2, 7, 8, 9, 40}) {
      for (const double min_samples_split : {2.0, 3.0, 10.0, 20.0}) {
        for (const double lifetime : {infinity, 0.3, 5.0}) {
          const Sample sample = draw_sample(80, width, kind);
          CHECK(is_sound(grown_forest<GaussianHierarchy>(sample, 2, {min_samples_split, lifetime})));
        }
      }
    }
  }
}

TEST(a_forest_grown_on_many_rows_is_sound) {
  for (const auto& [n, width] : {std::pair<std::size_t, std::size_t>{40000, 2}, {3000, 30}, {300, 300}}) {
    const Sample sample = draw_sample(n, width);
    CHECK((Grower<RunningMoments>::wants_columns(n, width)));
    CHECK(is_sound(grown_forest<RunningMoments>(sample, 1, {10.0, infinity})));
  }
}

TEST(a_forest_grown_after_rows_were_forgotten_is_sound) {
  for (const std::size_t n : {50, 40000}) {  // read row by row, and column by column
    const Sample sample = draw_sample(n, 2, Kind::weighted);
    auto forest = grown_forest<RunningMoments>(sample, 1, {10.0, infinity});
    std::vector<RowId> leaving;
    for (RowId row = 0; row < n; row += 100) leaving.push_back(row);
    forest.forget(leaving, 1);
    forest.grow(0, 1, 1);
    forest.grown();
    CHECK(is_sound(forest));
  }
}

TEST(every_row_lies_in_the_leaf_where_it_falls) {
  const Sample sample = draw_sample(200, 3, Kind::lattice);
  const auto forest = grown_forest<RunningMoments>(sample, 3, {5.0, infinity});
  for (const auto& tree : forest.trees) {
    for (RowId row = 0; row < sample.size(); ++row) {
      bool found = false;
      tree.shape.for_each_row(leaf_of(tree, forest.rows.row(row)), [&](RowId other) { found |= other == row; });
      CHECK(found);
    }
  }
}

TEST(rows_on_one_point_are_one_leaf_without_a_box) {
  const auto forest = grown_forest<RunningMoments>(draw_sample(50, 4, Kind::one_point), 1);
  CHECK(forest.trees[0].shape.nodes.size() == 1);
  CHECK(forest.trees[0].node(0).is_leaf() && forest.trees[0].node(0).box == none);
  CHECK(is_sound(forest));
}

TEST(a_forest_grown_on_no_rows_is_empty) {
  const auto forest = grown_forest<RunningMoments>(draw_sample(0, 2), 2);
  CHECK(forest.trees[0].shape.is_empty() && is_sound(forest));
}

TEST(a_block_splits_iff_it_is_heavy_enough_and_not_a_point) {
  for (const double min_samples_split : {2.0, 7.0}) {
    const auto forest = grown_forest<RunningMoments>(draw_sample(100, 2), 1, {min_samples_split, infinity});
    for (NodeId id = 0; id < forest.trees[0].shape.nodes.size(); ++id) {
      CHECK((forest.trees[0].summaries[id].weight >= min_samples_split) != forest.trees[0].node(id).is_leaf());
    }
  }
}

TEST(a_weight_counts_towards_min_samples_split) {
  Sample sample = draw_sample(2, 1);
  for (const double weight : {4.75, 5.0}) {
    sample.weights = {weight, 5.0};
    const auto forest = grown_forest<RunningMoments>(sample, 1, {10.0, infinity});
    CHECK(forest.trees[0].node(0).is_leaf() == (weight < 5.0));
  }
}

TEST(the_number_of_threads_does_not_show) {
  const Sample sample = draw_sample(300, 4, Kind::weighted);
  const auto alone = grown_forest<GaussianHierarchy>(sample, 7, {}, 1);
  for (const std::size_t n_threads : {2, 3, 16}) {
    CHECK(same_bits(grown_forest<GaussianHierarchy>(sample, 7, {}, n_threads), alone));
  }
}

TEST(a_tree_does_not_change_when_trees_are_added) {
  const Sample sample = draw_sample(100, 3);
  auto more = grown_forest<GaussianHierarchy>(sample, 5);
  more.trees.resize(2, MondrianTree<GaussianHierarchy>(3));
  CHECK(same_bits(more, grown_forest<GaussianHierarchy>(sample, 2)));
}

TEST(growing_again_draws_other_trees) {
  const Sample sample = draw_sample(100, 3);
  auto forest = grown_forest<RunningMoments>(sample, 1);
  const float before = forest.trees[0].node(0).time;
  forest.grow(0, 1, 1);
  forest.grown();
  CHECK(forest.trees[0].node(0).time != before && is_sound(forest));
}

TEST(the_root_splits_at_the_rate_of_its_box) {
  // 4000 trees on a box with sides 1, 2 and 5: mean time 1/8, columns in proportion. Five standard errors.
  Sample sample{3, {0.0, 0.0, 0.0, 1.0, 2.0, 5.0}, {0.0, 1.0}, {}};
  constexpr int n_trees = 4000;
  const auto forest = grown_forest<RunningMoments>(sample, n_trees);
  double time = 0.0, location = 0.0;
  std::vector<double> counts(3, 0.0);
  for (const auto& tree : forest.trees) {
    const Node& root = tree.node(0);
    time += double{root.time} / n_trees;
    counts[root.feature] += 1.0;
    location += double{root.location} / sample.features[3 + root.feature] / n_trees;
  }
  const double standard_error = 1.0 / std::sqrt(n_trees);
  CHECK_NEAR(time, 1.0 / 8.0, 5.0 * standard_error / 8.0);
  CHECK_NEAR(location, 0.5, 5.0 * standard_error / std::sqrt(12.0));
  for (const std::size_t d : {0, 1, 2}) {
    const double share = sample.features[3 + d] / 8.0;
    CHECK_NEAR(counts[d] / n_trees, share, 5.0 * standard_error * std::sqrt(share * (1.0 - share)));
  }
}

TEST(no_split_time_is_rounded_past_the_lifetime) {
  const Sample sample{1, {0.0, 1.0}, {1.0, 2.0}, {}};
  for (const bool online : {false, true}) {
    const auto make = [&](double lifetime) {
      const Growth growth{2.0, lifetime};
      return online ? learned_forest<RunningMoments>(sample, 20, growth)
                    : grown_forest<RunningMoments>(sample, 20, growth);
    };
    const auto endless = make(infinity);
    for (const auto& tree : endless.trees) {  // a lifetime just below the time as it was rounded
      const float time = tree.node(0).time;
      CHECK(is_sound(make(double{time} - 0.125 * (double{std::nextafter(time, 1e9F)} - double{time}))));
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
