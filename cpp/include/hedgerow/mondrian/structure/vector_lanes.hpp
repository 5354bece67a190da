// SPDX-License-Identifier: BSD-3-Clause
// Eight columns at a time in the vectors that GCC and Clang know: one AVX2 register, or two of SSE. The arithmetic is
// that of `plain_lanes.hpp`. For the kernels' own files only.
#pragma once

#include <cstddef>
#include <cstring>

#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

constexpr std::size_t n_lanes = 8;
using Lanes = float __attribute__((vector_size(32)));
using Mask = int __attribute__((vector_size(32)));
using Half = float __attribute__((vector_size(16)));
using HalfMask = int __attribute__((vector_size(16)));

HEDGEROW_INLINE Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

HEDGEROW_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
HEDGEROW_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

/// The nearest place between two bounds.
HEDGEROW_INLINE Lanes clamp(Lanes at, Lanes lower, Lanes upper) {
  const Lanes not_below = at > lower ? at : lower;
  return not_below < upper ? not_below : upper;
}

/// Without their signs.
HEDGEROW_INLINE Lanes magnitude(Lanes lanes) { return (Lanes)((Mask)lanes & 0x7FFFFFFF); }

/// Zero in the first n lanes.
HEDGEROW_INLINE Lanes without_first(Lanes lanes, std::size_t n) {
  return (Lanes)((Mask)lanes & (Mask{0, 1, 2, 3, 4, 5, 6, 7} >= static_cast<int>(n)));
}

HEDGEROW_INLINE double total(Lanes lanes) {
  const Half low = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3);
  const Half high = __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7);
  const Half four = low + high;
  return static_cast<double>(four[0] + four[2]) + static_cast<double>(four[1] + four[3]);
}

HEDGEROW_INLINE Mask is_outside(Lanes at, Lanes lower, Lanes upper) { return (at < lower) | (at > upper); }

/// Is any lane true?
HEDGEROW_INLINE bool any_of(Mask mask) {
  const HalfMask four =
      __builtin_shufflevector(mask, mask, 0, 1, 2, 3) | __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
#ifdef __SSE2__
  return __builtin_ia32_movmskps((Half)four) != 0;
#else
  return (four[0] | four[1] | four[2] | four[3]) != 0;
#endif
}

}  // namespace hedgerow::mondrian
