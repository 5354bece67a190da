// SPDX-License-Identifier: BSD-3-Clause
// Normal, truncated normal and gamma numbers from a stream. Ours, because those of the standard library differ from
// compiler to compiler.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "hedgerow/random/stream.hpp"

namespace hedgerow::random {

/// A whole number below n, each as likely.
inline std::uint32_t draw_below(std::size_t n, Stream& stream) {
  return static_cast<std::uint32_t>(stream.uniform() * static_cast<double>(n));
}

/// Standard normal, by Box and Muller (1958).
inline double draw_normal(Stream& stream) {
  const double radius = std::sqrt(2.0 * stream.exponential());
  return radius * std::cos(2.0 * std::numbers::pi * stream.uniform());
}

/// Standard normal, given that it is above `lowest`. Robert (1995): below zero by trying again, above zero from an
/// exponential with the best rate, some of which are turned down.
inline double draw_normal_above(double lowest, Stream& stream) {
  if (lowest <= 0.0) {
    for (;;) {
      const double drawn = draw_normal(stream);
      if (drawn > lowest) return drawn;
    }
  }
  const double rate = 0.5 * (lowest + std::sqrt(lowest * lowest + 4.0));
  for (;;) {
    const double drawn = lowest + stream.exponential() / rate, gap = drawn - rate;
    if (stream.uniform() < std::exp(-0.5 * gap * gap)) return drawn;
  }
}

/// Gamma with scale one, by Marsaglia and Tsang (2000).
inline double draw_gamma(double shape, Stream& stream) {
  if (shape < 1.0) return draw_gamma(shape + 1.0, stream) * std::pow(stream.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double normal = draw_normal(stream), root = 1.0 + c * normal;
    if (root <= 0.0) continue;
    const double cube = root * root * root;
    if (std::log(stream.uniform()) < 0.5 * normal * normal + d - d * cube + d * std::log(cube)) return d * cube;
  }
}

}  // namespace hedgerow::random
