// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/split_search.hpp"

#include <cmath>

#include "check.hpp"

namespace hedgerow::online {
namespace {

random::Stream stream(std::uint64_t seed) { return {seed, random::Purpose::split, 0, 0}; }

/// Rows with ties among features, weights of 1 to 3, and labels that step up with the first feature.
KeptRows some_rows(std::size_t n, std::size_t width, double step, std::uint64_t seed) {
  auto drawn = stream(seed);
  KeptRows rows;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> x(width);
    for (float& value : x) value = std::floor(20.0F * static_cast<float>(drawn.uniform()));
    rows.keep(x.data(), width, 1e6 + (x[0] > 9.0F ? step : 0.0) + drawn.uniform(),
              std::floor(1.0 + 3.0 * drawn.uniform()), 1000);
  }
  return rows;
}

/// The same rows, labelled by how far their labels are from the mean of all.
KeptRows distances_of(KeptRows rows) {
  double weight = 0.0, mean = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) weight += rows.weights[i], mean += rows.weights[i] * rows.labels[i];
  for (double& label : rows.labels) label = std::abs(label - mean / weight);
  return rows;
}

/// Share of the squares that a split explains, from its definition.
double gain_of(const KeptRows& rows, std::size_t width, std::size_t feature, float threshold, std::size_t least) {
  const auto squares = [&](int side) {
    double weight = 0.0, mean = 0.0, sum = 0.0;
    std::size_t n = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool right = rows.features[i * width + feature] > threshold;
        if (side != -1 && right != (side == 1)) continue;
        if (pass == 0) weight += rows.weights[i], mean += rows.weights[i] * rows.labels[i], ++n;
        if (pass == 1) sum += rows.weights[i] * (rows.labels[i] - mean) * (rows.labels[i] - mean);
      }
      if (pass == 0 && n > 0) mean /= weight;
    }
    return n < least ? std::numeric_limits<double>::infinity() : sum;
  };
  return 1.0 - (squares(0) + squares(1)) / squares(-1);
}

TEST(the_best_split_is_that_of_a_brute_force_search) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Growth growth;
    growth.width = 3;
    growth.n_candidates = 3;
    growth.split_confidence = 0.5;
    const KeptRows rows = some_rows(60, 3, 0.4, seed);
    double best = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      for (float threshold = 0.5F; threshold < 19.0F; threshold += 1.0F) {
        best = std::max(best, gain_of(rows, 3, d, threshold, growth.min_samples_leaf));
      }
    }
    auto drawn = stream(seed);
    const Split found = SplitSearch().find(rows, growth, rows.size(), drawn);
    CHECK((found.gain > 0.0) == SplitSearch::is_significant(best, 60.0, growth));
    if (found.gain == 0.0) continue;
    CHECK_NEAR(found.gain, best, 1e-9);
    CHECK_NEAR(gain_of(rows, 3, found.feature, found.threshold, growth.min_samples_leaf), best, 1e-9);
  }
}

TEST(the_best_split_by_mean_and_spread_leaves_the_smallest_product_of_shares) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Growth growth;
    growth.width = 3;
    growth.n_candidates = 3;
    growth.split_confidence = 0.9;
    growth.weighs_spread = true;
    KeptRows rows = some_rows(60, 3, 0.2, seed);
    for (std::size_t i = 0; i < 60; ++i) rows.labels[i] += (i % 2 ? 0.1 : -0.1) * rows.features[3 * i + 1];
    const KeptRows distances = distances_of(rows);
    const auto gain_at = [&](std::size_t d, float threshold) {
      const double of_labels = gain_of(rows, 3, d, threshold, growth.min_samples_leaf);
      const double of_distances = gain_of(distances, 3, d, threshold, growth.min_samples_leaf);
      return std::isfinite(of_labels) ? 1.0 - (1.0 - of_labels) * (1.0 - of_distances) : 0.0;
    };
    double best = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      for (float threshold = 0.5F; threshold < 19.0F; threshold += 1.0F) best = std::max(best, gain_at(d, threshold));
    }
    auto drawn = stream(seed);
    const Split found = SplitSearch().find(rows, growth, rows.size(), drawn);
    CHECK((found.gain > 0.0) == SplitSearch::is_significant(best, 60.0, growth));
    if (found.gain == 0.0) continue;
    CHECK_NEAR(found.gain, best, 1e-8);
    CHECK_NEAR(gain_at(found.feature, found.threshold), best, 1e-8);
  }
}

