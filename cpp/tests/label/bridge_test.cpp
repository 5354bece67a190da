// SPDX-License-Identifier: BSD-3-Clause
// Against integrals taken by the midpoint rule.
#include "hedgerow/label/bridge.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"

namespace hedgerow::label {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(the_share_of_an_edge_is_integrated_over_the_time_of_the_branch) {
  for (const double outside : {1e-7, 1e-4, 3e-3, 0.04, 0.3, 2.0, 40.0}) {
    for (const double rate : {1e-7, 1e-5, 1e-3, 0.015, 0.05, 1.0, 30.0}) {
      for (const double elapsed : {0.01, 1.0, 7.0}) {
        double mass = 0.0, first = 0.0, second = 0.0;
        const int n = 20000;
        for (int i = 0; i < n; ++i) {
          const double t = (i + 0.5) / n * elapsed, density = std::exp(-outside * t);
          const double share = std::expm1(-rate * t) / std::expm1(-rate * elapsed);
          mass += density;
          first += density * share;
          second += density * share * share;
        }
        const auto [mean, square] = share_of_edge(outside, elapsed, std::exp(-outside * elapsed), rate);
        CHECK_NEAR(mean, first / mass, 2e-5);
        CHECK_NEAR(square, second / mass, 2e-5);
      }
    }
  }
}

TEST(an_edge_without_end_and_one_as_good_as_that_agree) {
  for (const double outside : {1e-3, 1.0, 1e4}) {
    for (const double rate : {1e-3, 1.0, 1e4}) {
      const auto [mean, square] = share_of_edge(outside, infinity, 0.0, rate);
      CHECK_NEAR(mean, rate / (outside + rate), 1e-15);
      CHECK_NEAR(square, 2.0 * rate * rate / ((outside + rate) * (outside + 2.0 * rate)), 1e-15);
      for (const double elapsed : {1e9, 1e300, 1e306}) {
        const auto other = share_of_edge(outside, elapsed, 0.0, rate);
        CHECK_NEAR(other.mean, mean, 1e-14);
        CHECK_NEAR(other.square, square, 1e-14);
      }
    }
  }
}

TEST(a_point_infinitely_far_away_branches_off_at_once) {
  for (const double elapsed : {1e-3, 1.0, infinity}) {
    const auto [mean, square] = share_of_edge(infinity, elapsed, 0.0, 2.0);
    CHECK(mean == 0.0 && square == 0.0);
  }
}

}  // namespace
}  // namespace hedgerow::label
