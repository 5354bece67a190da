// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/chunk_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "check.hpp"
#include "greedy/kernel_variants.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::greedy {
namespace {

using Bins = std::array<std::uint8_t, chunk>;

const std::vector<tests::ChunkKernels>& variants() {
  static const std::vector<tests::ChunkKernels> all{{find_range, add_up_to, count_up_to},
                                                    tests::chunk_kernels_without_vectors()};
  return all;
}

/// Rows of bins. Only the last chunk is looked at: reading past the last row is then reading past the end.
struct Rows {
  std::size_t n, stride;
  std::vector<std::uint8_t> all;

  Rows(std::size_t n_, std::size_t stride_, random::Stream& stream) : n(n_), stride(stride_), all(n * stride) {
    const std::size_t n_bins = stream.uniform() < 0.5 ? 256 : 3;
    const std::size_t lowest = random::draw_below(257 - n_bins, stream);
    for (auto& bin : all) bin = static_cast<std::uint8_t>(lowest + random::draw_below(n_bins, stream));
  }

  [[nodiscard]] const std::uint8_t* bins() const { return all.data() + stride - chunk; }
  [[nodiscard]] std::uint8_t bin(std::size_t i, std::size_t column) const { return bins()[i * stride + column]; }
  /// Some of the bins, and the ends.
  [[nodiscard]] Bins cuts(random::Stream& stream) const {
    Bins found;
    for (std::size_t c = 0; c < chunk; ++c) found[c] = bin(random::draw_below(n, stream), c);
    found[random::draw_below(chunk, stream)] = 0;
    found[random::draw_below(chunk, stream)] = 255;
    return found;
  }
};

constexpr std::array<std::size_t, 4> strides{16, 32, 48, 160};

TEST(ranges_of_chunks_are_those_of_a_plain_loop) {
  random::Stream stream(1, random::Purpose::grow, 0, 0);
  for (const std::size_t stride : strides) {
    for (std::size_t n = 1; n <= 300; ++n) {
      const Rows rows(n, stride, stream);
      Bins lowest, highest;
      for (std::size_t c = 0; c < chunk; ++c) {
        lowest[c] = 255, highest[c] = 0;
        for (std::size_t i = 0; i < n; ++i) {
          lowest[c] = std::min(lowest[c], rows.bin(i, c)), highest[c] = std::max(highest[c], rows.bin(i, c));
        }
      }
      for (const auto& kernels : variants()) {
        Bins low, high;
        kernels.find_range(rows.bins(), stride, n, low.data(), high.data());
        CHECK(low == lowest && high == highest);
      }
    }
  }
}

TEST(sums_of_chunks_are_those_of_a_plain_loop_in_every_bit) {
  random::Stream stream(2, random::Purpose::grow, 0, 0);
  for (const std::size_t stride : strides) {
    for (std::size_t n = 1; n <= batch; ++n) {
      const Rows rows(n, stride, stream);
      const Bins cuts = rows.cuts(stream);
      std::vector<float> numbers(n);
      for (float& number : numbers) {
        number = static_cast<float>(random::draw_normal(stream) * std::exp(6.0 * random::draw_normal(stream)));
      }
      numbers[random::draw_below(n, stream)] = -0.0F;
      std::array<float, chunk> expected{};
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < chunk; ++c) {
          if (rows.bin(i, c) <= cuts[c]) expected[c] += numbers[i];
        }
      }
      for (const auto& kernels : variants()) {
        std::array<float, chunk> sums;
        sums.fill(7.0F);  // what was there is forgotten
        kernels.add_up_to(rows.bins(), stride, n, cuts.data(), numbers.data(), sums.data());
        for (std::size_t c = 0; c < chunk; ++c) {
          CHECK(std::bit_cast<std::uint32_t>(sums[c]) == std::bit_cast<std::uint32_t>(expected[c]));
        }
      }
    }
  }
}

TEST(counts_of_chunks_grow_as_in_a_plain_loop) {
  random::Stream stream(3, random::Purpose::grow, 0, 0);
  for (const std::size_t stride : strides) {
    for (std::size_t n = 1; n <= batch; ++n) {
      const Rows rows(n, stride, stream);
      const Bins cuts = rows.cuts(stream);
      std::array<std::uint32_t, chunk> before;
      for (auto& count : before) count = random::draw_below(1000000, stream);
      auto expected = before;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < chunk; ++c) expected[c] += rows.bin(i, c) <= cuts[c] ? 1 : 0;
      }
      for (const auto& kernels : variants()) {
        auto counts = before;
        kernels.count_up_to(rows.bins(), stride, n, cuts.data(), counts.data());
        CHECK(counts == expected);
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::greedy
