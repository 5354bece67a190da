// SPDX-License-Identifier: BSD-3-Clause
// With keyed cuts a forest is a function of the set of its rows: against a slow and simple process, in any order, after
// rows have left, and through an archive. All comparisons are of bits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "mondrian/learn/keyed_forests.hpp"

using namespace hedgerow;
using namespace hedgerow::tests;

namespace {

template <class M>
void check_any_order() {
  for_each_setting([](Kind kind, Growth growth) {
    for (const std::size_t width : {1U, 3U}) {
      const Sample sample = sample_for<M>(60, width, kind);
      const auto grown = grown_keyed<M>(sample, growth);
      CHECK(is_sound(grown));
      const Sample other = chosen(sample, shuffled_places(60, 7));
      CHECK(same_forest(grown, grown_keyed<M>(other, growth, 2)));
      auto online = keyed_forest<M>(width, 3, growth);
      for (std::size_t begin = 0; begin < 60; begin += 12) online.learn(other.batch(begin, 12), 1 + begin % 2);
      CHECK(is_sound(online));
      CHECK(same_forest(grown, online));
      auto both = grown_keyed<M>(chosen(sample, {3, 8, 2, 50, 51, 52}), growth);
      std::vector<std::size_t> rest = shuffled_places(60, 9);
      std::erase_if(rest, [](std::size_t i) { return i == 3 || i == 8 || i == 2 || (i >= 50 && i <= 52); });
      both.learn(chosen(sample, rest).all(), 1);
      CHECK(same_forest(grown, both));
    }
  });
}

template <class M>
void check_unlearning() {
  for_each_setting([](Kind kind, Growth growth) {
    const Sample sample = sample_for<M>(50, 2, kind);
    std::vector<std::size_t> places = shuffled_places(50, 3);
    auto forest = grown_keyed<M>(sample, growth);
    while (places.size() > 1) {
      const std::size_t leaving = places.back();
      places.pop_back();
      const auto located = forest.locate(sample.batch(leaving, 1));
      forest.forget(located, 1);
      if (places.size() % 7 != 1) continue;
      CHECK(is_sound(forest));
      CHECK(same_forest(forest, grown_keyed<M>(chosen(sample, places), growth)));
    }
    forest.learn(sample.batch(9, 30), 1);
    places.resize(1);
    for (std::size_t i = 9; i < 39; ++i) places.push_back(i);
    CHECK(same_forest(forest, grown_keyed<M>(chosen(sample, places), growth)));
  });
}

/// Rows come and go, so that what is known of edges and cells is used, moved and dropped.
template <class M>
void check_coming_and_going() {
  for_each_setting([](Kind kind, Growth growth) {
    const Sample sample = sample_for<M>(160, 3, kind);
    std::vector<std::size_t> held(40);
    std::iota(held.begin(), held.end(), std::size_t{0});
    auto forest = grown_keyed<M>(chosen(sample, held), growth);
    for (std::size_t begin = 40; begin < 160; begin += 40) {
      for (std::size_t i = begin; i < begin + 40; i += 5) {
        forest.learn(sample.batch(i, 5), 1);
        for (std::size_t k = i; k < i + 5; ++k) held.push_back(k);
        for (const std::size_t place : {i % held.size(), (7 * i) % (held.size() - 1)}) {
          const auto leaving = held.begin() + static_cast<std::ptrdiff_t>(place);
          forest.forget(forest.locate(sample.batch(*leaving, 1)), 1);
          held.erase(leaving);
        }
      }
      CHECK(is_sound(forest));
      CHECK(same_forest(forest, grown_keyed<M>(chosen(sample, held), growth)));
    }
  });
}

}  // namespace

TEST(keyed_trees_are_those_of_the_process) {
  for_each_setting([](Kind kind, Growth growth) {
    if (kind == Kind::weighted || kind == Kind::weighted_duplicates) return;
    for (const std::size_t width : {1U, 2U, 9U}) {
      const auto forest = grown_keyed<RunningMoments>(draw_sample(40, width, kind), growth);
      for (std::uint32_t b = 0; b < 3; ++b) {
        auto slow = slow_tree(forest.rows, forest.seed, b, growth.min_samples_split, growth.lifetime);
        for (SlowCut& cut : slow) cut.time = static_cast<double>(mondrian::kept_time(cut.time, growth.lifetime));
        CHECK(as_slow(forest.trees[b]) == slow);
      }
    }
  });
}

