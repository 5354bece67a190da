// SPDX-License-Identifier: BSD-3-Clause
// The process of keyed cuts runs close to the rows, and everywhere once a row has come from elsewhere: against a slow
// and simple process, in chunks, after failures, in windows, and through an archive. All comparisons are of bits.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mondrian/learn/keyed_forests.hpp"

using namespace hedgerow;
using namespace hedgerow::tests;

/// Close to the rows; with some room around them when one comes from elsewhere; everywhere when that happens again.
TEST(keyed_trees_are_those_of_the_process_close_to_the_rows) {
  const auto check = [](const Forest<RunningMoments>& forest, const std::vector<float>& domain) {
    CHECK(is_sound(forest));
    CHECK(forest.keyed->domain.corners == domain);
    for (std::uint32_t b = 0; b < 3; ++b) {
      auto slow =
          slow_tree(forest.rows, forest.seed, b, forest.growth.min_samples_split, forest.growth.lifetime, domain);
      for (SlowCut& cut : slow) cut.time = static_cast<double>(mondrian::kept_time(cut.time, forest.growth.lifetime));
      CHECK(as_slow(forest.trees[b]) == slow);
    }
  };
  for_each_setting([&](Kind kind, Growth growth) {
    if (kind == Kind::weighted || kind == Kind::weighted_duplicates) return;
    for (const std::size_t width : {1U, 9U}) {
      Sample sample = draw_sample(60, width, kind);
      for (const std::size_t corner : {0U, 1U}) {
        for (std::size_t d = 0; d < width; ++d) sample.features[corner * width + d] = static_cast<double>(corner);
      }
      auto forest = keyed_forest<RunningMoments>(width, 3, growth);
      forest.keyed->domain.is_close = true;
      forest.store(sample.batch(0, 40));
      forest.grow(0, 2, 2);
      forest.grow(2, 3, 1);
      std::vector<float> domain(width, 0.0F);
      domain.resize(2 * width, 1.0F);
      check(forest, domain);
      forest.forget(forest.locate(sample.batch(3, 20)), 1);
      forest.learn(sample.batch(3, 17), 1);
      check(forest, domain);
      auto again = keyed_forest<RunningMoments>(width, 3, growth);
      restore(again, archived(forest));
      CHECK(same_bits(forest, again));
      for (const std::size_t far : {45U, 50U, 55U}) {
        sample.features[far * width] = std::pow(10.0, static_cast<double>(far - 44));
      }
      auto failing = [](std::size_t i) {
        if (i == 13) throw std::runtime_error("no more");
      };
      CHECK(throws<std::runtime_error>([&] { forest.learn(sample.batch(40, 20), 1, failing); }));
      CHECK(same_bits(forest, again));
      check(forest, domain);
      forest.learn(sample.batch(40, 10), 2);
      domain[width] = 10.0F;
      for (std::size_t d = 0; d < width; ++d) {
        const float margin = (domain[width + d] - domain[d]) / 4.0F;
        domain[d] -= margin;
        domain[width + d] += margin;
      }
      check(forest, domain);
      forest.learn(sample.batch(50, 10), 2);
      check(forest, {});
      for (std::size_t i = 40; i < 60; ++i) {
        again.learn(sample.batch(i, 1), 1);
        restore(again, archived(again));
      }
      CHECK(same_forest(forest, again));
      forest.forget(forest.locate(sample.batch(55, 1)), 1);
      check(forest, {});
    }
  });
}

TEST(keyed_windows_close_to_the_rows) {
  Sample sample = draw_sample(80, 3, Kind::duplicates);
  auto forest = keyed_forest<StableHierarchy>(3, 3, {}, 25), apart = keyed_forest<StableHierarchy>(3, 3, {}, 25);
  sample = with_classes(std::move(sample));
  for (auto* each : {&forest, &apart}) {
    each->keyed->domain.is_close = true;
    each->store(sample.batch(0, 25));
    each->grow(0, 3, 1);
    each->grown();
  }
  forest.learn(sample.batch(25, 55), 1);
  for (std::size_t i = 25; i < 80; ++i) apart.learn(sample.batch(i, 1), 1);
  CHECK(same_bits(forest, apart));
  CHECK(forest.keyed->domain.n_widened > 0);
  std::vector<std::size_t> last(25);
  std::iota(last.begin(), last.end(), 55);
  const Sample held = chosen(sample, last);
  auto fresh = keyed_forest<StableHierarchy>(3, 3, {});
  fresh.keyed->domain = forest.keyed->domain;
  fresh.store(held.all());
  fresh.grow(0, 3, 1);
  CHECK(same_forest(forest, fresh));
}
