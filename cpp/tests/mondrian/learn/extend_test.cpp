// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/learn/extend.hpp"

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

TEST(a_forest_is_sound_after_every_learned_row) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {1, 3, 8, 40}) {
      for (const double min_samples_split : {2.0, 5.0, 20.0}) {
        for (const double lifetime : {infinity, 0.3, 5.0}) {
          const Sample sample = draw_sample(40, width, kind);
          auto forest = empty_forest<GaussianHierarchy>(width, 2, {min_samples_split, lifetime});
          for (std::size_t i = 0; i < sample.size(); ++i) {
            forest.learn(sample.batch(i, 1), 1);
            CHECK(is_sound(forest));
          }
        }
      }
    }
  }
}

TEST(a_forest_with_a_window_is_sound_after_every_learned_row) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t window : {1, 2, 15}) {
      const Sample sample = draw_sample(40, 2, kind);
      auto forest = empty_forest<RunningMoments>(2, 2, {3.0, infinity}, window);
      for (std::size_t i = 0; i < sample.size(); ++i) {
        forest.learn(sample.batch(i, 1), 1);
        CHECK(is_sound(forest));
        CHECK(forest.rows.size() == std::min(i + 1, window));
      }
    }
  }
}

TEST(two_rows_are_parted_as_the_grower_would) {
  std::size_t n_parted = 0;
  for (std::uint32_t b = 0; b < 50; ++b) {
    for (const double lifetime : {infinity, 0.25}) {
      const Sample sample = draw_sample(2, 9, Kind::plain, b);
      const auto forest = learned_forest<GaussianHierarchy>(sample, 1, {2.0, lifetime});
      MondrianTree<GaussianHierarchy> tree(9);
      tree.shape.plant();
      tree.summaries.resize(1);
      BoxRoom room;
      const Box box = room.around({{0, 1}, 2}, forest.rows.features.data(), 9);
      random::Stream stream(forest.seed, random::Purpose::extend, 0, 1);
      stream.exponential();  // the second row's budget
      const std::vector<RowId> members{1, 0};
      Grower<GaussianHierarchy>().grow(tree, tree.root, box, 0.0, members, nullptr, forest.setting(), stream);
      const Node &found = forest.trees[0].node(0), &expected = tree.node(0);
      CHECK(forest.trees[0].shape.nodes.size() == tree.shape.nodes.size() && found.feature == expected.feature);
      CHECK(forest.trees[0].summaries[0].mean == tree.summaries[0].mean);
      if (expected.is_leaf()) continue;
      ++n_parted;
      CHECK(found.location == expected.location && found.time == expected.time);
      CHECK(forest.trees[0].node(1).first_row == tree.node(1).first_row);
      CHECK(forest.trees[0].summaries[1].mean == tree.summaries[1].mean);
    }
  }
  CHECK(n_parted > 60 && n_parted < 90);  // both happen
}

/// Two rows learned one after the other, and grown by hand with the draws that the second row has.
struct Pair {
  Forest<StableHierarchy> forest = empty_forest<StableHierarchy>(9, 1);
  MondrianTree<StableHierarchy> grown{9};

  Pair(const Sample& sample, Growth growth, bool pause_pure) {
    forest.growth = growth;
    forest.model.pause_pure = pause_pure;
    forest.learn(sample.all(), 1);
    grown.shape.plant();
    grown.summaries.resize(1);
    BoxRoom room;
    const Box box = room.around({{0, 1}, 2}, forest.rows.features.data(), 9);
    random::Stream stream(forest.seed, random::Purpose::extend, 0, 1);
    stream.exponential();  // the second row's budget
    const std::vector<RowId> members{1, 0};
    Grower<StableHierarchy>().grow(grown, grown.root, box, 0.0, members, nullptr, forest.setting(), stream);
  }
};

TEST(two_rows_are_parted_as_the_grower_would_unless_they_are_of_one_class) {
  std::size_t n_parted = 0, n_whole = 0;
  for (std::uint32_t b = 0; b < 50; ++b) {
    for (const Growth growth : {Growth{2.0, infinity}, Growth{2.0, 0.25}}) {
      for (const bool pause_pure : {true, false}) {
        for (const double other_class : {0.0, 2.0}) {
          Sample sample = draw_sample(2, 9, Kind::plain, b);
          sample.labels = {0.0, other_class};
          const Pair pair(sample, growth, pause_pure);
          const auto& learned = pair.forest.trees[0];
          const Node &found = learned.node(0), &expected = pair.grown.node(0);
          CHECK(is_sound(pair.forest) && found.feature == expected.feature);
          CHECK(learned.summaries.values() == pair.grown.summaries.values());
          if (pause_pure && other_class == 0.0) CHECK(found.is_leaf());
          if (!found.is_leaf()) CHECK(found.location == expected.location && found.time == expected.time);
          if (!found.is_leaf()) CHECK(learned.node(1).first_row == pair.grown.node(1).first_row);
          ++(found.is_leaf() ? n_whole : n_parted);
        }
      }
    }
  }
  CHECK(n_parted > 200 && n_whole > 110);  // 100 of them pure
}

