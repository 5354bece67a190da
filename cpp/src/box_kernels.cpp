// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/box_kernels.hpp"

#include "hedgerow/numeric/multiversion.hpp"

namespace hedgerow::mondrian {
namespace {

// Vectors of eight, as GCC and Clang know them: one AVX2 register, or two of SSE. The arithmetic is the same.
constexpr std::size_t n_lanes = 8;
using Lanes = float __attribute__((vector_size(32)));
using Mask = int __attribute__((vector_size(32)));
using Half = float __attribute__((vector_size(16)));

inline float smaller(float a, float b) { return a < b ? a : b; }
inline float larger(float a, float b) { return a > b ? a : b; }

// Macros, because a function that takes or returns such a vector would need one calling convention per machine.
#define HEDGEROW_LOAD(lanes, pointer) __builtin_memcpy(&(lanes), (pointer), sizeof(lanes))

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

}  // namespace

namespace {

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
    const Lanes below = from - at, above = at - to, zero{};
    const Lanes farther = below > above ? below : above;  // at most one of the two is positive
    return farther > zero ? farther : zero;
  });
}

}  // namespace

HEDGEROW_MULTIVERSION
double outside_distance(const float* lower, const float* upper, const float* x, std::size_t width) {
  return distance_to(lower, upper, x, width);
}

HEDGEROW_MULTIVERSION
void outside_distances(const float* lower, const float* upper, const float* points, const std::uint32_t* chosen,
                       std::size_t n, std::size_t width, double* distances) {
  for (std::size_t i = 0; i < n; ++i) distances[i] = distance_to(lower, upper, points + chosen[i] * width, width);
}

HEDGEROW_MULTIVERSION
void stretch_box(float* __restrict lower, float* __restrict upper, const float* __restrict x, std::size_t width) {
  for (std::size_t d = 0; d < width; ++d) {
    lower[d] = smaller(lower[d], x[d]);
    upper[d] = larger(upper[d], x[d]);
  }
}

HEDGEROW_MULTIVERSION
bool join_boxes(float* __restrict lower, float* __restrict upper, const float* first_lower, const float* first_upper,
                const float* second_lower, const float* second_upper, std::size_t width) {
  unsigned changed = 0;
  for (std::size_t d = 0; d < width; ++d) {
    const float least = smaller(first_lower[d], second_lower[d]);
    const float most = larger(first_upper[d], second_upper[d]);
    changed |= static_cast<unsigned>(lower[d] != least) | static_cast<unsigned>(upper[d] != most);
    lower[d] = least;
    upper[d] = most;
  }
  return changed != 0;
}

HEDGEROW_MULTIVERSION
double total_side(const float* lower, const float* upper, std::size_t width) {
  if (width < n_lanes) {
    float sum = 0.0F;
    for (std::size_t d = 0; d < width; ++d) sum += upper[d] - lower[d];
    return static_cast<double>(sum);
  }
  return sum_in_lanes(width, [=](std::size_t d) __attribute__((always_inline)) {
    Lanes from, to;
    HEDGEROW_LOAD(from, lower + d);
    HEDGEROW_LOAD(to, upper + d);
    return to - from;
  });
}

}  // namespace hedgerow::mondrian
