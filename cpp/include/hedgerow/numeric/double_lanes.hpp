// SPDX-License-Identifier: BSD-3-Clause
// Four numbers at a time: one AVX2 register, or two of SSE, in the vectors that GCC and Clang know; elsewhere an array,
// with the same arithmetic. For the kernels' own files only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::numeric {

inline constexpr std::size_t n_double_lanes = 4;

#if (defined(__GNUC__) || defined(__clang__)) && !defined(HEDGEROW_PORTABLE)
using DoubleLanes = double __attribute__((vector_size(32), aligned(8), may_alias));

/// The same number in all lanes.
HEDGEROW_INLINE DoubleLanes in_all_lanes(double value) { return DoubleLanes{value, value, value, value}; }

/// Without their signs.
HEDGEROW_INLINE DoubleLanes magnitude(DoubleLanes lanes) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  return (DoubleLanes)((Bits)lanes & 0x7FFFFFFFFFFFFFFF);
}
#else
struct DoubleLanes {
  double values[n_double_lanes];

  DoubleLanes& operator+=(const DoubleLanes& other) {
    for (std::size_t k = 0; k < n_double_lanes; ++k) values[k] += other.values[k];
    return *this;
  }
  friend DoubleLanes operator-(DoubleLanes one, const DoubleLanes& other) {
    for (std::size_t k = 0; k < n_double_lanes; ++k) one.values[k] -= other.values[k];
    return one;
  }
};

inline DoubleLanes in_all_lanes(double value) { return {{value, value, value, value}}; }

inline DoubleLanes magnitude(DoubleLanes lanes) {
  for (double& value : lanes.values) value = std::abs(value);
  return lanes;
}
#endif

}  // namespace hedgerow::numeric
