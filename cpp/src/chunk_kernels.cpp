// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/chunk_kernels.hpp"

#include <algorithm>

#if defined(__SSE4_1__) && !defined(HEDGEROW_PORTABLE)
#define HEDGEROW_SSE
#include <smmintrin.h>
#endif

namespace hedgerow::greedy {

#ifdef HEDGEROW_SSE

namespace {

__m128i load(const std::uint8_t* bins) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bins)); }
void store(std::uint8_t* bins, __m128i values) { _mm_storeu_si128(reinterpret_cast<__m128i*>(bins), values); }

/// All bits of a byte where the bin is at most the cut.
__m128i is_up_to(const std::uint8_t* bins, __m128i cuts) {
  return _mm_cmpeq_epi8(_mm_min_epu8(load(bins), cuts), load(bins));
}

/// The number where the mask has bits, of its lowest four bytes.
__m128 where(__m128i mask, __m128 number) { return _mm_and_ps(_mm_castsi128_ps(_mm_cvtepi8_epi32(mask)), number); }

}  // namespace

void find_range(const std::uint8_t* bins, std::size_t stride, std::size_t n, std::uint8_t* lowest,
                std::uint8_t* highest) {
  __m128i low = load(bins), high = low;
  for (std::size_t i = 1; i < n; ++i) {
    const __m128i own = load(bins + i * stride);
    low = _mm_min_epu8(low, own);
    high = _mm_max_epu8(high, own);
  }
  store(lowest, low);
  store(highest, high);
}

void add_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
               const float* numbers, float* sums) {
  __m128 first = _mm_setzero_ps(), second = first, third = first, fourth = first;
  const __m128i all_cuts = load(cuts);
  for (std::size_t i = 0; i < n; ++i) {
    const __m128i mask = is_up_to(bins + i * stride, all_cuts);
    const __m128 number = _mm_set1_ps(numbers[i]);
    first = _mm_add_ps(first, where(mask, number));
    second = _mm_add_ps(second, where(_mm_srli_si128(mask, 4), number));
    third = _mm_add_ps(third, where(_mm_srli_si128(mask, 8), number));
    fourth = _mm_add_ps(fourth, where(_mm_srli_si128(mask, 12), number));
  }
  _mm_storeu_ps(sums, first);
  _mm_storeu_ps(sums + 4, second);
  _mm_storeu_ps(sums + 8, third);
  _mm_storeu_ps(sums + 12, fourth);
}

void count_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
                 std::uint32_t* counts) {
  __m128i found = _mm_setzero_si128();
  const __m128i all_cuts = load(cuts);
  for (std::size_t i = 0; i < n; ++i) found = _mm_sub_epi8(found, is_up_to(bins + i * stride, all_cuts));
  std::uint8_t bytes[chunk];
  store(bytes, found);
  for (std::size_t c = 0; c < chunk; ++c) counts[c] += bytes[c];
}

#else

void find_range(const std::uint8_t* bins, std::size_t stride, std::size_t n, std::uint8_t* lowest,
                std::uint8_t* highest) {
  for (std::size_t c = 0; c < chunk; ++c) {
    lowest[c] = highest[c] = bins[c];
    for (std::size_t i = 1; i < n; ++i) {
      lowest[c] = std::min(lowest[c], bins[i * stride + c]);
      highest[c] = std::max(highest[c], bins[i * stride + c]);
    }
  }
}

void add_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
               const float* numbers, float* sums) {
  for (std::size_t c = 0; c < chunk; ++c) {
    sums[c] = 0.0F;
    for (std::size_t i = 0; i < n; ++i) sums[c] += bins[i * stride + c] <= cuts[c] ? numbers[i] : 0.0F;
  }
}

void count_up_to(const std::uint8_t* bins, std::size_t stride, std::size_t n, const std::uint8_t* cuts,
                 std::uint32_t* counts) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < chunk; ++c) counts[c] += bins[i * stride + c] <= cuts[c] ? 1U : 0U;
  }
}

#endif

}  // namespace hedgerow::greedy
