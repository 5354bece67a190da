// SPDX-License-Identifier: BSD-3-Clause
// Known answers of Philox 4x32-10, published with Random123 (kat_vectors).
#include "hedgerow/random/philox.hpp"

#include "check.hpp"

namespace hedgerow::random {
namespace {

constexpr std::uint32_t ones = 0xFFFFFFFF;

TEST(philox_of_zeros_is_the_published_block) {
  CHECK((philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(philox_of_ones_is_the_published_block) {
  CHECK((philox({ones, ones, ones, ones}, {ones, ones}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(philox_of_the_digits_of_pi_is_the_published_block) {
  const Block counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  CHECK((philox(counter, {0xa4093822, 0x299f31d0}) == Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(philox_runs_at_compile_time) {
  constexpr Block block = philox({0, 0, 0, 0}, {0, 0});
  static_assert(block[0] == 0x6627e8d5);
  CHECK(block == philox({0, 0, 0, 0}, {0, 0}));
}

}  // namespace
}  // namespace hedgerow::random
