// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/exact_sum.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"

namespace hedgerow::numeric {
namespace {

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

TEST(single_numbers_are_what_they_were) {
  using Limits = std::numeric_limits<double>;
  for (const double x : {0.0, 1.0, -1.0, 0.1, -3.7e200, 5e-324, -5e-324, 1e-310, Limits::max(), -Limits::max(),
                         Limits::min(), 4294967296.0, 1.0 + Limits::epsilon()}) {
    CHECK(sum_of({x}) == x);
    CHECK(sum_of({x, x, -x}) == x);
    CHECK(sum_of({x, -x}) == 0.0);
  }
}

TEST(sums_are_rounded_once_to_the_nearest_and_ties_to_even) {
  const double e = std::numeric_limits<double>::epsilon();
  CHECK(sum_of({1e300, 1.0, -1e300}) == 1.0);
  CHECK(sum_of({1.0, e / 2}) == 1.0);              // a tie
  CHECK(sum_of({1.0, e / 2, 1e-300}) == 1.0 + e);  // just beyond it
  CHECK(sum_of({1.0 + e, e / 2}) == 1.0 + 2 * e);  // a tie, from an odd number
  CHECK(sum_of({-1.0, -e / 2, -5e-324}) == -1.0 - e);
  CHECK(sum_of({1e16, 1.0, 1.0}) == 1e16 + 2.0);
  CHECK(sum_of({0x1p1023, 0x1p1023, -0x1p1023}) == 0x1p1023);  // beyond all doubles on the way
}

TEST(order_cannot_be_told_and_what_was_added_can_be_taken_back) {
  std::mt19937_64 dice(7);
  std::vector<double> numbers;
  for (int i = 0; i < 5000; ++i) {
    const auto exponent = static_cast<int>(dice() % 600) - 300;
    numbers.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(dice())), exponent));
  }
  const double total = sum_of(numbers);
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  std::shuffle(numbers.begin(), numbers.end(), dice);
  CHECK(sum_of(numbers) == total);
  for (std::size_t i = numbers.size(); i-- > 10;) sum.add(-numbers[i]);
  CHECK(sum.value() == sum_of({numbers.begin(), numbers.begin() + 10}));
}

TEST(products_keep_all_their_digits) {
  ExactSum sum;
  const double a = 1.0 + 0x1p-30, b = 1.0 - 0x1p-30;  // the product is 1 - 2^-60
  sum.add_product(a, b);
  sum.add(-1.0);
  CHECK(sum.value() == -0x1p-60);
  sum.add_product(-0.1, 3e100);
  sum.add_product(0.1, 3e100);
  CHECK(sum.value() == -0x1p-60);
}

}  // namespace
}  // namespace hedgerow::numeric
