// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/learn/forget.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

/// The tree as a reader sees it, whatever its nodes' numbers: splits, and the rows of leaves in order.
template <class M>
std::vector<double> portrait(const Forest<M>& forest, const MondrianTree<M>& tree) {
  std::vector<double> lines;
  std::vector<NodeId> order;
  append_preorder(tree.shape, tree.root, order);
  for (const NodeId id : order) {
    const Node& node = tree.node(id);
    if (node.is_leaf()) {
      std::vector<double> rows;
      tree.shape.for_each_row(id, [&](RowId row) { rows.push_back(row); });
      std::sort(rows.begin(), rows.end());
      lines.push_back(-static_cast<double>(rows.size()));
      lines.insert(lines.end(), rows.begin(), rows.end());
      lines.push_back(double{node.count});
    } else {
      lines.insert(lines.end(), {double{node.time}, static_cast<double>(node.feature), double{node.location}});
    }
    BoxRoom room;
    const Box box = tree.box(id, forest.rows, room);
    lines.insert(lines.end(), box.lower, box.lower + forest.rows.width());
    lines.insert(lines.end(), box.upper, box.upper + forest.rows.width());
  }
  return lines;
}

std::vector<RowId> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<RowId> order(n);
  std::iota(order.begin(), order.end(), 0U);
  random::Stream stream = dice(seed);
  for (std::size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(stream.uniform() * static_cast<double>(i))]);
  }
  return order;
}

TEST(a_forest_is_sound_after_every_forgotten_row) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {1, 3, 40}) {
      for (const double min_samples_split : {2.0, 5.0, 20.0}) {
        for (const double lifetime : {infinity, 0.3, 5.0}) {
          const Sample sample = draw_sample(40, width, kind);
          auto forest = grown_forest<GaussianHierarchy>(sample, 2, {min_samples_split, lifetime});
          for (const RowId row : shuffled(sample.size(), width)) {
            forest.forget(std::vector{row}, 1);
            CHECK(is_sound(forest));
          }
          CHECK(forest.rows.size() == 0 && forest.trees[0].shape.is_empty());
        }
      }
    }
  }
}

TEST(forgetting_the_latest_row_restores_the_tree) {
  for (const Kind kind : all_kinds) {
    for (const double min_samples_split : {2.0, 4.0, 10.0}) {
      for (const double lifetime : {infinity, 2.0}) {
        const Sample sample = draw_sample(40, 3, kind);
        auto forest = empty_forest<RunningMoments>(3, 2, {min_samples_split, lifetime});
        forest.learn(sample.batch(0, 1), 1);
        for (std::size_t i = 1; i < sample.size(); ++i) {
          const auto before = portrait(forest, forest.trees[1]);
          forest.learn(sample.batch(i, 1), 1);
          forest.forget(std::vector{static_cast<RowId>(i)}, 1);
          CHECK(portrait(forest, forest.trees[1]) == before);
          forest.learn(sample.batch(i, 1), 1);
        }
      }
    }
  }
}

TEST(the_order_of_forgetting_does_not_show) {
  const Sample sample = draw_sample(60, 2, Kind::weighted_duplicates);
  auto there = grown_forest<RunningMoments>(sample, 2, {4.0, infinity}),
       back = grown_forest<RunningMoments>(sample, 2, {4.0, infinity});
  std::vector<RowId> leaving = shuffled(60, 5);
  leaving.resize(35);
  there.forget(leaving, 1);
  std::reverse(leaving.begin(), leaving.end());
  back.forget(leaving, 2);
  for (std::size_t b = 0; b < 2; ++b) CHECK(portrait(there, there.trees[b]) == portrait(back, back.trees[b]));
}

