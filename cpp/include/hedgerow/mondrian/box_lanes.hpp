// SPDX-License-Identifier: BSD-3-Clause
// How the box kernels compute: eight columns at a time, in the vectors that GCC and Clang know, one AVX2 register or
// two of SSE. The arithmetic is the same. For the kernels' own files only.
#pragma once

#include <cstddef>

namespace hedgerow::mondrian {

constexpr std::size_t n_lanes = 8;
using Lanes = float __attribute__((vector_size(32)));
using Mask = int __attribute__((vector_size(32)));
using Half = float __attribute__((vector_size(16)));
using HalfMask = int __attribute__((vector_size(16)));

// A macro, because a function that takes or returns such a vector would need one calling convention per machine.
#define HEDGEROW_LOAD(lanes, pointer) __builtin_memcpy(&(lanes), (pointer), sizeof(lanes))

inline float smaller(float a, float b) { return a < b ? a : b; }
inline float larger(float a, float b) { return a > b ? a : b; }

/// sum over d of term(d) for at least eight columns, where term reads eight at once. The last, partial group is read
/// together with columns before it, whose terms are then left out, so that all groups are whole.
template <class Term>
inline __attribute__((always_inline)) double sum_in_lanes(std::size_t width, Term&& term) {
  Lanes sum{};
  std::size_t d = 0;
  for (; d + n_lanes <= width; d += n_lanes) sum += term(d);
  if (d < width) {
    const auto n_done = static_cast<int>(d + n_lanes - width);
    sum += (Lanes)((Mask)term(width - n_lanes) & (Mask{0, 1, 2, 3, 4, 5, 6, 7} >= n_done));
  }
  const Half low = __builtin_shufflevector(sum, sum, 0, 1, 2, 3);
  const Half high = __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  const Half four = low + high;
  return static_cast<double>(four[0] + four[2]) + static_cast<double>(four[1] + four[3]);
}

/// How far x lies outside a box, in L1.
inline __attribute__((always_inline)) double distance_to(const float* lower, const float* upper, const float* x,
                                                         std::size_t width) {
  if (width < n_lanes) {
    float sum = 0.0F;
    for (std::size_t d = 0; d < width; ++d) sum += larger(larger(lower[d] - x[d], x[d] - upper[d]), 0.0F);
    return static_cast<double>(sum);
  }
  return sum_in_lanes(width, [=](std::size_t d) __attribute__((always_inline)) {
    Lanes from, to, at;
    HEDGEROW_LOAD(from, lower + d);
    HEDGEROW_LOAD(to, upper + d);
    HEDGEROW_LOAD(at, x + d);
    const Lanes not_below = at > from ? at : from;
    const Lanes nearest = not_below < to ? not_below : to;  // of the places in the box
    return (Lanes)((Mask)(at - nearest) & 0x7FFFFFFF);      // without its sign
  });
}

}  // namespace hedgerow::mondrian
