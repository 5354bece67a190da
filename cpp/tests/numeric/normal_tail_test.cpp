// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/normal_tail.hpp"

#include <cmath>
#include <numbers>

#include "check.hpp"
#include "hedgerow/numeric/exponential.hpp"

namespace hedgerow::numeric {
namespace {

TEST(the_tail_is_that_of_the_error_function) {
  for (double a = 0.0; a < 37.0; a += 1.0 / 64) {
    const double truth = 0.5 * std::erfc(a / std::numbers::sqrt2);
    const double rounding = 4e-16 * a * a;  // of the two exponents
    CHECK_NEAR(normal_tail(a, std::exp(-0.5 * a * a)), truth, (2e-14 + rounding) * truth);
  }
}

TEST(far_out_there_is_nothing) {
  for (const double a : {38.0, 1e3, 1e150}) CHECK(normal_tail(a, exp_nonpositive(-0.5 * a * a)) == 0.0);
}

}  // namespace
}  // namespace hedgerow::numeric
