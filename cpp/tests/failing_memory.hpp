// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out. Programs that include this have `operator new` of their own.
#pragma once

#include <atomic>
#include <cstddef>

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

}  // namespace hedgerow::tests