TEST(labels_that_only_vary_more_are_split_by_spread_alone) {
  KeptRows rows;
  for (int i = 0; i < 200; ++i) {
    const auto x = static_cast<float>(i);
    rows.keep(&x, 1, (i % 2 ? 1.0 : -1.0) * (i < 100 ? 0.1 : 3.0), 1.0, 1000);
  }
  Growth growth;
  auto drawn = stream(1);
  CHECK(SplitSearch().find(rows, growth, 200, drawn).gain == 0.0);
  growth.weighs_spread = true;
  const Split found = SplitSearch().find(rows, growth, 200, drawn);
  CHECK(found.gain > 0.9 && found.threshold == 99.5F);
}

TEST(rows_on_either_side_are_enough) {
  Growth growth;
  growth.split_confidence = 0.9;
  KeptRows rows;
  for (int i = 0; i < 30; ++i) {
    const auto x = static_cast<float>(i);
    rows.keep(&x, 1, i < 2 ? 100.0 : 0.1 * (i % 2), 1.0, 100);  // the best cut would leave two rows
  }
  auto drawn = stream(1);
  const Split found = SplitSearch().find(rows, growth, 30, drawn);
  CHECK(found.gain > 0.0 && found.threshold == 4.5F);
}

TEST(equal_features_or_labels_are_not_split) {
  Growth growth;
  KeptRows rows;
  const float x = 1.0F;
  for (int i = 0; i < 50; ++i) rows.keep(&x, 1, i, 1.0, 100);
  auto drawn = stream(1);
  CHECK(SplitSearch().find(rows, growth, 50, drawn).gain == 0.0);
  KeptRows flat;
  for (int i = 0; i < 50; ++i) {
    const auto value = static_cast<float>(i);
    flat.keep(&value, 1, 3.0, 1.0, 100);
  }
  CHECK(SplitSearch().find(flat, growth, 50, drawn).gain == 0.0);
}

TEST(a_threshold_lies_between_neighbours) {
  const float low = 1.0F, high = std::nextafter(1.0F, 2.0F);
  KeptRows rows;
  for (int i = 0; i < 40; ++i) rows.keep(i % 2 ? &high : &low, 1, i % 2, 1.0, 100);
  Growth growth;
  auto drawn = stream(1);
  const Split found = SplitSearch().find(rows, growth, 40, drawn);
  CHECK(found.gain > 0.99 && found.threshold >= low && found.threshold < high);
}

// Of 400 leaves of 100 rows whose labels depend on nothing, at split_confidence 0.1 fewer than a tenth may split; the
// bound over thresholds is careful, so the true rate is far lower. 60 or more have a probability below 2e-3 at 0.1.
TEST(noise_is_rarely_split) {
  for (const bool weighs_spread : {false, true}) {
    Growth growth;
    growth.width = 4;
    growth.n_candidates = 2;
    growth.split_confidence = 0.1;
    growth.weighs_spread = weighs_spread;
    int n_split = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const KeptRows rows = some_rows(100, 4, 0.0, 1000 + seed);
      auto drawn = stream(seed);
      n_split += SplitSearch().find(rows, growth, 100, drawn).gain > 0.0;
    }
    CHECK(n_split < 60);
  }
}

TEST(hoeffding_waits_until_the_best_is_ahead) {
  CHECK_NEAR(SplitSearch::hoeffding_bound(1e-7, 200.0), 0.2007367, 1e-6);
  Growth growth;
  growth.width = 2;
  growth.n_candidates = 2;
  growth.split_test = SplitTest::hoeffding;
  growth.split_confidence = 1e-7;
  const auto rows_with = [](bool equal) {
    auto drawn = stream(7);
    KeptRows rows;
    for (int i = 0; i < 200; ++i) {
      const auto noise = static_cast<float>(drawn.uniform());
      const float x[] = {static_cast<float>(i % 2), equal ? static_cast<float>(i % 2) : noise};
      rows.keep(x, 2, i % 2 + 0.1 * drawn.uniform(), 1.0, 1000);
    }
    return rows;
  };
  auto drawn = stream(1);
  CHECK(SplitSearch().find(rows_with(false), growth, 200, drawn).gain > 0.9);
  CHECK(SplitSearch().find(rows_with(true), growth, 200, drawn).gain == 0.0);  // two equally good features
  CHECK(SplitSearch().find(rows_with(true), growth, 4000, drawn).gain > 0.9);  // a tie, after so many rows
}

}  // namespace
}  // namespace hedgerow::online
