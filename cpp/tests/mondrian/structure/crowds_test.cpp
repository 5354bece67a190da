// SPDX-License-Identifier: BSD-3-Clause
// Leaves of many rows, which lose them one by one.
#include "hedgerow/mondrian/structure/crowds.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

std::vector<RowId> shuffled(std::vector<RowId> rows, std::uint64_t seed) {
  random::Stream stream = dice(seed);
  for (std::size_t i = rows.size(); i > 1; --i) {
    std::swap(rows[i - 1], rows[static_cast<std::size_t>(stream.uniform() * static_cast<double>(i))]);
  }
  return rows;
}

template <class M>
void check_departures(const Sample& sample, Growth growth) {
  auto forest = learned_forest<M>(sample, 2, growth);
  std::size_t n_large = 0;
  for (const RowId row : shuffled(forest.rows_in_order(), 5)) {
    for (const auto& node : forest.trees[0].shape.nodes.values()) {
      n_large += static_cast<std::size_t>(node.is_leaf() && node.n_rows > Crowds<M>::few);
    }
    forest.forget(std::vector{row}, 1);
    if (forest.rows.size() > 0) CHECK(is_sound(forest));
  }
  CHECK(n_large > 100);  // leaves were large for long
}

TEST(a_forest_is_sound_after_every_row_that_leaves_a_large_leaf) {
  for (const Kind kind : {Kind::one_point, Kind::lattice, Kind::plain, Kind::weighted}) {
    const Growth growth{2.0, kind == Kind::one_point ? infinity : 0.02};
    const Sample sample = draw_sample(250, 2, kind);
    check_departures<GaussianHierarchy>(sample, growth);
    check_departures<RunningMoments>(sample, growth);
    check_departures<StableHierarchy>(with_classes(sample), growth);
  }
  Sample pure = draw_sample(250, 3, Kind::weighted);
  std::fill(pure.labels.begin(), pure.labels.end(), 1.0);
  check_departures<StableHierarchy>(pure, {});
}

TEST(weights_far_apart_leave_nothing_behind) {
  Sample sample = draw_sample(200, 1, Kind::one_point);
  sample.weights.assign(200, 1.0);
  sample.labels[10] = 1e9;
  sample.weights[10] = 1e15;
  auto forest = learned_forest<RunningMoments>(sample, 1);
  forest.forget(std::vector<RowId>{10}, 1);
  const auto& summary = forest.trees[0].summaries[0];
  sample.labels.erase(sample.labels.begin() + 10);
  const double mean = std::accumulate(sample.labels.begin(), sample.labels.end(), 0.0) / 199.0;
  double squares = 0.0;
  for (const double label : sample.labels) squares += (label - mean) * (label - mean);
  CHECK(summary.weight == 199.0);
  CHECK_NEAR(summary.mean, mean, 1e-14);
  CHECK_NEAR(summary.squares, squares, 1e-12);
}

TEST(a_large_offset_costs_no_precision) {
  Sample sample = draw_sample(150, 1, Kind::one_point);
  for (double& label : sample.labels) label = 1e9 + std::floor(1024.0 * label) / 1024.0;
  auto forest = learned_forest<RunningMoments>(sample, 1);
  forest.forget(std::vector<RowId>{149}, 1);
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < 149; ++i) mean += (sample.labels[i] - 1e9) / 149.0;
  for (std::size_t i = 0; i < 149; ++i) squares += std::pow(sample.labels[i] - 1e9 - mean, 2);
  CHECK_NEAR(forest.trees[0].summaries[0].squares, squares, 1e-6);
}

/// What crowds keep is in no file.
template <class M>
void check_files(const Sample& sample, Growth growth) {
  auto forest = empty_forest<M>(sample.width, 2, growth, 100);
  forest.learn(sample.batch(0, 180), 1);
  auto restored = empty_forest<M>(sample.width, 2, growth, 100);
  restore(restored, archived(forest));
  for (std::size_t i = 180; i < sample.size(); ++i) {
    forest.learn(sample.batch(i, 1), 1);
    restored.learn(sample.batch(i, 1), 1);
    CHECK(same_bits(archived(forest), archived(restored)));
  }
}

TEST(a_forest_that_was_restored_goes_on_with_the_same_bits) {
  for (const Kind kind : {Kind::one_point, Kind::weighted}) {
    const Growth growth{2.0, kind == Kind::one_point ? infinity : 0.1};
    const Sample sample = draw_sample(230, 2, kind);
    check_files<GaussianHierarchy>(sample, growth);
    check_files<RunningMoments>(sample, growth);
    check_files<StableHierarchy>(with_classes(sample), growth);
  }
}

TEST(rows_of_large_leaves_are_found_by_what_they_are) {
  Sample sample = draw_sample(200, 2, Kind::one_point);
  for (std::size_t i = 0; i < 200; ++i) {
    sample.labels[i] = static_cast<double>(i % 5);
    sample.weights.push_back(1.0 + static_cast<double>(i % 7));
  }
  const auto forest = learned_forest<RunningMoments>(sample, 1);
  const std::vector<RowId> found = forest.locate(sample.all());
  CHECK(found.size() == 200);
  auto sorted = found;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(forest.rows.labels[found[i]] == sample.labels[i] && forest.rows.weights[found[i]] == sample.weights[i]);
  }
  Sample twice = sample;
  twice.labels[199] = twice.labels[0];
  twice.weights[199] = twice.weights[0];
  CHECK(forest.locate(twice.all()).size() == 199);  // there is no such row left
}

}  // namespace
}  // namespace hedgerow::mondrian
