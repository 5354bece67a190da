// SPDX-License-Identifier: BSD-3-Clause
// How the box kernels add up: eight columns at a time, in lanes whose sums are added at the end, so that every machine
// and every compiler adds in the same order. For the kernels' own files only.
#pragma once

#include <cstddef>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(HEDGEROW_PORTABLE)
#include "hedgerow/mondrian/structure/vector_lanes.hpp"
#else
#include "hedgerow/mondrian/structure/plain_lanes.hpp"
#endif

namespace hedgerow::mondrian {

HEDGEROW_INLINE float smaller(float a, float b) { return a < b ? a : b; }
HEDGEROW_INLINE float larger(float a, float b) { return a > b ? a : b; }

/// sum over d of term(d) for at least eight columns, where term reads eight at once. The last, partial group is read
/// together with columns before it, whose terms are then left out, so that all groups are whole.
template <class Term>
HEDGEROW_INLINE double sum_in_lanes(std::size_t width, Term&& term) {
  Lanes sum{};
  std::size_t d = 0;
  for (; d + n_lanes <= width; d += n_lanes) sum += term(d);
  if (d < width) sum += without_first(term(width - n_lanes), d + n_lanes - width);
  return total(sum);
}

/// How far x lies outside a box, in L1.
HEDGEROW_INLINE double distance_to(const float* lower, const float* upper, const float* x, std::size_t width) {
  if (width < n_lanes) {
    float sum = 0.0F;
    for (std::size_t d = 0; d < width; ++d) sum += larger(larger(lower[d] - x[d], x[d] - upper[d]), 0.0F);
    return static_cast<double>(sum);
  }
  return sum_in_lanes(width, [=](std::size_t d) HEDGEROW_INLINE_LAMBDA {
    const Lanes at = load(x + d);
    return magnitude(at - clamp(at, load(lower + d), load(upper + d)));
  });
}

}  // namespace hedgerow::mondrian
