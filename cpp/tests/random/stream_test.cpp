// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/random/stream.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "check.hpp"

namespace hedgerow::random {
namespace {

TEST(a_name_always_gives_the_same_numbers) {
  Stream first(7, Purpose::extend, 3, 11), second(7, Purpose::extend, 3, 11);
  for (int i = 0; i < 100; ++i) CHECK(first.uniform() == second.uniform());
}

TEST(different_names_share_no_number) {
  std::vector<double> drawn;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const Purpose purpose : {Purpose::grow, Purpose::extend}) {
      for (const std::uint32_t tree : {0U, 1U, 2U, 0xFFFFFFFFU}) {
        for (const std::uint64_t event :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, (std::uint64_t{1} << 56) - 1}) {
          Stream stream(seed, purpose, tree, event);
          for (int i = 0; i < 50; ++i) drawn.push_back(stream.uniform());
        }
      }
    }
  }
  std::sort(drawn.begin(), drawn.end());
  CHECK(drawn.size() == 3 * 2 * 4 * 4 * 50);
  CHECK(std::adjacent_find(drawn.begin(), drawn.end()) == drawn.end());
}

TEST(uniform_lies_in_the_open_interval) {
  Stream stream(1, Purpose::grow, 0, 0);
  for (int i = 0; i < 100000; ++i) {
    const double u = stream.uniform();
    CHECK(u > 0.0 && u < 1.0);
  }
}

TEST(uniform_fills_the_interval_evenly) {
  // 100 cells of 1000 expected draws each: chi-squared with 99 degrees of freedom exceeds 173 once in 200,000.
  Stream stream(2, Purpose::grow, 0, 0);
  std::vector<double> counts(100, 0.0);
  for (int i = 0; i < 100000; ++i) counts[static_cast<std::size_t>(100.0 * stream.uniform())] += 1.0;
  double chi_squared = 0.0;
  for (const double count : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_squared < 173.0);
  CHECK(chi_squared > 45.0);
}

TEST(exponential_has_mean_and_variance_one) {
  Stream stream(3, Purpose::grow, 0, 0);
  double sum = 0.0, squares = 0.0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double e = stream.exponential();
    CHECK(e >= 0.0 && std::isfinite(e));
    sum += e;
    squares += (e - 1.0) * (e - 1.0);
  }
  CHECK_NEAR(sum / n, 1.0, 5.0 / std::sqrt(n));                       // five standard errors
  CHECK_NEAR(squares / n, 1.0, 5.0 * std::sqrt(8.0) / std::sqrt(n));  // the fourth central moment is 9
}

TEST(location_lies_in_the_half_open_interval) {
  constexpr float tiny = std::numeric_limits<float>::denorm_min(), huge = 1e18F;
  Stream stream(4, Purpose::grow, 0, 0);
  for (const auto& [lower, upper] : std::vector<std::pair<float, float>>{
           {0.0F, 1.0F}, {-1.0F, 1.0F}, {0.0F, tiny}, {-tiny, 0.0F}, {-huge, huge}, {1.0F, huge}, {-huge, -1.0F}}) {
    for (int i = 0; i < 1000; ++i) {
      const float drawn = stream.location(lower, upper);
      CHECK(lower <= drawn && drawn < upper);
    }
  }
}

TEST(location_between_adjacent_floats_is_the_lower) {
  Stream stream(5, Purpose::grow, 0, 0);
  for (const float lower : {-1e18F, -1.0F, -1e-40F, 0.0F, 1e-40F, 0.1F, 1.0F, 16777215.0F, 1e18F}) {
    const float upper = std::nextafter(lower, std::numeric_limits<float>::infinity());
    for (int i = 0; i < 100; ++i) CHECK(stream.location(lower, upper) == lower);
  }
}

TEST(uniform_is_below_one_for_the_largest_bits) {
  // Found by running Philox backwards: draw 426 of this stream is made of 53 ones.
  Stream stream(5, Purpose::grow, 2439550952U, 52869996831792323U);
  for (int i = 0; i < 426; ++i) stream.uniform();
  CHECK(stream.uniform() < 1.0);
}

}  // namespace
}  // namespace hedgerow::random
