// SPDX-License-Identifier: BSD-3-Clause
// The inner loops over the sides of a box. They are compiled once for every x86-64-v2 machine and once for AVX2,
// and the machine picks at load time; both add in the same eight lanes, so both return the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow::mondrian {

/// eta(x) = sum over d of max(lower_d - x_d, 0) + max(x_d - upper_d, 0): how far x lies outside, in L1.
double outside_distance(const float* lower, const float* upper, const float* x, std::size_t width);

/// The same for the smallest box around some rows, at least one, of a row-major table.
double outside_rows(const float* table, const std::uint32_t* rows, std::size_t n, const float* x, std::size_t width);

/// Stretch the box just enough to hold x.
void stretch_box(float* lower, float* upper, const float* x, std::size_t width);

/// The smallest box around such rows.
void bound_rows(const float* table, const std::uint32_t* rows, std::size_t n, std::size_t width, float* lower,
                float* upper);

/// The smallest box around two boxes goes to (lower, upper). Returns whether that changed.
bool join_boxes(float* lower, float* upper, const float* first_lower, const float* first_upper,
                const float* second_lower, const float* second_upper, std::size_t width);

/// sum over d of upper_d - lower_d: the rate at which a Mondrian process cuts the box.
double total_side(const float* lower, const float* upper, std::size_t width);

}  // namespace hedgerow::mondrian
