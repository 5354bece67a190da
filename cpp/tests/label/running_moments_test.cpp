// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/running_moments.hpp"

#include <vector>

#include "check.hpp"

namespace hedgerow::label {
namespace {

struct Label {
  double value, weight;
};

constexpr RunningMoments model;

RunningMoments::Summary summary_of(const std::vector<Label>& labels) {
  RunningMoments::Summary summary;
  for (const auto& [value, weight] : labels) model.add(summary, value, weight);
  return summary;
}

const std::vector<Label> some{{1.0, 1.0}, {-2.0, 0.5}, {7.5, 2.0}}, others{{3.0, 1.5}, {3.0, 1.0}, {100.0, 0.25}};

TEST(moments_are_those_of_the_weighted_labels) {
  const auto summary = summary_of(some);
  const double mean = (1.0 - 1.0 + 15.0) / 3.5;
  CHECK_NEAR(summary.weight, 3.5, 1e-15);
  CHECK_NEAR(summary.mean, mean, 1e-14);
  CHECK_NEAR(summary.squares,
             (1.0 - mean) * (1.0 - mean) + 0.5 * (-2.0 - mean) * (-2.0 - mean) + 2.0 * (7.5 - mean) * (7.5 - mean),
             1e-12);
}

TEST(merging_moments_equals_adding_one_by_one) {
  std::vector<Label> all = some;
  all.insert(all.end(), others.begin(), others.end());
  const auto added = summary_of(all);
  const auto merged = model.merge(summary_of(some), 0.0, summary_of(others), 0.0, 0.0);
  CHECK_NEAR(merged.weight, added.weight, 1e-14);
  CHECK_NEAR(merged.mean, added.mean, 1e-13);
  CHECK_NEAR(merged.squares, added.squares, 1e-10);
}

TEST(merging_moments_is_symmetric) {
  const auto there = model.merge(summary_of(some), 0.0, summary_of(others), 0.0, 0.0);
  const auto back = model.merge(summary_of(others), 0.0, summary_of(some), 0.0, 0.0);
  CHECK_NEAR(there.mean, back.mean, 1e-14);
  CHECK_NEAR(there.squares, back.squares, 1e-12);
}

TEST(moments_survive_a_large_offset) {
  std::vector<Label> raised = some;
  for (Label& label : raised) label.value += 1e9;
  CHECK_NEAR(summary_of(raised).squares, summary_of(some).squares, 1e-5);
}

TEST(one_label_has_no_spread) { CHECK(summary_of({{1e9 + 0.1, 3.0}}).squares == 0.0); }

TEST(a_block_speaks_with_its_moments_and_the_noise) {
  const auto summary = summary_of(some);
  const Query query{0.0, 0.5};
  const auto belief = model.infer(model.prior(query), summary, 1.0);
  const Gaussian inside = model.speak(belief, query);
  CHECK(inside.mean == summary.mean);
  CHECK_NEAR(inside.variance, summary.squares / summary.weight + 0.5, 1e-14);
}

TEST(a_branch_speaks_with_the_moments_of_the_block_below_it) {
  const Query query{0.0, 0.5};
  const auto parent = model.infer(model.prior(query), summary_of(others), 1.0);
  const auto own = model.infer(parent, summary_of(some), 2.0);
  const Gaussian outside = model.speak_outside(parent, own, {1.0, 1.0, 1.0, 0.5, 0.0}, query);
  CHECK(outside.mean == own.mean && outside.variance == own.variance + 0.5);
}

}  // namespace
}  // namespace hedgerow::label
