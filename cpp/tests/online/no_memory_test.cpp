// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out at any allocation of any verb leaves forest, calibration and window as they were; where it was
// set aside in time, the verb ends as if nothing had been missing.
#include "check.hpp"
#include "failing_memory.hpp"
#include "hedgerow/conformal/archive.hpp"
#include "hedgerow/online/archive.hpp"
#include "hedgerow/online/ask.hpp"
#include "hedgerow/online/ask_quantiles.hpp"
#include "hedgerow/online/calibrated_forecasts.hpp"
#include "hedgerow/online/calibration_archive.hpp"
#include "online/sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;
using hedgerow::tests::fail_until_it_succeeds;
using hedgerow::tests::FailingMemory;

constexpr std::size_t width = 3, n_rows = 700;

std::vector<double> some_weights() {
  std::vector<double> weights;
  for (std::size_t i = 0; i < n_rows; ++i) weights.push_back(i % 7 == 0 ? 1000.5 : i % 3 == 0 ? 0.25 : 2.0);
  return weights;
}

struct Variant {
  Growth growth;
  bool is_weighted = false;
};

std::vector<Variant> variants() {
  std::vector<Variant> found(6, {some_growth(width)});
  found[0].growth.detector = drift::Kind::none;
  found[1].growth.linear = true;
  found[2].growth.split_test = SplitTest::hoeffding;
  found[2].growth.detector = drift::Kind::page_hinkley;
  found[3].growth.max_nodes = 9;
  found[3].growth.leaf_capacity = 25;
  found[4].growth.sketch_size = 16;
  found[4].growth.weighs_spread = true;
  found[4].is_weighted = true;
  found[5].growth.grace_period = 1;
  found[5].growth.min_samples_leaf = 1;
  found[5].growth.split_confidence = 0.9;
  return found;
}

/// Pieces of a stream, of one row and of many.
template <class Function>
void for_each_piece(Function&& f) {
  for (std::size_t begin = 0, k = 0; begin < n_rows; ++k) {
    const std::size_t end = std::min(n_rows, begin + (k % 3 == 0 ? 1 : k % 3 == 1 ? 7 : 40));
    f(begin, end);
    begin = end;
  }
}

Batch batch_of(const Sample& sample, const std::vector<double>& weights, std::size_t begin, std::size_t end) {
  Batch batch = sample.batch(begin, end);
  if (!weights.empty()) batch.weights = weights.data() + begin;
  return batch;
}

template <class L>
std::uint64_t n_alarms(const Forest<L>& forest) {
  return sum_over_slots(forest, [](const auto& slot) { return slot.n_alarms; });
}

/// A forest that never gets more memory than was set aside is, piece after piece, the twin that had enough.
template <class L>
void check_learn(const Variant& variant, std::size_t n_threads) {
  const Sample sample = draw_stream(n_rows, width, true);
  const std::vector<double> weights = variant.is_weighted ? some_weights() : std::vector<double>{};
  Forest<L> forest(variant.growth, 3, 1), twin(variant.growth, 3, 1);
  std::size_t n_failed = 0;
  for_each_piece([&](std::size_t begin, std::size_t end) {
    const Batch batch = batch_of(sample, weights, begin, end);
    const Archive before = archived(forest);
    n_failed +=
        fail_until_it_succeeds([&] { forest.learn(batch, n_threads); }, [&] { return archived(forest) == before; });
    twin.learn(batch, 1);
    CHECK(archived(forest) == archived(twin));
  });
  CHECK(n_failed > 20 && n_nodes(forest) > 9);
}

TEST(failed_allocations_leave_forests_as_they_were) {
  std::uint64_t n = 0;
  for (const Variant& variant : variants()) {
    check_learn<NoMore>(variant, 1);
    Forest<NoMore> forest(variant.growth, 3, 1);
    forest.learn(draw_stream(n_rows, width, true).all(), 1);
    n += n_alarms(forest);
  }
  CHECK(n > 5);  // or trees that take over would not have been looked at
}

TEST(failed_allocations_leave_forests_of_sketches_as_they_were) {
  for (const Variant& variant : variants()) check_learn<SketchedLabels>(variant, 1);
}

TEST(failed_allocations_in_threads_leave_forests_as_they_were) {
  check_learn<NoMore>(variants()[1], 3);
  check_learn<SketchedLabels>(variants()[4], 3);
}

/// Memory that fails later than at the first chance: some is given by the system, the rest was set aside.
TEST(forests_learn_all_if_memory_runs_out_half_way) {
  const Sample sample = draw_stream(n_rows, width, true);
  for (const Variant& variant : variants()) {
    Forest<SketchedLabels> forest(variant.growth, 3, 1), twin(variant.growth, 3, 1);
    for (auto* one : {&forest, &twin}) one->learn(sample.batch(0, 340), 1);
    twin.learn(sample.batch(340, 400), 1);
    const Archive before = archived(forest), after = archived(twin);
    for (std::size_t n = 0; n < 300; n += 3) {
      Forest<SketchedLabels> copy = forest;
      bool has_failed = false;
      {
        const FailingMemory memory(n);
        try {
          copy.learn(sample.batch(340, 400), 1);
        } catch (const std::bad_alloc&) {
          has_failed = true;
        }
      }
      CHECK(archived(copy) == (has_failed ? before : after));
    }
  }
}

