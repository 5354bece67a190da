// SPDX-License-Identifier: BSD-3-Clause
// A small generator for loops that draw a number every few nanoseconds: Steele, Lea and Flood (2014). It lives within a
// call, and begins with a number of a keyed stream.
#pragma once

#include <cstdint>

#include "hedgerow/random/stream.hpp"

namespace hedgerow::random {

class SplitMix {
 public:
  explicit SplitMix(Stream& stream) : state_(static_cast<std::uint64_t>(stream.uniform() * 0x1p52)) {}

  std::uint64_t bits() {
    std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  /// Uniform on the open interval (0, 1), 23 bits.
  float uniform() { return (static_cast<float>(bits() >> 41) + 0.5f) * 0x1p-23f; }

  /// A whole number below n, each as likely.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace hedgerow::random
