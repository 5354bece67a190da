// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/distance_kernels.hpp"

#include <cmath>
#include <random>

#include "check.hpp"

namespace hedgerow::kernel {
namespace {

std::vector<double> numbers(std::size_t n, unsigned seed, double scale) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0.0, scale);
  std::vector<double> found(n);
  for (double& value : found) value = normal(generator);
  return found;
}

double plain(Fall fall, double distance) {
  return fall == Fall::exponential ? std::exp(-distance) : 1.0 / (1.0 + distance);
}

TEST(sums_are_those_of_kernels_one_after_another) {
  for (const Fall fall : {Fall::exponential, Fall::rational}) {
    for (const std::size_t n_landmarks : {0U, 1U, 15U, 16U, 17U, 70U}) {
      for (const std::size_t width : {0U, 1U, 7U}) {
        constexpr std::size_t n = 9, n_sums = 3;
        const auto rows = numbers(n * width, 1, 2.0), landmarks = numbers(n_landmarks * width, 2, 2.0);
        const auto slopes = numbers(n_landmarks * n_sums, 3, 1.0);
        std::vector<double> sums(n * n_sums, 7.0);
        LandmarkSums(fall, landmarks.data(), slopes.data(), n_landmarks, width, n_sums)
            .at(rows.data(), n, 1, sums.data());
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t s = 0; s < n_sums; ++s) {
            double sum = 0.0;
            for (std::size_t j = 0; j < n_landmarks; ++j) {
              double distance = 0.0;
              for (std::size_t d = 0; d < width; ++d)
                distance += std::abs(rows[i * width + d] - landmarks[j * width + d]);
              sum += slopes[j * n_sums + s] * plain(fall, distance);
            }
            CHECK_NEAR(sums[i * n_sums + s], sum, 1e-13);
          }
        }
      }
    }
  }
}

TEST(a_row_alone_has_the_bits_that_it_has_among_others) {
  constexpr std::size_t n = 700, width = 5, n_landmarks = 33, n_sums = 2;
  const auto rows = numbers(n * width, 4, 1.0), landmarks = numbers(n_landmarks * width, 5, 1.0);
  const auto slopes = numbers(n_landmarks * n_sums, 6, 1e6);
  const LandmarkSums sums(Fall::exponential, landmarks.data(), slopes.data(), n_landmarks, width, n_sums);
  std::vector<double> together(n * n_sums), by_three(n * n_sums), alone(n_sums);
  sums.at(rows.data(), n, 1, together.data());
  sums.at(rows.data(), n, 3, by_three.data());
  CHECK(together == by_three);
  for (std::size_t i = 0; i < n; i += 37) {
    sums.at(rows.data() + i * width, 1, 1, alone.data());
    for (std::size_t s = 0; s < n_sums; ++s) CHECK(alone[s] == together[i * n_sums + s]);
  }
}

TEST(rows_come_to_other_units_on_straight_lines_between_knots) {
  const std::uint64_t first_knot[] = {0, 1, 4, 6};
  const double values[] = {3.0, -1.0, 0.0, 4.0, -1e308, 1e308}, images[] = {7.0, 1.0, 2.0, 10.0, 0.0, 1.0};
  const double rows[] = {3.0, -1.5, -1e308, 2.0, -0.5, 1e308, 9.0, 0.0, HUGE_VAL, 3.0, 1.0, 0.0, 3.0, 4.5, 0.0};
  const double expected[] = {7.0, 1.0, 0.0, 7.0, 1.5, 1.0, 7.0, 2.0, 1.0, 7.0, 4.0, 0.0, 7.0, 10.0, 0.0};
  std::vector<double> units(15);
  between_knots(rows, 5, 3, first_knot, values, images, units.data());
  for (std::size_t i = 0; i < 15; ++i)
    CHECK(units[i] == expected[i]);  // a knot too far from the next counts as its end
}

TEST(what_is_far_away_counts_nothing) {
  std::vector<double> values{0.0, 1.0, 700.5, 1e300, HUGE_VAL};
  fall_with_distance(Fall::exponential, values.data(), values.size());
  CHECK(values[0] == 1.0);
  CHECK_NEAR(values[1], std::exp(-1.0), 1e-15);
  for (std::size_t i = 2; i < values.size(); ++i) CHECK(values[i] == 0.0);
  const double row = 1e308, landmark = -1e308, slope = 1.0;
  double sum = -1.0;
  LandmarkSums(Fall::rational, &landmark, &slope, 1, 1, 1).at(&row, 1, 1, &sum);
  CHECK(sum == 0.0);
}

}  // namespace
}  // namespace hedgerow::kernel
