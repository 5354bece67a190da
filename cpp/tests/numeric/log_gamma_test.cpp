// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/log_gamma.hpp"

#include <numbers>

#include "check.hpp"

namespace hedgerow::numeric {
namespace {

TEST(log_gamma_of_whole_numbers_is_the_log_of_a_factorial) {
  double log_factorial = 0.0;
  for (int n = 1; n < 200; ++n) {
    CHECK_NEAR(log_gamma(n), log_factorial, 1e-14 * std::max(1.0, log_factorial));
    log_factorial += std::log(n);
  }
}

TEST(log_gamma_of_a_half_is_known) { CHECK_NEAR(log_gamma(0.5), 0.5 * std::log(std::numbers::pi), 1e-14); }

TEST(log_gamma_agrees_with_the_library) {
  for (double x = 1e-6; x < 1e9; x *= 1.37) {
    CHECK_NEAR(log_gamma(x), std::lgamma(x), 2e-14 * std::max(1.0, std::abs(std::lgamma(x))));
  }
}

TEST(a_table_says_what_the_function_says) {
  const LogGammaTable table(0.7, 0.5, 20);
  for (const double count : {0.0, 1.0, 19.0, 20.0, 21.0, 500.0, 0.25, 3.5, 1e-9}) {
    CHECK(table.at(count) == log_gamma(0.7 + 0.5 * count));
  }
}

}  // namespace
}  // namespace hedgerow::numeric
