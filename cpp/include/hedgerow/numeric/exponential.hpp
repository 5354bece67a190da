// SPDX-License-Identifier: BSD-3-Clause
// exp for arguments that are not positive, from additions and multiplications alone: the same bits on every machine,
// no call, and many at once in flight. Within two units in the last place of the truth; below exp(-700) it is 0.
#pragma once

#include <bit>
#include <cstdint>

namespace hedgerow::numeric {

[[gnu::always_inline]] inline double exp_nonpositive(double x) {
  constexpr double log2_e = 1.4426950408889634, ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double round_to_integer = 0x1.8p52;  // adding it leaves the integer part in the lowest bits
  const double clamped = x < -700.0 ? -700.0 : x;
  const double shifted = clamped * log2_e + round_to_integer;
  const double n = shifted - round_to_integer;
  const double r = (clamped - n * ln2_high) - n * ln2_low;  // |r| <= ln(2) / 2
  const double r2 = r * r, r4 = r2 * r2;
  const double p0 = 1.0 + r, p2 = 1.0 / 2 + r * (1.0 / 6), p4 = 1.0 / 24 + r * (1.0 / 120);
  const double p6 = 1.0 / 720 + r * (1.0 / 5040), p8 = 1.0 / 40320 + r * (1.0 / 362880);
  const double p10 = 1.0 / 3628800 + r * (1.0 / 39916800), p12 = 1.0 / 479001600 + r * (1.0 / 6227020800);
  const double series = (p0 + r2 * p2) + r4 * ((p4 + r2 * p6) + r4 * ((p8 + r2 * p10) + r4 * p12));
  const auto exponent = static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(shifted) + 1023) << 52;
  const double value = series * std::bit_cast<double>(exponent);
  return x < -700.0 ? 0.0 : value;
}

}  // namespace hedgerow::numeric
