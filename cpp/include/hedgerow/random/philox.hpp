// SPDX-License-Identifier: BSD-3-Clause
// Philox 4x32-10: a counter-based generator (Salmon, Moraes, Dror and Shaw, SC 2011). A block is a pure
// function of a 128-bit counter and a 64-bit key. It relies on nothing and remembers nothing.
#pragma once

#include <array>
#include <cstdint>

namespace hedgerow::random {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// Ten rounds of Philox on `counter` under `key`.
constexpr Block philox(Block counter, Key key) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key = {key[0] + weyl_0, key[1] + weyl_1};
  }
  return counter;
}

}  // namespace hedgerow::random