TEST(keyed_forests_do_not_depend_on_order_or_chunks_moments) { check_any_order<RunningMoments>(); }
TEST(keyed_forests_do_not_depend_on_order_or_chunks_hierarchy) { check_any_order<GaussianHierarchy>(); }
TEST(keyed_forests_do_not_depend_on_order_or_chunks_classes) { check_any_order<StableHierarchy>(); }
TEST(keyed_rows_come_and_go_moments) { check_coming_and_going<RunningMoments>(); }
TEST(keyed_rows_come_and_go_hierarchy) { check_coming_and_going<GaussianHierarchy>(); }
TEST(keyed_rows_come_and_go_classes) { check_coming_and_going<StableHierarchy>(); }
TEST(keyed_unlearned_is_never_seen_moments) { check_unlearning<RunningMoments>(); }
TEST(keyed_unlearned_is_never_seen_hierarchy) { check_unlearning<GaussianHierarchy>(); }
TEST(keyed_unlearned_is_never_seen_classes) { check_unlearning<StableHierarchy>(); }

TEST(keyed_crowds_come_and_go) {
  Sample sample = draw_sample(150, 2, Kind::weighted);
  for (std::size_t i = 20; i < 150; ++i)
    std::copy_n(sample.features.begin(), 2, sample.features.begin() + static_cast<std::ptrdiff_t>(2 * i));
  auto forest = keyed_forest<GaussianHierarchy>(2, 3, {});
  forest.learn(chosen(sample, shuffled_places(150, 1)).all(), 1);
  CHECK(same_forest(forest, grown_keyed<GaussianHierarchy>(sample, {})));
  std::vector<std::size_t> left(150);
  std::iota(left.begin(), left.end(), 0);
  for (std::size_t k = 0; k < 90; ++k) {  // through the size at which sums are taken otherwise
    const std::size_t leaving = 20 + (37 * k) % 130;
    forest.forget(forest.locate(sample.batch(leaving, 1)), 1);
    std::erase(left, leaving);
    if (k % 10 == 9) CHECK(same_forest(forest, grown_keyed<GaussianHierarchy>(chosen(sample, left), {})));
  }
}

TEST(keyed_window_holds_the_last_rows) {
  const Sample sample = draw_sample(60, 3, Kind::duplicates);
  auto forest = keyed_forest<RunningMoments>(3, 3, {}, 25);
  forest.learn(sample.all(), 1);
  std::vector<std::size_t> last(25);
  std::iota(last.begin(), last.end(), 35);
  CHECK(same_forest(forest, grown_keyed<RunningMoments>(chosen(sample, last), {})));
}

TEST(keyed_archives_come_back_and_learn_on) {
  const Sample sample = draw_sample(60, 3, Kind::weighted_duplicates);
  auto forest = keyed_forest<GaussianHierarchy>(3, 3, {});
  forest.learn(sample.batch(0, 40), 1);
  forest.forget(forest.locate(sample.batch(5, 6)), 1);
  auto again = keyed_forest<GaussianHierarchy>(3, 3, {});
  restore(again, archived(forest));
  CHECK(same_bits(forest, again));
  for (auto* each : {&forest, &again}) each->learn(sample.batch(40, 20), 1);
  CHECK(same_bits(forest, again));
  auto elsewhere = keyed_forest<GaussianHierarchy>(3, 3, {}, 0, 43);  // with another key these are no trees
  CHECK(throws<archive::Broken>([&] { restore(elsewhere, archived(forest)); }));
}

TEST(keyed_rows_far_apart_and_close_together) {
  Sample sample = draw_sample(40, 3);
  for (std::size_t i = 0; i < 40; ++i) {
    double* x = sample.features.data() + 3 * i;
    x[0] = i % 2 == 0 ? 1e18 : -1e18 * x[0];
    x[1] = 1.7e9;                                                    // whose neighbour is 128 away
    x[2] = 1.0 + std::ldexp(1.0, -23) * static_cast<double>(i / 4);  // next to each other
  }
  const auto grown = grown_keyed<RunningMoments>(sample, {});
  CHECK(is_sound(grown));
  auto online = keyed_forest<RunningMoments>(3, 3, {});
  online.learn(chosen(sample, shuffled_places(40, 2)).all(), 1);
  CHECK(same_forest(grown, online));
}

// Both lie in one cell at time t with probability exp(-t |x - y|_1). A false alarm, over the choice of seeds, has a
// probability below 1e-8: 5.9 standard deviations, twice.
TEST(keyed_rows_are_together_as_long_as_they_should) {
  constexpr std::size_t n_trees = 4000;
  for (const double lifetime : {0.5, 2.0}) {
    Sample pair{2, {0.25, 0.5, 0.5, 0.375}, {0.0, 1.0}, {}};
    auto forest = keyed_forest<RunningMoments>(2, n_trees, {2.0, lifetime});
    forest.store(pair.all());
    forest.grow(0, n_trees, 1);
    const auto n_together = std::count_if(forest.trees.begin(), forest.trees.end(),
                                          [](const auto& tree) { return tree.node(0).is_leaf(); });
    const double p = std::exp(-0.375 * lifetime), sd = std::sqrt(p * (1.0 - p) / n_trees);
    CHECK_NEAR(static_cast<double>(n_together) / n_trees, p, 5.9 * sd);
  }
}
