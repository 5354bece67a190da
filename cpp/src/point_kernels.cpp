// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bart/point_kernels.hpp"

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/normal_tail.hpp"

namespace hedgerow::bart {
namespace {

HEDGEROW_INLINE std::uint8_t is_in(const ByteRange& range, std::size_t i) {
  return static_cast<std::uint8_t>(range.bytes[i] - range.lowest) <= range.width ? 0xFF : 0;
}

}  // namespace

HEDGEROW_MULTIVERSION
void find_both(ByteRange one, ByteRange other, std::size_t n, std::uint8_t* __restrict mask) {
  for (std::size_t i = 0; i < n; ++i) mask[i] = is_in(one, i) & is_in(other, i);
}

HEDGEROW_MULTIVERSION
void mark_both(ByteRange one, ByteRange other, std::uint8_t bits, std::size_t n, std::uint8_t* __restrict marked) {
  for (std::size_t i = 0; i < n; ++i) {
    marked[i] = static_cast<std::uint8_t>(marked[i] | (is_in(one, i) & is_in(other, i) & bits));
  }
}

// Not for AVX2: compilers would use its loads from scattered places, which are slow on many processors.
void add_looked_up(const Lookup* lookups, std::size_t n_lookups, std::size_t n, double* totals) {
  for (; n_lookups >= 4; n_lookups -= 4, lookups += 4) {
    const Lookup &a = lookups[0], &b = lookups[1], &c = lookups[2], &d = lookups[3];
    for (std::size_t i = 0; i < n; ++i) {
      totals[i] += (a.table[a.bytes[i]] + b.table[b.bytes[i]]) + (c.table[c.bytes[i]] + d.table[d.bytes[i]]);
    }
  }
  for (; n_lookups > 0; --n_lookups, ++lookups) {
    for (std::size_t i = 0; i < n; ++i) totals[i] += lookups->table[lookups->bytes[i]];
  }
}

HEDGEROW_MULTIVERSION
void update_moments(const double* __restrict numbers, std::size_t count, std::size_t n, double* __restrict means,
                    double* __restrict squares) {
  const double share = 1.0 / static_cast<double>(count);
  for (std::size_t i = 0; i < n; ++i) {
    const double gap = numbers[i] - means[i];
    means[i] += gap * share;
    squares[i] += gap * (numbers[i] - means[i]);
  }
}

HEDGEROW_MULTIVERSION
void add_probabilities(const double* __restrict numbers, double offset, const double* weights, std::size_t n,
                       double* __restrict first, double* __restrict second) {
  const double first_weight = weights[0], second_weight = weights[1];
  for (std::size_t i = 0; i < n; ++i) {
    const double mean = numbers[i] + offset, size = mean < 0.0 ? -mean : mean;
    const double tail = numeric::normal_tail(size, numeric::exp_nonpositive(-0.5 * size * size));
    const double small = tail > 1e-300 ? tail : 1e-300, large = 1.0 - tail;
    const double above = second_weight * (mean < 0.0 ? small : large);
    const double below = first_weight * (mean < 0.0 ? large : small);
    const double share = 1.0 / (above + below);
    first[i] += below * share;
    second[i] += above * share;
  }
}

}  // namespace hedgerow::bart
