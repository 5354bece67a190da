// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/conformal/sorted_scores.hpp"

#include <cmath>

#include "check.hpp"
#include "hedgerow/conformal/adaptive_levels.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::conformal {
namespace {

TEST(scores_stay_in_order_whatever_happens) {
  random::Stream drawn(1, random::Purpose::grow, 0, 0);
  SortedScores scores;
  std::vector<double> plain;
  for (int step = 0; step < 3000; ++step) {
    const double fresh = std::floor(40.0 * drawn.uniform()) / 4.0;  // many are equal
    const double what = drawn.uniform();
    if (plain.empty() || what < 0.35) {
      plain.push_back(fresh);
      scores.insert(fresh);
    } else {
      const auto at = static_cast<std::size_t>(drawn.uniform() * static_cast<double>(plain.size()));
      if (what < 0.6) {
        scores.erase(plain[at]);
        plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        scores.replace(plain[at], fresh);
        plain[at] = fresh;
      }
    }
    std::vector<double> expected = plain;
    std::sort(expected.begin(), expected.end());
    CHECK(scores.values() == expected);
  }
}

TEST(the_rank_of_a_quantile_is_the_valid_one) {
  SortedScores scores;
  CHECK(std::isinf(scores.quantile(0.5)));
  for (int k = 1; k <= 9; ++k) scores.insert(k);
  CHECK(scores.quantile(0.9) == 9.0);  // ceil(0.9 * 10) = 9
  CHECK(std::isinf(scores.quantile(0.91)));
  CHECK(scores.quantile(0.7) == 7.0);  // although 0.7 * 10 may round up
  CHECK(scores.quantile(0.01) == 1.0);
  CHECK(scores.quantile(0.0) == 0.0);
  CHECK(scores.quantile(-0.5) == 0.0);
  CHECK(std::isinf(scores.quantile(1.2)));
  scores.insert(10.0);
  CHECK(scores.quantile(0.9) == 10.0);  // ceil(9.9)
}

// Gibbs and Candes 2021, Proposition 4.1: on any stream the share of misses differs from its target by at most
// (max(alpha, 1 - alpha) + rate) / (rate T).
TEST(adaptation_holds_its_promise_on_a_hostile_stream) {
  const double rate = 0.02;
  AdaptiveLevels levels(rate);
  SortedScores scores;
  const int n = 4000;
  int missed = 0;
  for (int i = 0; i < n; ++i) {
    const double radius = scores.quantile(levels.confidence(0.9));
    const double score = i % 700 < 350 ? 1e-3 * i : 1e3 - i;  // each score is chosen without regard for the others
    missed += score > radius;
    levels.update(score, scores);
    scores.insert(score);
  }
  CHECK_NEAR(double(missed) / n, 0.1, (0.9 + rate) / (rate * n));
}

TEST(without_adaptation_nothing_moves) {
  AdaptiveLevels levels;
  levels.update(1.0, SortedScores());
  CHECK_NEAR(levels.confidence(0.87), 0.87, 0.0);
  AdaptiveLevels fresh(0.01);
  for (const double confidence : {0.05, 0.5, 0.9, 0.93, 0.9999}) {
    CHECK_NEAR(fresh.confidence(confidence), confidence, 1e-12);
  }
}

}  // namespace
}  // namespace hedgerow::conformal
