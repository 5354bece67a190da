// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/particle/resampling.hpp"

#include <numeric>

#include "check.hpp"

namespace hedgerow::particle {
namespace {

const std::vector<double> weights{0.05, 0.0, 0.4, 0.25, 0.3, 0.0};

random::Stream stream_of(std::uint64_t event) { return {7, random::Purpose::resample, 0, event}; }

TEST(offspring_are_as_many_as_asked_for) {
  for (const auto scheme : {Resampling::multinomial, Resampling::systematic}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{6}, std::size_t{17}}) {
      auto stream = stream_of(n);
      const auto copies = offspring(scheme, weights, n, stream);
      CHECK(std::accumulate(copies.begin(), copies.end(), std::size_t{0}) == n);
      CHECK(copies[1] == 0 && copies[5] == 0);
    }
  }
}

TEST(systematic_offspring_differ_from_the_mean_by_less_than_one) {
  for (std::uint64_t event = 0; event < 200; ++event) {
    auto stream = stream_of(event);
    const auto copies = offspring(Resampling::systematic, weights, 50, stream);
    for (std::size_t c = 0; c < weights.size(); ++c) CHECK(std::abs(copies[c] - 50.0 * weights[c]) < 1.0 + 1e-9);
  }
}

/// z-scores of 2 x 6 means of 4000 draws; the alarm at 6 is false less than once in 1e7.
TEST(offspring_are_unbiased) {
  constexpr int n_draws = 4000;
  constexpr std::size_t n = 9;
  for (const auto scheme : {Resampling::multinomial, Resampling::systematic}) {
    std::vector<double> sums(weights.size(), 0.0);
    for (std::uint64_t event = 0; event < n_draws; ++event) {
      auto stream = stream_of(event + 1000);
      const auto copies = offspring(scheme, weights, n, stream);
      for (std::size_t c = 0; c < weights.size(); ++c) sums[c] += copies[c];
    }
    for (std::size_t c = 0; c < weights.size(); ++c) {
      const double error = std::sqrt(n * weights[c] * (1.0 - weights[c]) / n_draws);
      CHECK_NEAR(sums[c] / n_draws, n * weights[c], 6.0 * error);
    }
  }
}

TEST(multinomial_points_are_in_order_and_within) {
  auto stream = stream_of(3);
  double last = 0.0;
  for (const double point : resampling_points(Resampling::multinomial, 1000, stream)) {
    CHECK(point > last && point < 1.0);
    last = point;
  }
}

TEST(what_rounding_leaves_over_goes_to_a_particle_with_weight) {
  const std::vector<double> short_of_one{0.3, 0.3, 0.39999, 0.0};
  for (std::uint64_t event = 0; event < 500; ++event) {
    auto stream = stream_of(event);
    CHECK(offspring(Resampling::systematic, short_of_one, 100, stream)[3] == 0);
  }
}

}  // namespace
}  // namespace hedgerow::particle
