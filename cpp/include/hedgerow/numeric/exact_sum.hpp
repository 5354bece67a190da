// SPDX-License-Identifier: BSD-3-Clause
// A sum of doubles without rounding: the small superaccumulator of Neal (2015). What was added can be taken back, and
// the order in which numbers came and went cannot be told from the result.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hedgerow::numeric {

class ExactSum {
 public:
  /// x must be finite.
  void add(double x) {
    if (++n_uncarried_ == carry_every) carry();
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = bits >> 52 & 0x7FF, fraction = bits & 0xFFFFFFFFFFFFF;
    const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;  // |x| = mantissa * 2^(place - 1074)
    const std::uint64_t shift = place % 32, sign = bits >> 63;
    const auto low = static_cast<std::int64_t>(mantissa << shift & 0xFFFFFFFF);
    const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
    chunks_[place / 32] += sign != 0 ? -low : low;
    chunks_[place / 32 + 1] += sign != 0 ? -high : high;
  }

  /// a * b, all digits of it: Dekker (1971). The product must be finite; digits below 2^-1074 are lost.
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    if (a == 1.0 || b == 1.0 || product == 0.0) return;
    const auto [a_high, a_low] = halves(a);
    const auto [b_high, b_low] = halves(b);
    const double rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    if (std::isfinite(rest)) add(rest);
  }

  /// The nearest double.
  [[nodiscard]] double value() const {
    ExactSum digits = *this;
    digits.carry();
    const bool is_negative = digits.chunks_.back() < 0;
    if (is_negative) {
      for (std::int64_t& chunk : digits.chunks_) chunk = -chunk;
      digits.carry();
    }
    std::size_t top = n_chunks - 1;
    while (top > 0 && digits.chunks_[top] == 0) --top;
    const double size = digits.rounded(top);
    return is_negative ? -size : size;
  }

 private:
  static constexpr std::size_t n_chunks = 66;    // of 32 bits: all exponents of doubles, and room for sums
  static constexpr int carry_every = 1000;       // an addition moves a chunk by less than 2^53
  std::array<std::int64_t, n_chunks> chunks_{};  ///< the sum of chunks_[i] * 2^(32 i - 1074)
  int n_uncarried_ = 0;

  /// All chunks but the last to [0, 2^32).
  void carry() {
    n_uncarried_ = 0;
    for (std::size_t i = 0; i + 1 < n_chunks; ++i) {
      chunks_[i + 1] += chunks_[i] >> 32;
      chunks_[i] &= 0xFFFFFFFF;
    }
  }

  /// 64 leading digits; what follows them is a last digit that is 1 unless all of it is zero.
  [[nodiscard]] double rounded(std::size_t top) const {
    const auto chunk = [&](std::size_t below) {
      return top >= below ? static_cast<std::uint64_t>(chunks_[top - below]) : 0;
    };
    const int spare = std::countl_zero(static_cast<std::uint32_t>(chunk(0)));
    std::uint64_t leading = chunk(0) << 32 | chunk(1);
    bool is_more = false;
    for (std::size_t i = 0; i + 2 < top; ++i) is_more = is_more || chunks_[i] != 0;
    leading = spare == 0 ? leading : leading << spare | chunk(2) >> (32 - spare);
    is_more = is_more || (chunk(2) << spare & 0xFFFFFFFF) != 0;
    const int exponent = 32 * (static_cast<int>(top) - 1) - 1074 - spare;
    return std::ldexp(static_cast<double>(leading | static_cast<std::uint64_t>(is_more)), exponent);
  }

  struct Halves {
    double high, low;
  };
  static Halves halves(double x) {
    const double scaled = 134217729.0 * x;  // 2^27 + 1
    const double high = scaled - (scaled - x);
    return {high, x - high};
  }
};

}  // namespace hedgerow::numeric
