// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/forest.hpp"

#include "check.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

/// Every leaf says what the rows routed to it since its birth say: here, with all rows kept, all rows in the tree's
/// bag.
TEST(a_leaf_knows_exactly_the_rows_of_its_bag) {
  const Sample sample = draw_stream(300, 3);
  Growth growth = some_growth(3);
  growth.leaf_capacity = 1000;
  Forest<NoMore> forest(growth, 3, 11);
  forest.learn(sample.all(), 1);
  for (const auto& slot : forest.slots) {
    CHECK(slot.tree.nodes.size() > 1 && slot.tree.nodes.size() == 2 * slot.tree.leaves.size() - 1);
    std::vector<label::LabelMoments> expected(slot.tree.leaves.size());
    std::vector<float> x(3);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const std::uint32_t n = slot.copies(i, growth.bagging_rate);
      forest.shift(sample.features.data() + 3 * i, x.data());
      if (n > 0) expected[slot.tree.leaf_of(x.data())].add(sample.labels[i], n);
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      CHECK_NEAR(slot.tree.leaves[k].moments.weight, expected[k].weight, 1e-9);
      CHECK_NEAR(slot.tree.leaves[k].moments.mean, expected[k].mean, 1e-9);
      CHECK_NEAR(slot.tree.leaves[k].moments.squares, expected[k].squares, 1e-9);
    }
  }
}

TEST(bags_are_poisson) {
  const AdaptiveTree<NoMore> slot(3, 1, some_growth(1));
  std::vector<double> counts(8, 0.0);
  const int n = 20000;
  for (int i = 0; i < n; ++i) counts[std::min<std::size_t>(7, slot.copies(static_cast<std::uint64_t>(i), 1.0))] += 1.0;
  double probability = std::exp(-1.0);
  for (std::size_t k = 0; k < 5; ++k) {  // five standard deviations: a false alarm in 3e5 tests
    CHECK_NEAR(counts[k] / n, probability, 5.0 * std::sqrt(probability / n));
    probability /= static_cast<double>(k + 1);
  }
}

TEST(chunks_and_threads_leave_the_same_answers) {
  const Sample sample = draw_stream(600, 3, true);
  for (const bool linear : {false, true}) {
    Growth growth = some_growth(3);
    growth.linear = linear;
    Forest<NoMore> whole(growth, 4, 1), chunked(growth, 4, 1);
    const Answers forecasts = whole.predict_then_learn(sample.all(), 3);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const Answers one = i == 0 ? Answers(1, 4) : chunked.predict(sample.features.data() + 3 * i, 1, 1);
      for (std::size_t b = 0; i > 0 && b < 4; ++b) {
        CHECK(one.means[b] == forecasts.means[4 * i + b] && one.variances[b] == forecasts.variances[4 * i + b]);
      }
      chunked.learn(sample.batch(i, i + 1), 1);
    }
    const Answers left = whole.predict(sample.features.data(), 600, 2),
                  right = chunked.predict(sample.features.data(), 600, 1);
    CHECK(left.means == right.means && left.variances == right.variances);
  }
}

TEST(a_tree_stops_at_its_last_node_and_keeps_no_rows) {
  Growth growth = some_growth(3);
  growth.max_nodes = 8;  // of which a binary tree can have seven
  Forest<NoMore> forest(growth, 2, 1);
  forest.learn(draw_stream(2000, 3).all(), 1);
  for (const auto& slot : forest.slots) {
    CHECK(slot.tree.nodes.size() == 7);
    for (const auto& leaf : slot.tree.leaves) CHECK(leaf.rows.size() == 0);
  }
}

TEST(a_drift_replaces_trees_and_errors_fall_again) {
  for (const auto kind : {drift::Kind::adwin, drift::Kind::page_hinkley, drift::Kind::none}) {
    const Sample sample = draw_stream(8000, 3, true);
    Growth growth = some_growth(3);
    growth.detector = kind;
    Forest<NoMore> forest(growth, 5, 1);
    const Answers forecasts = forest.predict_then_learn(sample.all(), 1);
    double late = 0.0;
    std::uint64_t n_alarms = 0;
    for (std::size_t i = 7000; i < 8000; ++i) {
      double mean = 0.0;
      for (std::size_t b = 0; b < 5; ++b) mean += forecasts.means[5 * i + b] / 5.0;
      late += std::abs(mean - sample.labels[i]) / 1000.0;
    }
    for (const auto& slot : forest.slots) n_alarms += slot.n_alarms;
    const bool watches = kind != drift::Kind::none;
    CHECK((n_alarms >= 5) == watches);
    CHECK((late < 0.3) == watches);
  }
}

TEST(features_keep_their_order_far_out) {
  Growth growth = some_growth(1);
  Forest<NoMore> forest(growth, 1, 1);
  const double first = 0.0;
  forest.begin_with(&first, 0.0);
  float last = -std::numeric_limits<float>::infinity();
  for (const double value : {-1e300, -1.0, 0.0, 1e-30, 1.0, 1e300}) {
    float x;
    forest.shift(&value, &x);
    CHECK(std::isfinite(x) && x > last);
    last = x;
  }
}

TEST(a_linear_leaf_stays_among_its_labels) {
  LinearModel model;
  random::Stream drawn(1, random::Purpose::grow, 0, 0);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> z{4.0 * drawn.uniform() - 2.0};
    model.learn(z, 1.0 + 0.5 * z[0], 1.0);
  }
  CHECK_NEAR(model.predict({1.0}), 1.5, 1e-6);
  CHECK_NEAR(model.predict({100.0}), model.highest, 0.0);
  CHECK_NEAR(model.predict({-100.0}), model.lowest, 0.0);
  CHECK(model.highest <= 2.0 && model.lowest >= 0.0);
}

}  // namespace
}  // namespace hedgerow::online
