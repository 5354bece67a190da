// SPDX-License-Identifier: BSD-3-Clause
// Rows left out one at a time: what the forest itself says after it has unlearned them.
#include "hedgerow/mondrian/leave_one_out/class_rows.hpp"

#include "check.hpp"
#include "hedgerow/mondrian/leave_one_out/class_blocks.hpp"
#include "interrupting.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

ClassForest forest_of(const Sample& sample, Growth growth, bool pause_pure, bool is_keyed = false) {
  auto forest = empty_forest<label::StableHierarchy>(sample.width, 3, growth, 0, is_keyed);
  forest.model.pause_pure = pause_pure;
  forest.learn(sample.all(), 1);
  return forest;
}

/// Numbers of rows that are equal, or of each row alone.
std::vector<std::uint32_t> numbers_of(const Sample& sample, bool with_copies) {
  std::vector<std::uint32_t> numbers(sample.size());
  for (std::uint32_t i = 0; i < sample.size(); ++i) {
    numbers[i] = i;
    for (std::uint32_t j = 0; with_copies && j < i; ++j) {
      const double *one = sample.features.data() + i * sample.width, *other = sample.features.data() + j * sample.width;
      if (sample.labels[i] != sample.labels[j] || !std::equal(one, one + sample.width, other)) continue;
      numbers[i] = numbers[j];
      break;
    }
  }
  return numbers;
}

/// Against blocks of one row, or of copies, that are unlearned from copies of the trees.
void check(const Sample& sample, ClassForest forest, bool with_copies, double power) {
  const ClassQueryRule rule{power < 1.0, 1.0, 3.0, n_classes, power, 0.2};
  const auto numbers = numbers_of(sample, with_copies);
  const Archive before = archived(forest);
  const auto found = leave_rows_out(forest, rule, with_copies ? numbers : std::vector<std::uint32_t>{}, 1);
  CHECK(found == leave_rows_out(forest, rule, numbers, 2));
  CHECK(same_bits(before, archived(forest)));
  const auto expected = leave_blocks_out(forest, rule, numbers, static_cast<std::uint32_t>(sample.size()), 1);
  for (std::size_t k = 0; k < expected.size(); ++k) CHECK_NEAR(found[k], expected[k], 1e-12);
}

TEST(rows_left_out_are_predicted_as_after_unlearning_them) {
  for (const Kind kind : all_kinds) {
    const Sample sample = with_classes(draw_sample(40, 2, kind, 9));
    for (const bool pause_pure : {true, false}) {
      for (const Growth growth : {Growth{}, Growth{5.0, infinity}, Growth{2.0, 0.7}}) {
        for (const double power : {0.3, 1.0, 4.0}) {
          check(sample, forest_of(sample, growth, pause_pure), power == 1.0, power);
        }
      }
    }
  }
}

TEST(rows_are_left_out_of_forests_with_keyed_cuts) {
  const Sample sample = with_classes(draw_sample(40, 2, Kind::weighted_duplicates, 3));
  for (const bool with_copies : {true, false}) check(sample, forest_of(sample, {}, true, true), with_copies, 2.0);
}

/// Leaves of more rows than `Crowds::few`, whose crowds are kept from one row to the next.
TEST(rows_are_left_out_of_large_leaves) {
  for (const Kind kind : {Kind::plain, Kind::weighted_duplicates, Kind::one_point}) {
    const Sample sample = with_classes(draw_sample(400, 2, kind, 5));
    for (const bool with_copies : {true, false}) {
      check(sample, forest_of(sample, {150.0, infinity}, false), with_copies, 1.0);
      check(sample, forest_of(sample, {2.0, 0.02}, true), with_copies, 1.0);
    }
  }
}

TEST(the_only_row_leaves_the_base_distribution) {
  const Sample sample = with_classes(draw_sample(1, 2));
  auto forest = forest_of(sample, {}, true);
  for (const double p : leave_rows_out(forest, {false, 0.0, 3.0, n_classes}, {}, 1))
    CHECK_NEAR(p, 1.0 / n_classes, 0.0);
  auto empty = empty_forest<label::StableHierarchy>(2, 3, {});
  CHECK(leave_rows_out(empty, {false, 1.0, 3.0, n_classes}, {}, 1).empty());
}

TEST(ctrl_c_while_rows_are_left_out_leaves_the_forest_as_it_was) {
  const Sample sample = with_classes(draw_sample(12, 2, Kind::weighted_duplicates, 2));
  auto forest = forest_of(sample, {}, true);
  const Archive before = archived(forest);
  const auto leave_out = [&] { leave_rows_out(forest, {false, 1.0, 3.0, n_classes}, {}, 1); };
  const std::size_t n_looks = interrupt_until_it_ends(leave_out, [&] { return same_bits(before, archived(forest)); });
  CHECK(n_looks >= 3 * sample.size());
}

TEST(copies_must_fit_the_rows) {
  const Sample sample = with_classes(draw_sample(10, 2));
  auto forest = forest_of(sample, {}, true);
  const std::vector<std::uint32_t> few(9, 0);
  CHECK_THROWS(std::invalid_argument, leave_rows_out(forest, {false, 1.0, 3.0, n_classes}, few, 1));
  CHECK_THROWS(std::invalid_argument, leave_rows_out(forest, {false, 1.0, 3.0, 1}, {}, 1));
}

}  // namespace
}  // namespace hedgerow::mondrian
