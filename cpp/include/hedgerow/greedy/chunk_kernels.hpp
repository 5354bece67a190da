// SPDX-License-Identifier: BSD-3-Clause
// Loops over rows of bins that look at a chunk of columns at once. Each column has its own sums, added up in the order
// of the rows, so that the bits are the same with vectors and without.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow::greedy {

inline constexpr std::size_t chunk = 16;   ///< columns that are looked at together
inline constexpr std::size_t batch = 128;  ///< rows whose sums are exact enough in single precision, and counts a byte

/// The lowest and the highest bin of each column among n rows, which lie `stride` apart.
void find_range(const std::uint8_t* bins, std::size_t stride, std::size_t n, std::uint8_t* lowest,
                std::uint8_t* highest);

/// Adds up numbers of the rows whose bins are at most the cut, for each column: `sums` are set. At most `batch` rows.
void add_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
               const float* numbers, float* sums);

/// How many rows these are: `counts` grow.
void count_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
                 std::uint32_t* counts);

}  // namespace hedgerow::greedy
