// SPDX-License-Identifier: BSD-3-Clause
// Search among rising numbers without jumps: nobody can guess on which side of the middle a number lies, and a wrong
// guess costs more than the step.
#pragma once

#include <cstddef>

#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::numeric {

/// Of each of several searches: how many of n rising numbers is_before(search, number) holds of, which are the first.
/// The searches go on together, a step each in turn.
template <std::size_t n_searches, class IsBefore>
HEDGEROW_INLINE void count_before(const double* rising, std::size_t n, std::size_t* counts, IsBefore&& is_before) {
  for (std::size_t k = 0; k < n_searches; ++k) counts[k] = 0;
  if (n == 0) return;
  for (std::size_t half = n / 2; half > 0; n -= half, half = n / 2) {
    for (std::size_t k = 0; k < n_searches; ++k) {  // of a choice instead of the product GCC makes a jump
      counts[k] += half & (std::size_t{0} - static_cast<std::size_t>(is_before(k, rising[counts[k] + half - 1])));
    }
  }
  for (std::size_t k = 0; k < n_searches; ++k) counts[k] += static_cast<std::size_t>(is_before(k, rising[counts[k]]));
}

/// The same for one.
template <class IsBefore>
HEDGEROW_INLINE std::size_t count_before(const double* rising, std::size_t n, IsBefore&& is_before) {
  std::size_t count = 0;
  count_before<1>(rising, n, &count,
                  [&](std::size_t, double number) HEDGEROW_INLINE_LAMBDA { return is_before(number); });
  return count;
}

}  // namespace hedgerow::numeric
