// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "hedgerow/numeric/exponential_kernels.hpp"

namespace hedgerow::numeric {
namespace {

/// Units in the last place between exp_nonpositive(x) and the truth, taken from a wider type.
double error_in_ulps(double x) {
  const long double truth = std::exp(static_cast<long double>(x));
  const auto nearest = static_cast<double>(truth);
  const double unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::abs(static_cast<long double>(exp_nonpositive(x)) - truth)) / unit;
}

TEST(exp_is_within_two_ulps_on_a_dense_grid) {
  double worst = 0.0;
  for (int i = 0; i <= 700000; ++i) worst = std::max(worst, error_in_ulps(-0.001 * i));
  CHECK_NEAR(worst, 0.0, 2.0);
}

TEST(exp_is_within_two_ulps_near_zero) {
  double worst = 0.0;
  for (double x = -1.0; x < -1e-300; x *= 0.99) worst = std::max(worst, error_in_ulps(x));
  CHECK_NEAR(worst, 0.0, 2.0);
}

TEST(exp_is_within_two_ulps_where_the_power_of_two_changes) {
  double worst = 0.0;
  for (int n = 0; n < 1000; ++n) {
    double x = -(n + 0.5) * std::log(2.0);
    for (int step = 0; step < 20; ++step) x = std::nextafter(x, 0.0);
    for (int step = 0; step < 40; ++step) {
      worst = std::max(worst, error_in_ulps(x));
      x = std::nextafter(x, -1000.0);
    }
  }
  CHECK_NEAR(worst, 0.0, 2.0);
}

TEST(exp_of_zero_is_one) {
  CHECK(exp_nonpositive(0.0) == 1.0);
  CHECK(exp_nonpositive(-0.0) == 1.0);
  CHECK(exp_nonpositive(-std::numeric_limits<double>::denorm_min()) == 1.0);
}

TEST(exp_ends_at_minus_700) {
  CHECK(error_in_ulps(-700.0) <= 2.0);
  CHECK(exp_nonpositive(std::nextafter(-700.0, -1000.0)) == 0.0);
  CHECK(exp_nonpositive(std::numeric_limits<double>::lowest()) == 0.0);
  CHECK(exp_nonpositive(-std::numeric_limits<double>::infinity()) == 0.0);
}

TEST(exp_never_exceeds_one) {
  for (double x = -1.0; x < 0.0; x *= 0.5) CHECK(exp_nonpositive(x) <= 1.0);
}

TEST(many_exponentials_at_once_have_the_same_bits) {
  for (std::size_t n : {0, 1, 3, 4, 5, 64, 1001}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(-0.013 * static_cast<double>(i * i));
    std::vector<double> together = values;
    exp_nonpositive_all(together.data(), n);
    for (std::size_t i = 0; i < n; ++i) CHECK(together[i] == exp_nonpositive(values[i]));
  }
}

}  // namespace
}  // namespace hedgerow::numeric
