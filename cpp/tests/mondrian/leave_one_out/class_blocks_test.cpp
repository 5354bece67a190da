// SPDX-License-Identifier: BSD-3-Clause
// Rows without their blocks: what the forest itself says after it has unlearned them.
#include "hedgerow/mondrian/leave_one_out/class_blocks.hpp"

#include <algorithm>

#include "check.hpp"
#include "hedgerow/mondrian/query/ask_classes.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

ClassForest forest_of(const Sample& sample, Growth growth, bool pause_pure) {
  auto forest = empty_forest<label::StableHierarchy>(sample.width, 3, growth);
  forest.model.pause_pure = pause_pure;
  forest.learn(sample.all(), 1);
  return forest;
}

/// Some rows in each of three blocks, equal rows in different ones too, others in none.
std::vector<std::uint32_t> draw_blocks(std::size_t n, std::uint64_t seed) {
  random::Stream stream = dice(seed);
  std::vector<std::uint32_t> blocks(n);
  for (auto& block : blocks) {
    const auto drawn = static_cast<std::uint32_t>(4.0 * stream.uniform());
    block = drawn == 3 ? none : drawn;
  }
  return blocks;
}

TEST(rows_without_their_block_are_predicted_as_after_unlearning_it) {
  for (const Kind kind : all_kinds) {
    const Sample sample = with_classes(draw_sample(50, 2, kind, 9));
    const auto blocks = draw_blocks(sample.size(), 4);
    for (const bool pause_pure : {true, false}) {
      for (const Growth growth : {Growth{}, Growth{5.0, infinity}, Growth{2.0, 0.7}}) {
        for (const double power : {0.3, 1.0, 4.0}) {
          auto forest = forest_of(sample, growth, pause_pure);
          const ClassQueryRule rule{power < 1.0, 1.0, 3.0, n_classes, power};
          const Archive before = archived(forest);
          const auto found = leave_blocks_out(forest, rule, blocks, 3, 1);
          CHECK(found == leave_blocks_out(forest, rule, blocks, 3, 2));
          CHECK(same_bits(before, archived(forest)));
          for (std::uint32_t block = 0; block < 3; ++block) {
            auto other = forest_of(sample, growth, pause_pure);
            std::vector<RowId> leaving;
            std::vector<double> points;
            for (RowId row = 0; row < sample.size(); ++row) {
              if (blocks[row] != block) continue;
              leaving.push_back(row);
              points.insert(points.end(), other.rows.as_given(row), other.rows.as_given(row) + sample.width);
            }
            other.forget(leaving, 1);
            const auto expected = predict_classes(other, {points.data(), leaving.size()}, rule.at(other), 1);
            for (std::size_t i = 0; i < leaving.size(); ++i) {
              for (std::size_t c = 0; c < n_classes; ++c) {
                CHECK_NEAR(found[leaving[i] * n_classes + c], expected[i * n_classes + c], 1e-12);
              }
            }
          }
          for (RowId row = 0; row < sample.size(); ++row) {
            double sum = 0.0;
            for (std::size_t c = 0; c < n_classes; ++c) sum += found[row * n_classes + c];
            CHECK_NEAR(sum, blocks[row] == none ? 0.0 : 1.0, 1e-12);
          }
        }
      }
    }
  }
}

TEST(a_block_of_all_rows_leaves_the_base_distribution) {
  const Sample sample = with_classes(draw_sample(20, 2, Kind::weighted_duplicates, 2));
  auto forest = forest_of(sample, {}, true);
  const std::vector<std::uint32_t> blocks(sample.size(), 0);
  for (const double power : {0.5, 1.0, 4.0}) {
    for (const bool is_empirical : {true, false}) {
      const ClassQueryRule rule{is_empirical, 0.0, 3.0, n_classes, power};
      for (const double p : leave_blocks_out(forest, rule, blocks, 1, 2)) CHECK_NEAR(p, 1.0 / n_classes, 1e-12);
    }
  }
}

TEST(blocks_must_fit_the_rows) {
  const Sample sample = with_classes(draw_sample(10, 2));
  auto forest = forest_of(sample, {}, true);
  const ClassQueryRule rule{false, 1.0, 3.0, n_classes};
  const std::vector<std::uint32_t> few(9, 0), beyond(10, 2);
  CHECK_THROWS(std::invalid_argument, leave_blocks_out(forest, rule, few, 1, 1));
  CHECK_THROWS(std::invalid_argument, leave_blocks_out(forest, rule, beyond, 2, 1));
  const ClassQueryRule narrow{false, 1.0, 3.0, 1};
  CHECK_THROWS(std::invalid_argument, leave_blocks_out(forest, narrow, few, 1, 1));
}

TEST(the_loss_of_a_power_and_a_leaf_discount_is_that_of_the_predictions) {
  for (const double lifetime : {infinity, 1.0}) {
    const Sample sample = with_classes(draw_sample(60, 2, Kind::plain, 6));
    auto forest = forest_of(sample, {2.0, lifetime}, true);
    const auto blocks = draw_blocks(sample.size(), 5);
    CalibrationProblem problem(forest, {false, 1.0, 3.0, n_classes}, blocks, 3, 2);
    for (const auto& [power, discount] : {std::pair{0.4, 0.0}, {1.0, 0.3}, {1.0, 0.0}, {3.0, 0.8}, {3.0, 1.0}}) {
      const auto found = leave_blocks_out(forest, {false, 1.0, 3.0, n_classes, power, discount}, blocks, 3, 1);
      double losses = 0.0, weights = 0.0;
      for (RowId row = 0; row < sample.size(); ++row) {
        if (blocks[row] == none) continue;
        losses -= std::log(found[row * n_classes + static_cast<std::size_t>(sample.labels[row])]);
        weights += 1.0;
      }
      CHECK_NEAR(problem.log_loss(power, discount), losses / weights, 1e-12);
    }
  }
}

TEST(calibration_is_learned_from_classes_without_weights) {
  const Sample sample = with_classes(draw_sample(60, 2, Kind::duplicates, 8));
  Sample weighted = sample;
  for (const double label : sample.labels) weighted.weights.push_back(label == 1.0 ? 8.0 : 1.0);
  auto plain = forest_of(sample, {}, true), other = forest_of(weighted, {}, true);
  const auto blocks = draw_blocks(sample.size(), 5);
  for (const bool is_empirical : {true, false}) {
    const ClassQueryRule rule{is_empirical, 0.0, 1e6, n_classes};  // nothing is left to the base distribution
    CalibrationProblem one(plain, rule, blocks, 3, 1), two(other, rule, blocks, 3, 1);
    for (const double power : {0.4, 1.0, 3.0}) {
      for (const double discount : {0.0, 0.4}) {
        CHECK_NEAR(one.log_loss(power, discount), two.log_loss(power, discount), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
