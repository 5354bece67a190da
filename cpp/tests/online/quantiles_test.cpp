// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/quantiles.hpp"

#include "check.hpp"
#include "hedgerow/online/archive.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

TEST(a_score_is_the_reach_that_just_covers) {
  const Sample sample = draw_stream(400, 3);
  QuantileForest forest(some_growth(3), 3, 5);
  forest.learn(sample.all(), 1);
  LabelQuantiles asked;
  std::vector<float> x(3);
  for (std::size_t i = 0; i < 50; ++i) {
    forest.shift(sample.features.data() + 3 * i, x.data());
    asked.ask(forest, {x.data(), nullptr, 0.0, 0.0});
    for (const double label : {sample.labels[i], -100.0, 100.0, asked.plain(0.5), asked.plain(0.1), asked.plain(1.0)}) {
      const double reach = asked.score(label);
      CHECK(asked.lower(0.5 - reach) <= label + 1e-9 && label <= asked.upper(0.5 + reach) + 1e-9);
      if (reach < 1e-6) continue;
      const double less = reach - 1e-6;
      CHECK(asked.lower(0.5 - less) > label || label > asked.upper(0.5 + less));
    }
  }
}

TEST(children_inherit_the_labels_that_were_kept) {
  const Sample sample = draw_stream(300, 3);
  Growth growth = some_growth(3);
  growth.leaf_capacity = 1000;
  growth.sketch_size = 1000;
  QuantileForest forest(growth, 3, 11);
  forest.learn(sample.all(), 1);
  for (const auto& slot : forest.slots) {
    CHECK(slot.tree.leaves.size() > 1);
    std::vector<std::vector<double>> expected(slot.tree.leaves.size());
    std::vector<float> x(3);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      forest.shift(sample.features.data() + 3 * i, x.data());
      auto& labels = expected[slot.tree.leaf_of(x.data())];
      labels.insert(labels.end(), slot.copies(i, growth.bagging_rate), sample.labels[i]);
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      std::sort(expected[k].begin(), expected[k].end());
      CHECK(slot.tree.leaves[k].labels.sketch.level(0) == expected[k]);
    }
  }
}

TEST(weights_that_are_not_whole_count_on_average) {
  SketchedLabels labels;
  for (int i = 0; i < 4000; ++i) labels.add(1.0, 0.3, Growth{}, {1, 2, 3});
  CHECK_NEAR(static_cast<double>(labels.sketch.total()), 1200.0, 5.0 * std::sqrt(4000 * 0.21));  // five deviations
  SketchedLabels more;
  for (int i = 0; i < 4000; ++i) more.add(1.0, 2.5, Growth{}, {1, 2, 3});
  CHECK_NEAR(static_cast<double>(more.sketch.total()), 10000.0, 5.0 * std::sqrt(4000 * 0.25));
}

TEST(sketches_come_back_from_archives) {
  const Sample sample = draw_stream(2000, 3);
  Growth growth = some_growth(3);
  growth.max_nodes = 5;
  growth.sketch_size = 16;
  QuantileForest forest(growth, 2, 1), other(growth, 2, 1);
  forest.learn(sample.batch(0, 1500), 1);
  restore(other, archived(forest));
  forest.learn(sample.batch(1500, 2000), 1);
  other.learn(sample.batch(1500, 2000), 1);
  CHECK(archived(forest).get<double>("leaves.labels") == archived(other).get<double>("leaves.labels"));
  Archive broken = archived(forest);
  broken.get<double>("leaves.labels")[0] = 60.0;
  CHECK_THROWS(std::invalid_argument, restore(other, broken));
  broken = archived(forest);
  broken.get<double>("leaves.labels")[3] = 0.5;
  CHECK_THROWS(std::invalid_argument, restore(other, broken));
  broken = archived(forest);
  broken.get<double>("leaves.labels").pop_back();
  CHECK_THROWS(std::invalid_argument, restore(other, broken));
}

}  // namespace
}  // namespace hedgerow::online
