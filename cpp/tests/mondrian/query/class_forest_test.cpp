// SPDX-License-Identifier: BSD-3-Clause
// Forests of classes under the sanitizers: sound after every row that comes or goes, and the same after a file.
#include <algorithm>

#include "check.hpp"
#include "hedgerow/mondrian/query/ask_classes.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;
constexpr std::size_t n_classes = 4;

/// Classes that live in stripes, with some noise.
Sample class_sample(std::size_t n, Kind kind, std::uint64_t seed) {
  Sample sample = draw_sample(n, 2, kind, seed);
  for (double& label : sample.labels) label = std::min(std::floor(2.0 * label), n_classes - 1.0);
  return sample;
}

ClassForest new_forest(Growth growth, bool pause_pure, std::size_t window = 0) {
  auto forest = empty_forest<label::StableHierarchy>(2, 2, growth, window);
  forest.model = {n_classes, pause_pure};
  return forest;
}

/// No rule broken, and every summary what the rows say.
bool sound(const ClassForest& forest) {
  for (const auto& tree : forest.trees) {
    if (!check_links(tree, forest.rows).empty()) return false;
    if (!check_blocks(tree, forest.rows, forest.growth, forest.model).empty()) return false;
    auto afresh = tree;
    afresh.hear_everything(forest.rows, forest.model);
    for (std::size_t id = 0; id < tree.summaries.size(); ++id) {
      if (!forest.model.is_same(tree.summaries[id], afresh.summaries[id])) return false;
    }
  }
  return true;
}

TEST(a_forest_of_classes_is_sound_whatever_comes_and_goes) {
  for (const Kind kind : all_kinds) {
    for (const bool pause_pure : {true, false}) {
      for (const Growth growth : {Growth{}, Growth{5.0, infinity}, Growth{2.0, 0.7}}) {
        const Sample sample = class_sample(40, kind, 3);
        auto forest = new_forest(growth, pause_pure);
        for (std::size_t i = 0; i < sample.size(); ++i) {
          forest.learn(sample.batch(i, 1), 1);
          CHECK(sound(forest));
        }
        for (RowId row = 0; row < sample.size(); ++row) {
          forest.forget(std::vector{static_cast<RowId>((row * 7) % sample.size())}, 1);
          CHECK(sound(forest));
        }
        CHECK(std::ranges::all_of(forest.labels_seen, [](double weight) { return weight == 0.0; }));
        CHECK(forest.places.size() == 0);
      }
    }
  }
}

TEST(a_forest_of_classes_comes_back_from_an_archive) {
  const Sample sample = class_sample(60, Kind::weighted_duplicates, 5);
  auto forest = new_forest({}, true, 30);
  forest.learn(sample.all(), 2);
  auto other = new_forest({}, true, 30);
  restore(other, archived(forest));
  CHECK(same_bits(forest, other));
  Archive archive = archived(forest);
  archive.get<double>("seen.labels").pop_back();
  auto third = new_forest({}, true, 30);
  CHECK_THROWS(std::invalid_argument, restore(third, archive));
}

TEST(equal_rows_that_leave_a_window_leave_in_any_chunks) {
  for (const Kind kind : {Kind::duplicates, Kind::weighted_duplicates, Kind::lattice, Kind::one_point}) {
    for (const Growth growth : {Growth{}, Growth{4.0, infinity}}) {
      for (const std::size_t window : {1, 3, 12}) {
        const Sample sample = class_sample(60, kind, 11);
        auto one_by_one = new_forest(growth, true, window), at_once = new_forest(growth, true, window);
        at_once.learn(sample.all(), 2);
        for (std::size_t i = 0; i < sample.size(); ++i) {
          one_by_one.learn(sample.batch(i, 1), 1);
          CHECK(sound(one_by_one));
        }
        CHECK(sound(at_once) && at_once.places.size() == one_by_one.places.size());
        CHECK(same_trees(archived(at_once), archived(one_by_one)));
        CHECK(at_once.rows.size() == std::min(window, sample.size()));
      }
    }
  }
}

TEST(probabilities_add_up_near_and_far) {
  const Sample sample = class_sample(80, Kind::duplicates, 7);
  for (const double lifetime : {0.5, 1e300, infinity}) {
    auto forest = new_forest({2.0, lifetime}, true);
    forest.learn(sample.all(), 1);
    for (const double rate : {1e-6, 20.0, 1e6}) {
      for (const double power : {0.125, 1.0, 16.0}) {
        for (const double leaf_discount : {0.0, 0.5, 1.0}) {
          const ClassQueryRule rule{false, 0.0, rate, n_classes, power, leaf_discount};
          const std::vector<double> points{0.5, 0.5, 1.5, -2.0, 1e30, -1e30, 3e38, 3e38, 1e300, 0.0};
          const auto found = predict_classes(forest, {points.data(), 5}, rule.at(forest), 1);
          for (std::size_t i = 0; i < 5; ++i) {
            double sum = 0.0;
            for (std::size_t c = 0; c < n_classes; ++c) sum += found[i * n_classes + c];
            CHECK_NEAR(sum, 1.0, 1e-12);
          }
          if (lifetime < 1.0) continue;  // the edge above the root is short: the point may pass it
          for (std::size_t c = 0; c < n_classes; ++c) CHECK_NEAR(found[3 * n_classes + c], 1.0 / n_classes, 1e-6);
        }
      }
    }
  }
}

TEST(a_power_raises_odds_against_the_base_distribution) {
  label::ClassQuery query{.base = {0.5, 0.25, 0.25}, .share = 0.0};
  query.power = 2.0;
  std::vector<double> votes{3.0, 1.0, 0.0};
  add_base(query, 1.0, votes.data());  // 3.5, 1.25, 0.25 of 5; over the base 1.4, 1, 0.2
  const double sum = 0.7 * 1.4 + 0.25 * 1.0 + 0.05 * 0.2;
  CHECK_NEAR(votes[0], 0.7 * 1.4 / sum, 1e-15);
  CHECK_NEAR(votes[1], 0.25 / sum, 1e-15);
  CHECK_NEAR(votes[2], 0.05 * 0.2 / sum, 1e-15);
  query.scales = {2.0, 0.5, 1.0};  // the votes of the first class count twice: the same odds but for that
  std::vector<double> weighted{6.0, 0.5, 0.0}, plain{3.0, 1.0, 0.0};
  add_base(query, 0.0, weighted.data());
  query.scales.clear();
  add_base(query, 0.0, plain.data());
  CHECK_NEAR(weighted[0] / weighted[1], 4.0 * plain[0] / plain[1], 1e-13);
  CHECK(weighted[2] == 0.0 && plain[2] == 0.0);
  query.power = 1e-12;  // hardly anything counts but the frequencies of the classes, as far as rows are near
  query.frequencies = {0.2, 0.7, 0.1};
  votes = {3.0, 1.0, 0.0};
  add_base(query, 4.0, votes.data());
  CHECK_NEAR(votes[0], 0.35, 1e-9);
  CHECK_NEAR(votes[1], 0.475, 1e-9);
}

}  // namespace
}  // namespace hedgerow::mondrian