TEST(splits_that_still_separate_rows_stay) {
  const Sample sample = draw_sample(30, 2);
  auto forest = grown_forest<RunningMoments>(sample, 1);
  const auto times = [&] {
    std::vector<float> found;
    std::vector<NodeId> order;
    append_preorder(forest.trees[0].shape, 0, order);
    for (const NodeId id : order) {
      if (!forest.trees[0].node(id).is_leaf()) found.push_back(forest.trees[0].node(id).time);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  for (RowId row = 0; row < 29; ++row) {
    const auto before = times();
    forest.forget(std::vector{row}, 1);
    const auto after = times();
    CHECK(after.size() + 1 == before.size());  // with min_samples_split 2 exactly one split loses its meaning
    CHECK(std::includes(before.begin(), before.end(), after.begin(), after.end()));
  }
}

TEST(forgetting_a_row_that_is_not_there_is_refused) {
  const Sample sample = draw_sample(10, 2);
  auto forest = grown_forest<RunningMoments>(sample, 1);
  Forgetter<RunningMoments> forgetter;
  forgetter.forget(forest.trees[0], 3, forest.rows, forest.growth, forest.model);
  CHECK_THROWS(std::logic_error, forgetter.forget(forest.trees[0], 3, forest.rows, forest.growth, forest.model));
}

TEST(forgetting_many_rows_at_once_is_forgetting_them_one_by_one) {
  for (const Kind kind : all_kinds) {
    for (const Growth growth : {Growth{}, Growth{6.0, infinity}, Growth{2.0, 0.7}}) {
      for (const RowId every : {1U, 2U, 5U}) {
        const Sample sample = with_classes(draw_sample(60, 2, kind, 12));
        auto forest = grown_forest<StableHierarchy>(sample, 2, growth);
        const auto leaves = [every](RowId row) { return row % every == 0; };
        std::vector<RowId> leaving;
        for (RowId row = 0; row < sample.size(); row += every) leaving.push_back(row);
        for (const RowId row : leaving) forest.places.leave(forest.rows, row);
        for (auto& tree : forest.trees) {
          auto one_by_one = tree;
          Forgetter<StableHierarchy> forgetter;
          forgetter.forget_all(tree, leaving, leaves, forest.rows, growth, forest.model);
          for (const RowId row : leaving) forgetter.forget(one_by_one, row, forest.rows, growth, forest.model);
          std::vector<NodeId> nodes, others;
          append_preorder(tree.shape, tree.root, nodes);
          append_preorder(one_by_one.shape, one_by_one.root, others);
          CHECK(portrait(forest, tree) == portrait(forest, one_by_one) && nodes.size() == others.size());
          for (std::size_t k = 0; k < nodes.size(); ++k) {
            CHECK(nearly(tree.summaries[nodes[k]], one_by_one.summaries[others[k]]));
          }
          CHECK_THROWS(std::logic_error,
                       forgetter.forget_all(tree, leaving, leaves, forest.rows, growth, forest.model));
        }
      }
    }
  }
}

TEST(rows_are_located_by_what_they_are) {
  for (const Kind kind : {Kind::plain, Kind::weighted, Kind::lattice}) {
    const Sample sample = draw_sample(50, 3, kind);
    const auto forest = learned_forest<RunningMoments>(sample, 2, {5.0, infinity});
    const auto located = forest.locate(sample.all());
    CHECK(located.size() == 50);
    for (std::size_t i = 0; i < located.size(); ++i) CHECK(forest.rows.labels[located[i]] == sample.labels[i]);
  }
}

TEST(equal_rows_are_each_located_once) {
  Sample sample = draw_sample(1, 2);
  for (int i = 0; i < 2; ++i) {
    sample.features.insert(sample.features.end(), {sample.features[0], sample.features[1]});
    sample.labels.push_back(sample.labels[0]);
  }
  const auto forest = learned_forest<RunningMoments>(sample, 1);
  auto located = forest.locate(sample.all());
  std::sort(located.begin(), located.end());
  CHECK((located == std::vector<RowId>{0, 1, 2}));
  sample.features.insert(sample.features.end(), {sample.features[0], sample.features[1]});
  sample.labels.push_back(sample.labels[0]);
  CHECK(forest.locate(sample.all()).size() == 3);
}

TEST(a_row_with_another_label_or_weight_is_not_located) {
  Sample sample = draw_sample(20, 2, Kind::weighted);
  const auto forest = learned_forest<RunningMoments>(sample, 1);
  const double label = sample.labels[0];
  sample.labels[0] += 1.0;
  CHECK(forest.locate(sample.batch(0, 1)).empty());
  sample.labels[0] = label;
  sample.weights[0] += 1.0;
  CHECK(forest.locate(sample.batch(0, 1)).empty());
}

TEST(labels_seen_are_those_of_the_rows_held) {
  const Sample sample = draw_sample(40, 2, Kind::weighted);
  auto forest = learned_forest<RunningMoments>(sample, 1);
  std::vector<RowId> leaving(25);
  std::iota(leaving.begin(), leaving.end(), 0U);
  forest.forget(leaving, 1);
  RunningMoments::Summary expected;
  for (std::size_t i = 25; i < 40; ++i) RunningMoments{}.add(expected, sample.labels[i], sample.weights[i]);
  CHECK(nearly(forest.labels_seen, expected));
}

}  // namespace
}  // namespace hedgerow::mondrian
