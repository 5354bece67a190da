// SPDX-License-Identifier: BSD-3-Clause
// Eight columns at a time in plain C++, with the arithmetic, and so the bits, of `vector_lanes.hpp`. For compilers that
// do not know its vectors. For the kernels' own files only.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

constexpr std::size_t n_lanes = 8;

struct Lanes {
  std::array<float, n_lanes> at;

  /// f(lane) for each.
  template <class Function>
  HEDGEROW_INLINE static Lanes make(Function&& f) {
    Lanes made;
    for (std::size_t k = 0; k < n_lanes; ++k) made.at[k] = f(k);
    return made;
  }
};

HEDGEROW_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return Lanes::make([&](std::size_t k) { return a.at[k] + b.at[k]; });
}
HEDGEROW_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return Lanes::make([&](std::size_t k) { return a.at[k] - b.at[k]; });
}
HEDGEROW_INLINE Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }

HEDGEROW_INLINE Lanes load(const float* from) {
  return Lanes::make([&](std::size_t k) { return from[k]; });
}

HEDGEROW_INLINE Lanes smaller(const Lanes& a, const Lanes& b) {
  return Lanes::make([&](std::size_t k) { return a.at[k] < b.at[k] ? a.at[k] : b.at[k]; });
}
HEDGEROW_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
  return Lanes::make([&](std::size_t k) { return a.at[k] > b.at[k] ? a.at[k] : b.at[k]; });
}

/// The nearest place between two bounds.
HEDGEROW_INLINE Lanes clamp(const Lanes& at, const Lanes& lower, const Lanes& upper) {
  return Lanes::make([&](std::size_t k) {
    const float not_below = at.at[k] > lower.at[k] ? at.at[k] : lower.at[k];
    return not_below < upper.at[k] ? not_below : upper.at[k];
  });
}

/// Without their signs.
HEDGEROW_INLINE Lanes magnitude(const Lanes& lanes) {
  return Lanes::make([&](std::size_t k) { return std::abs(lanes.at[k]); });
}

/// Zero in the first n lanes.
HEDGEROW_INLINE Lanes without_first(const Lanes& lanes, std::size_t n) {
  return Lanes::make([&](std::size_t k) { return k < n ? 0.0F : lanes.at[k]; });
}

HEDGEROW_INLINE double total(const Lanes& lanes) {
  const auto fold = [&](std::size_t k) { return lanes.at[k] + lanes.at[k + 4]; };
  return static_cast<double>(fold(0) + fold(2)) + static_cast<double>(fold(1) + fold(3));
}

using Mask = bool;  // of any lane

HEDGEROW_INLINE Mask is_outside(const Lanes& at, const Lanes& lower, const Lanes& upper) {
  bool outside = false;
  for (std::size_t k = 0; k < n_lanes; ++k) outside |= at.at[k] < lower.at[k] || at.at[k] > upper.at[k];
  return outside;
}

HEDGEROW_INLINE bool any_of(Mask mask) { return mask; }

}  // namespace hedgerow::mondrian