TEST(failed_allocations_in_forecasts_leave_forests_as_they_were) {
  const Sample sample = draw_stream(200, width);
  Forest<NoMore> forest(some_growth(width), 3, 1), twin(some_growth(width), 3, 1);
  for (const std::size_t begin : {0, 50, 150}) {
    const Batch batch = sample.batch(begin, begin + 50);
    const Archive before = archived(forest);
    std::vector<double> means;
    fail_until_it_succeeds([&] { means = forest.predict_then_learn(batch, 2).means; },
                           [&] { return archived(forest) == before; });
    CHECK(means == twin.predict_then_learn(batch, 1).means);
    CHECK(archived(forest) == archived(twin));
  }
}

/// A forest, its calibration and the sizes of its errors.
struct Calibrated {
  Calibrated(const Growth& growth, const CalibrationRule& rule)
      : forest(growth, 3, 1), sizes(growth, 2, 9), calibration(rule, width, 3) {}

  Forest<NoMore> forest;
  ErrorSizes sizes;
  OutOfBag<NoMore> calibration;

  [[nodiscard]] bool operator==(const Calibrated& other) const {
    return archived(forest) == archived(other.forest) && archived(sizes) == archived(other.sizes) &&
           archived(calibration) == archived(other.calibration);
  }
  std::vector<double> learn(const Batch& batch) {
    const double confidences[] = {0.5, 0.9};
    return forecast_then_learn(calibration, forest, calibration.rule.normalised ? &sizes : nullptr, batch, confidences)
        .radii;
  }
};

TEST(failed_allocations_leave_calibrations_as_they_were) {
  const Sample sample = draw_stream(n_rows, width, true);
  const std::vector<Variant> all = variants();
  for (const bool has_options : {false, true}) {
    for (const Variant& variant : {all[2], all[3], all[5]}) {
      const CalibrationRule rule = has_options ? CalibrationRule{60, 7, true, true, 0.02} : CalibrationRule{200};
      Calibrated model(variant.growth, rule), twin(variant.growth, rule);
      std::size_t n_failed = 0;
      for_each_piece([&](std::size_t begin, std::size_t end) {
        const Batch batch = sample.batch(begin, end);
        const Calibrated before = model;
        std::vector<double> radii;
        n_failed += fail_until_it_succeeds([&] { radii = model.learn(batch); }, [&] { return model == before; });
        CHECK(radii == twin.learn(batch));
        CHECK(model == twin);
      });
      CHECK(n_failed > 50);
    }
  }
}

TEST(failed_allocations_leave_quantile_forests_and_windows_as_they_were) {
  const Sample sample = draw_stream(n_rows, width, true);
  for (const Variant& variant : {variants()[3], variants()[4]}) {
    QuantileForest forest(variant.growth, 3, 1), twin(variant.growth, 3, 1);
    conformal::ScoreWindow window(50, 0.02), twins_window(50, 0.02);
    for_each_piece([&](std::size_t begin, std::size_t end) {
      const Batch batch = sample.batch(begin, end);
      const Archive before = archived(forest), scores = archived(window);
      std::vector<double> intervals;
      fail_until_it_succeeds([&] { intervals = forecast_then_learn(forest, batch, 0.9, &window).intervals; },
                             [&] { return archived(forest) == before && archived(window) == scores; });
      CHECK(intervals == forecast_then_learn(twin, batch, 0.9, &twins_window).intervals);
      CHECK(archived(forest) == archived(twin) && archived(window) == archived(twins_window));
    });
  }
}

TEST(failed_allocations_leave_sizes_of_errors_as_they_were) {
  const Sample sample = draw_stream(n_rows, width);
  const std::vector<double> errors(n_rows, 1.5), units(n_rows, 2.0);
  ErrorSizes sizes(some_growth(width), 3, 1), twin(some_growth(width), 3, 1);
  for_each_piece([&](std::size_t begin, std::size_t end) {
    const Batch batch{sample.features.data() + width * begin, errors.data() + begin, nullptr, end - begin};
    const Archive before = archived(sizes);
    std::vector<double> factors;
    fail_until_it_succeeds([&] { factors = factor_then_learn(sizes, batch, {units.data() + begin}, 1); },
                           [&] { return archived(sizes) == before; });
    CHECK(factors == factor_then_learn(twin, batch, {units.data() + begin}, 1));
    CHECK(archived(sizes) == archived(twin));
  });
}

}  // namespace
}  // namespace hedgerow::online