TEST(a_window_keeps_the_latest_rows) {
  const Sample sample = draw_sample(30, 2);
  const auto forest = learned_forest<RunningMoments>(sample, 1, {}, 4);
  CHECK(forest.arrival_order.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(forest.rows.labels[forest.arrival_order[i]] == sample.labels[26 + i]);
  CHECK_NEAR(forest.labels_seen.weight, 4.0, 1e-12);
}

TEST(a_grown_forest_learns_on) {
  for (const Kind kind : all_kinds) {
    const Sample sample = draw_sample(120, 3, kind), more = draw_sample(40, 3, kind, 2);
    auto forest = grown_forest<GaussianHierarchy>(sample, 2, {4.0, infinity});
    forest.learn(more.all(), 1);
    CHECK(is_sound(forest) && forest.rows.size() == 160);
  }
}

template <class M = GaussianHierarchy>
Forest<M> learned_in_chunks(const Sample& sample, std::size_t size, std::size_t window) {
  auto forest = empty_forest<M>(sample.width, 3, {5.0, infinity}, window);
  for (std::size_t i = 0; i < sample.size(); i += size) {
    forest.learn(sample.batch(i, std::min(size, sample.size() - i)), 1);
  }
  return forest;
}

TEST(chunks_do_not_show) {
  for (const Kind kind : all_kinds) {
    const Sample sample = draw_sample(60, 3, kind);
    const auto at_once = learned_in_chunks(sample, 60, 0);
    const Sample classes = with_classes(sample);
    const auto classes_at_once = learned_in_chunks<StableHierarchy>(classes, 60, 0);
    for (const std::size_t size : {1, 7, 59}) {
      CHECK(same_bits(learned_in_chunks(sample, size, 0), at_once));
      CHECK(same_bits(learned_in_chunks<StableHierarchy>(classes, size, 0), classes_at_once));
    }
  }
}

TEST(chunks_do_not_show_in_the_trees_of_a_window) {  // but in the numbers of rows, which a chunk frees at its end
  for (const Kind kind : all_kinds) {
    const Sample sample = draw_sample(60, 3, kind);
    const auto at_once = archived(learned_in_chunks(sample, 60, 20));
    for (const std::size_t size : {1, 7, 59}) {
      const auto in_chunks = archived(learned_in_chunks(sample, size, 20));
      CHECK(same_trees(in_chunks, at_once));
      CHECK(in_chunks.get<double>("seen.labels") == at_once.get<double>("seen.labels"));
    }
  }
}

TEST(threads_do_not_show_in_what_was_learned) {
  const Sample sample = draw_sample(200, 3, Kind::weighted_duplicates);
  const auto alone = learned_forest<GaussianHierarchy>(sample, 5, {3.0, infinity}, 50);
  for (const std::size_t n_threads : {2, 4}) {
    auto forest = empty_forest<GaussianHierarchy>(3, 5, {3.0, infinity}, 50);
    forest.learn(sample.all(), n_threads);
    CHECK(same_bits(forest, alone));
  }
}

TEST(weights_that_reach_the_threshold_but_for_rounding_reach_it_everywhere) {
  for (const double min_samples_split : {2.0, 3.0, 5.0, 10.0}) {
    for (const double weight : {0.1, 0.2, 0.3, 0.7, 1.0 / 3.0}) {
      Sample sample = draw_sample(200, 2);
      sample.weights.assign(200, weight);
      CHECK(is_sound(grown_forest<RunningMoments>(sample, 2, {min_samples_split, infinity})));
      CHECK(is_sound(learned_forest<RunningMoments>(sample, 2, {min_samples_split, infinity})));
    }
  }
}

TEST(a_row_inside_its_box_leaves_the_splits_alone) {
  const Sample sample = draw_sample(50, 2);
  auto forest = learned_forest<RunningMoments>(sample, 1, {2.0, 1.0});
  const std::size_t n_nodes = forest.trees[0].shape.nodes.size();
  forest.learn(sample.batch(7, 1), 1);  // a copy of a row falls inside every box on its path
  CHECK(forest.trees[0].shape.nodes.size() == n_nodes && is_sound(forest));
}

TEST(the_second_row_splits_the_root_at_the_rate_of_the_gap) {
  // 4000 trees, two rows at distance 1 + 3: mean time 1/4 and the second column three times in four.
  Sample sample{2, {0.0, 0.0, 1.0, -3.0}, {0.0, 1.0}, {}};
  constexpr int n_trees = 4000;
  const auto forest = learned_forest<RunningMoments>(sample, n_trees);
  double time = 0.0, second = 0.0;
  for (const auto& tree : forest.trees) {
    time += double{tree.node(0).time} / n_trees;
    second += static_cast<double>(tree.node(0).feature) / n_trees;
  }
  CHECK_NEAR(time, 0.25, 5.0 * 0.25 / std::sqrt(n_trees));
  CHECK_NEAR(second, 0.75, 5.0 * std::sqrt(0.75 * 0.25 / n_trees));
}

TEST(a_third_row_branches_off_at_the_rate_of_its_distance) {
  // Rows at 0 and 1, then one at 4: the root is split first at rate 4, and beyond 1 three times in four.
  Sample sample{1, {0.0, 1.0, 4.0}, {0.0, 1.0, 2.0}, {}};
  constexpr int n_trees = 4000;
  const auto forest = learned_forest<RunningMoments>(sample, n_trees);
  double time = 0.0, beyond = 0.0;
  for (const auto& tree : forest.trees) {
    time += double{tree.node(0).time} / n_trees;
    beyond += static_cast<double>(tree.node(0).location >= 1.0F) / n_trees;
  }
  CHECK_NEAR(time, 0.25, 5.0 * 0.25 / std::sqrt(n_trees));
  CHECK_NEAR(beyond, 0.75, 5.0 * std::sqrt(0.75 * 0.25 / n_trees));
}

}  // namespace
}  // namespace hedgerow::mondrian
