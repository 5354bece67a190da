// SPDX-License-Identifier: BSD-3-Clause
// Loops over the points of a query, many at once: their bytes, what is looked up by these, and what is summed up over
// draws. Each point has its own numbers, added up in a fixed order, so that the bits are the same with vectors and
// without.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hedgerow::bart {

/// Points whose byte is within `width` above `lowest`: bins of a column between two cuts, or bytes of a mask.
struct ByteRange {
  const std::uint8_t* bytes;
  std::uint8_t lowest, width;
};

/// All bits of a byte where a point is in both ranges, none where it is not.
void find_both(ByteRange one, ByteRange other, std::size_t n, std::uint8_t* mask);

/// Sets some bits of a byte where a point is in both ranges.
void mark_both(ByteRange one, ByteRange other, std::uint8_t bits, std::size_t n, std::uint8_t* marked);

/// A number for each value of a byte, and the bytes of points.
struct Lookup {
  const std::uint8_t* bytes = nullptr;
  std::array<double, 256> table{};
};

/// Adds to each point's total what the lookups have for it.
void add_looked_up(const Lookup* lookups, std::size_t n_lookups, std::size_t n, double* totals);

/// Takes in the count-th of some numbers of each point: their mean, and the sum of squared distances from it (Welford
/// 1962).
void update_moments(const double* numbers, std::size_t count, std::size_t n, double* means, double* squares);

/// Adds what one draw says of the probabilities of two classes: the utilities of the second are normal, of variance
/// one, about these numbers and an offset, and it is chosen if they are positive. Classes have weights, by which the
/// odds are multiplied.
void add_probabilities(const double* numbers, double offset, const double* weights, std::size_t n, double* first,
                       double* second);

}  // namespace hedgerow::bart
