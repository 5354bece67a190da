// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/sketch/kll.hpp"

#include <cmath>

#include "check.hpp"
#include "hedgerow/random/stream.hpp"
#include "hedgerow/sketch/union_of_runs.hpp"

namespace hedgerow::sketch {
namespace {

random::Stream numbers(std::uint64_t seed, std::uint64_t event = 0) {
  return {seed, random::Purpose::compact, 0, event};
}

UnionOfRuns runs_of(const Kll& sketch) {
  UnionOfRuns runs;
  sketch.for_each_run([&](const SortedRun& run) { runs.add(run); });
  return runs;
}

TEST(everything_is_kept_at_first) {
  Kll sketch;
  auto drawn = numbers(1);
  std::vector<double> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(drawn.uniform());
    sketch.add(all.back(), 1, 200, [] { return false; });
  }
  std::sort(all.begin(), all.end());
  CHECK(sketch.n_levels() == 1 && sketch.level(0) == all && sketch.n_compactions() == 0);
  sketch.add(0.5, 1, 200, [] { return false; });
  CHECK(sketch.n_compactions() == 1 && sketch.total() == 201);
}

TEST(weights_add_up_and_levels_stay_in_order) {
  Kll sketch;
  auto drawn = numbers(2);
  std::uint64_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto copies =
        static_cast<std::uint64_t>(drawn.uniform() < 0.1 ? 1000.0 * drawn.uniform() : 4.0 * drawn.uniform());
    sketch.add(std::floor(50.0 * drawn.uniform()), copies, 32, [&] { return drawn.uniform() < 0.5; });
    total += copies;
    double kept = 0.0;
    sketch.for_each_run([&](const SortedRun& run) {
      kept += run.weight * static_cast<double>(run.n);
      CHECK(std::is_sorted(run.values, run.values + run.n));
    });
    CHECK(sketch.total() == total && kept == static_cast<double>(total));
  }
  CHECK(sketch.size() < 32 * 3 + 20 * Kll::least_capacity);
}

TEST(a_weight_counts_as_that_many_copies) {
  Kll weighted, repeated;
  auto bits_of_one = numbers(3), bits_of_other = numbers(3);
  auto drawn = numbers(4);
  for (int i = 0; i < 30; ++i) {
    const double value = drawn.uniform();
    const auto copies = static_cast<std::uint64_t>(1.0 + 5.0 * drawn.uniform());
    weighted.add(value, copies, 200, [&] { return bits_of_one.uniform() < 0.5; });
    for (std::uint64_t k = 0; k < copies; ++k)
      repeated.add(value, 1, 200, [&] { return bits_of_other.uniform() < 0.5; });
  }
  CHECK(weighted.n_levels() == repeated.n_levels());
  for (std::size_t h = 0; h < weighted.n_levels(); ++h) CHECK(weighted.level(h) == repeated.level(h));
  Kll heavy;
  heavy.add(1.0, 1000001, 200, [] { return false; });
  heavy.add(2.0, 1000000, 200, [] { return false; });
  auto runs = runs_of(heavy);
  CHECK(runs.quantile(0.5) == 1.0 && runs.quantile(0.51) == 2.0);
}

// K = 200 is known for a rank error of 1.65 % at 99 % confidence. Of 60 streams, each asked for its worst error over 99
// levels, at most 5 may be worse: with probability 0.01 each, six or more have a probability below 1e-4.
TEST(ranks_are_nearly_right) {
  int n_bad = 0;
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Kll sketch;
    auto drawn = numbers(50 + seed), bits = numbers(500 + seed, 1);
    const int n = 20000;
    for (int i = 0; i < n; ++i)
      sketch.add(drawn.uniform() + (seed % 2 ? i : 0), 1, 200, [&] { return bits.uniform() < 0.5; });
    auto runs = runs_of(sketch);
    auto again = numbers(50 + seed);
    std::vector<double> all;
    for (int i = 0; i < n; ++i) all.push_back(again.uniform() + (seed % 2 ? i : 0));
    std::sort(all.begin(), all.end());
    double error = 0.0;
    for (int k = 1; k < 100; ++k) {
      const double value = runs.quantile(k / 100.0);
      const double rank = static_cast<double>(std::upper_bound(all.begin(), all.end(), value) - all.begin()) / n;
      error = std::max(error, std::abs(rank - k / 100.0));
    }
    n_bad += error > 0.0165;
    worst = std::max(worst, error);
    CHECK(sketch.size() < 700);
  }
  CHECK(n_bad <= 5);
  CHECK(worst < 0.03);
}

TEST(a_union_is_asked_as_if_it_were_sorted) {
  auto drawn = numbers(9);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<double>> runs(1 + trial % 7);
    std::vector<std::pair<double, double>> all;
    UnionOfRuns asked;
    double total = 0.0;
    for (auto& run : runs) {
      const double weight = std::floor(1.0 + 3.0 * drawn.uniform()) / 4.0;
      for (int i = 0; i < 1 + static_cast<int>(12.0 * drawn.uniform()); ++i) {
        run.push_back(std::floor(10.0 * drawn.uniform()));
        all.emplace_back(run.back(), weight);
        total += weight;
      }
      std::sort(run.begin(), run.end());
      asked.add({run.data(), run.size(), weight});
    }
    std::sort(all.begin(), all.end());
    for (double level = 0.0; level <= 1.0; level += 0.0625) {
      double up_to = 0.0, expected = all.back().first, expected_above = all.back().first;
      bool found = false, found_above = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        up_to += all[i].second;
        if (i + 1 < all.size() && all[i + 1].first == all[i].first) continue;
        if (!found && up_to / total >= level - 1e-9) expected = all[i].first, found = true;
        if (!found_above && up_to / total > level + 1e-9) expected_above = all[i].first, found_above = true;
      }
      CHECK(asked.quantile(level) == expected && asked.quantile_above(level) == expected_above);
    }
    const auto [below, up_to] = asked.ranks(4.0);
    double expected_below = 0.0, expected_up_to = 0.0;
    for (const auto& [value, weight] : all) {
      expected_below += value < 4.0 ? weight / total : 0.0;
      expected_up_to += value <= 4.0 ? weight / total : 0.0;
    }
    CHECK_NEAR(below, expected_below, 1e-12);
    CHECK_NEAR(up_to, expected_up_to, 1e-12);
    CHECK(asked.lowest() == all.front().first && asked.highest() == all.back().first);
  }
}

TEST(only_sketches_are_restored) {
  Kll sketch;
  CHECK(!sketch.restore({{2.0, 1.0}}, 0));
  CHECK(!sketch.restore(std::vector<std::vector<double>>(53), 0));
  CHECK(sketch.restore({{1.0, 2.0}, {3.0}}, 1) && sketch.total() == 4);
}

}  // namespace
}  // namespace hedgerow::sketch
