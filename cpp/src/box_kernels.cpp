// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/box_kernels.hpp"

#include "hedgerow/mondrian/structure/box_lanes.hpp"
#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

HEDGEROW_MULTIVERSION
double outside_distance(const float* lower, const float* upper, const float* x, std::size_t width) {
  return distance_to(lower, upper, x, width);
}

HEDGEROW_MULTIVERSION
double outside_rows(const float* table, const std::uint32_t* rows, std::size_t n, const float* x, std::size_t width) {
  const float* first = table + rows[0] * width;
  if (width < n_lanes) {
    float sum = 0.0F;
    for (std::size_t d = 0; d < width; ++d) {
      float lower = first[d], upper = first[d];
      for (std::size_t i = 1; i < n; ++i) {
        lower = smaller(lower, table[rows[i] * width + d]);
        upper = larger(upper, table[rows[i] * width + d]);
      }
      sum += larger(larger(lower - x[d], x[d] - upper), 0.0F);
    }
    return static_cast<double>(sum);
  }
  return sum_in_lanes(width, [=](std::size_t d) HEDGEROW_INLINE_LAMBDA {
    Lanes lower = load(first + d), upper = lower;
    for (std::size_t i = 1; i < n; ++i) {
      const Lanes value = load(table + rows[i] * width + d);
      lower = smaller(lower, value);
      upper = larger(upper, value);
    }
    const Lanes at = load(x + d);
    return magnitude(at - clamp(at, lower, upper));
  });
}

HEDGEROW_MULTIVERSION
void stretch_box(float* __restrict lower, float* __restrict upper, const float* __restrict x, std::size_t width) {
  for (std::size_t d = 0; d < width; ++d) {
    lower[d] = smaller(lower[d], x[d]);
    upper[d] = larger(upper[d], x[d]);
  }
}

HEDGEROW_MULTIVERSION
void bound_rows(const float* table, const std::uint32_t* rows, std::size_t n, std::size_t width,
                float* __restrict lower, float* __restrict upper) {
  const float* first = table + rows[0] * width;
  for (std::size_t d = 0; d < width; ++d) lower[d] = upper[d] = first[d];
  for (std::size_t i = 1; i < n; ++i) {
    const float* x = table + rows[i] * width;
    for (std::size_t d = 0; d < width; ++d) {
      lower[d] = smaller(lower[d], x[d]);
      upper[d] = larger(upper[d], x[d]);
    }
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
  return sum_in_lanes(width, [=](std::size_t d) HEDGEROW_INLINE_LAMBDA { return load(upper + d) - load(lower + d); });
}

}  // namespace hedgerow::mondrian
