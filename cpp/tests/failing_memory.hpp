// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out. Programs that include this have `operator new` of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "check.hpp"

namespace hedgerow::tests {

/// While it lives, n allocations succeed and all later ones fail. One at a time.
class FailingMemory {
 public:
  explicit FailingMemory(std::size_t n) {
    n_left = static_cast<std::ptrdiff_t>(n);
    is_on = true;
  }
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  ~FailingMemory() { is_on = false; }

  static inline std::atomic<bool> is_on = false;
  static inline std::atomic<std::ptrdiff_t> n_left = 0;
};

/// Lets a verb fail at its first allocation, its second and so on until it succeeds, each time on the same object,
/// which must be as it was: `is_same()`. Returns how many allocations it took. A step of more than one looks at some
/// only.
template <class Verb, class IsSame>
std::size_t fail_until_it_succeeds(Verb&& verb, IsSame&& is_same, std::size_t step = 1) {
  for (std::size_t n = 0;; n += step) {
    bool has_failed = false;
    {
      const FailingMemory memory(n);
      try {
        verb();
      } catch (const std::bad_alloc&) {
        has_failed = true;
      }
    }
    if (!has_failed) return n;
    if (!is_same()) {
      CHECK(!"something has changed");
      return n;
    }
  }
}

}  // namespace hedgerow::tests
