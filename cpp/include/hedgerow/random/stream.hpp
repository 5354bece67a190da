// SPDX-License-Identifier: BSD-3-Clause
// A stream of random numbers named by (seed, purpose, tree, event). Two different names never share a number,
// and the same name always gives the same numbers, whichever thread asks and whatever was drawn elsewhere.
// No stream outlives a call, so a forest's random state is its seed and its counts of events.
#pragma once

#include <cmath>
#include <cstdint>

#include "hedgerow/random/philox.hpp"

namespace hedgerow::random {

/// What a stream is for. The numbers are part of the saved state of a model: append, never renumber.
enum class Purpose : std::uint32_t {
  grow = 1,
  extend = 2,
  bag = 3,
  split = 4,
  compact = 5,
  particle_step = 16,
  resample = 17,
  metropolis = 18,
  tree_of_sum = 19,
  noise = 20,
  latent = 21,
  tree_of_noise = 22,
  greedy_cut = 23,
  cut = 24,
  keyed_cell = 25
};

/// Uniform on the open interval (0, 1) from 64 bits, of which 52 are used; with 53 the last would round to 1.
inline double uniform_of(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

class Stream {
 public:
  /// `event` counts within a purpose: the generation of a batch tree, the arrival number of a row, or the name of a
  /// cell (< 2^56).
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t tree, std::uint64_t event)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, static_cast<std::uint32_t>(event), tree,
                 (static_cast<std::uint32_t>(purpose) << 24) | static_cast<std::uint32_t>(event >> 32)} {}

  /// Uniform on the open interval (0, 1).
  double uniform() {
    if (left_ == 0) refill();
    --left_;
    return uniform_of(block_[2 * left_], block_[2 * left_ + 1]);
  }

  /// Exponential with rate one.
  double exponential() { return -std::log(uniform()); }

  /// Poisson, by inversion: quick for the small rates of online bagging.
  std::uint32_t poisson(double rate) {
    const double drawn = uniform();
    double probability = std::exp(-rate), below = probability;
    std::uint32_t count = 0;
    while (drawn > below && probability > 0.0) {
      probability *= rate / ++count;
      below += probability;
    }
    return count;
  }

  /// Uniform on [lower, upper) in single precision, for lower < upper.
  float location(float lower, float upper) {
    const double width = static_cast<double>(upper) - static_cast<double>(lower);
    const auto drawn = static_cast<float>(static_cast<double>(lower) + uniform() * width);
    if (drawn >= upper) return std::nextafter(upper, lower);
    return drawn < lower ? lower : drawn;
  }

 private:
  void refill() {
    block_ = philox(counter_, key_);
    ++counter_[0];
    left_ = 2;
  }

  Key key_;
  Block counter_;
  Block block_{};
  std::size_t left_ = 0;
};

}  // namespace hedgerow::random
