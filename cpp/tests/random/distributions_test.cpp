// SPDX-License-Identifier: BSD-3-Clause
// Draws against distribution functions, by Kolmogorov and Smirnov: the largest distance of 50,000 draws exceeds
// 2.9 / sqrt(50,000) once in 1e7; 22 comparisons, seeds fixed.
#include "hedgerow/random/distributions.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"

namespace hedgerow::random {
namespace {

/// Largest distance between the share of draws below and what the distribution function says, times root n.
template <class Draw, class Below>
double distance(Draw&& draw, Below&& below) {
  constexpr std::size_t n = 50000;
  std::vector<double> drawn(n);
  for (double& one : drawn) one = draw();
  std::ranges::sort(drawn);
  double most = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = below(drawn[i]);
    const double lower = static_cast<double>(i) / n, upper = static_cast<double>(i + 1) / n;
    most = std::max({most, expected - lower, upper - expected});
  }
  return most * std::sqrt(static_cast<double>(n));
}
constexpr double alarm = 2.9;

double normal_above(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

TEST(a_normal_number_is_normal) {
  Stream stream(31, Purpose::grow, 0, 0);
  CHECK(distance([&] { return draw_normal(stream); }, [](double x) { return 1.0 - normal_above(x); }) < alarm);
}

TEST(a_truncated_normal_number_is_one) {
  std::uint32_t name = 0;
  for (const double lowest : {-30.0, -3.0, -0.5, 0.0, 1e-9, 0.5, 2.0, 5.0, 10.0, 20.0, 37.0}) {
    Stream stream(32, Purpose::grow, name++, 0);
    const auto draw = [&] {
      const double drawn = draw_normal_above(lowest, stream);
      CHECK(drawn >= lowest);
      return drawn;
    };
    CHECK(distance(draw, [&](double x) { return 1.0 - normal_above(x) / normal_above(lowest); }) < alarm);
  }
}

TEST(far_in_the_tail_it_is_exponential) {
  // Beyond where the normal's own tail is no double; (x - lowest) * lowest is exponential up to 1 / lowest^2.
  std::uint32_t name = 0;
  for (const double lowest : {1e3, 1e6}) {
    Stream stream(33, Purpose::grow, name++, 0);
    const auto draw = [&] { return (draw_normal_above(lowest, stream) - lowest) * lowest; };
    CHECK(distance(draw, [](double x) { return -std::expm1(-x); }) < alarm);
  }
}

/// Regularised lower incomplete gamma function, by its series.
double gamma_below(double shape, double x) {
  double term = std::exp(shape * std::log(x) - x - std::lgamma(shape + 1.0)), total = term;
  for (double i = 1.0; term > total * 1e-16; i += 1.0) total += term *= x / (shape + i);
  return std::min(total, 1.0);
}

TEST(a_gamma_number_is_one) {
  CHECK_NEAR(gamma_below(1.0, 2.0), 1.0 - std::exp(-2.0), 1e-14);
  CHECK_NEAR(gamma_below(0.5, 2.0), std::erf(std::sqrt(2.0)), 1e-14);
  std::uint32_t name = 0;
  for (const double shape : {0.05, 0.3, 0.5, 0.999, 1.0, 1.5, 30.0, 1e3}) {
    Stream stream(34, Purpose::grow, name++, 0);
    const auto draw = [&] { return draw_gamma(shape, stream); };
    CHECK(distance(draw, [&](double x) { return gamma_below(shape, x); }) < alarm);
  }
}

TEST(a_gamma_number_of_a_huge_shape_hardly_varies) {
  // Tests of moves fix the noise like this.
  Stream stream(35, Purpose::grow, 0, 0);
  for (int i = 0; i < 1000; ++i) CHECK_NEAR(draw_gamma(1e14, stream) / 1e14, 1.0, 1e-6);
}

TEST(whole_numbers_below_are_as_likely) {
  // Chi-squared with 6 degrees of freedom exceeds 43 once in 1e7.
  Stream stream(36, Purpose::grow, 0, 0);
  std::vector<double> counts(7, 0.0);
  for (int i = 0; i < 70000; ++i) counts.at(draw_below(7, stream)) += 1.0;
  double chi_squared = 0.0;
  for (const double count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
  CHECK(chi_squared < 43.0);
  for (int i = 0; i < 100; ++i) CHECK(draw_below(1, stream) == 0);
}

}  // namespace
}  // namespace hedgerow::random
