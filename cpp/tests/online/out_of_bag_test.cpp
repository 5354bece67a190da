// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/out_of_bag.hpp"

#include "check.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

/// All scores from the definition: each row asked again of every tree that never learned it.
bool scores_are_right(const OutOfBag<NoMore>& calibration, const Forest<NoMore>& forest) {
  std::vector<double> all;
  for (std::size_t age = 0; age < calibration.size(); ++age) {
    const std::uint32_t r = calibration.at(age);
    MixtureSum heard;
    for (std::size_t b = 0; b < forest.slots.size(); ++b) {
      if (!calibration.is_out_of_bag(r, b)) continue;
      heard.hear(forest.slots[b].tree.leaves[forest.slots[b].tree.leaf_of(calibration.row(r))].speak());
    }
    all.push_back(std::abs(calibration.label(r) - heard.mean()) /
                  (calibration.rule.scale(heard) * calibration.factor(r)));
    if (all.back() != calibration.score(r).value) return false;
  }
  std::sort(all.begin(), all.end());
  return all == calibration.sorted().values();
}

TEST(scores_follow_the_forest_at_every_step) {
  const Sample sample = draw_stream(1500, 3, true);
  for (const bool normalised : {false, true}) {
    Growth growth = some_growth(3);
    growth.grace_period = 5;
    Forest<NoMore> forest(growth, 4, 2);
    ErrorSizes sizes(growth, 2, 3);
    OutOfBag<NoMore> calibration({50, 1, normalised, true, 0.0}, 3, 4);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      calibration.learn(forest, normalised ? &sizes : nullptr, sample.features.data() + 3 * i, sample.labels[i], 1.0);
      CHECK(scores_are_right(calibration, forest));
    }
    CHECK(sizes.arrivals == (normalised ? 1495 : 0));  // the first five rows are not scored
    std::uint64_t n_alarms = 0;
    for (const auto& slot : forest.slots) n_alarms += slot.n_alarms;
    CHECK(n_alarms > 0 && calibration.size() == 50);
  }
}

TEST(the_forest_learns_as_if_nobody_looked) {
  const Sample sample = draw_stream(500, 3);
  Forest<NoMore> watched(some_growth(3), 3, 2), alone(some_growth(3), 3, 2);
  OutOfBag<NoMore> calibration({50, 4, false, false, 0.01}, 3, 3);
  const Answers answers = alone.predict_then_learn(sample.all(), 1);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Forecast forecast =
        calibration.learn(watched, nullptr, sample.features.data() + 3 * i, sample.labels[i], 1.0);
    const double mean = (answers.means[3 * i] + answers.means[3 * i + 1] + answers.means[3 * i + 2]) / 3.0;
    CHECK_NEAR(forecast.mean, mean, 1e-12);
  }
  CHECK(watched.predict(sample.features.data(), 500, 1).means == alone.predict(sample.features.data(), 500, 1).means);
}

}  // namespace
}  // namespace hedgerow::online
