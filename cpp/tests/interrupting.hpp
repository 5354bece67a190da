// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C at any place where long work looks for it.
#pragma once

#include <cstddef>

#include "check.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::tests {

struct Interrupted {};

/// While it lives, the first n looks see nothing and all later ones end the work.
class Interrupting {
 public:
  explicit Interrupting(std::size_t n) {
    n_left = n;
    parallel::between_looks = std::chrono::milliseconds(0);
    parallel::throw_if_interrupted = look;
  }
  Interrupting(const Interrupting&) = delete;
  Interrupting& operator=(const Interrupting&) = delete;
  ~Interrupting() { parallel::throw_if_interrupted = nullptr; }

 private:
  static void look() {
    if (n_left == 0) throw Interrupted();
    --n_left;
  }
  static inline std::size_t n_left = 0;
};

/// Lets a verb be interrupted at its first look, its second and so on until it ends by itself, each time on the same
/// object, which must be as it was: `is_same()`. Returns how often it looked.
template <class Verb, class IsSame>
std::size_t interrupt_until_it_ends(Verb&& verb, IsSame&& is_same) {
  for (std::size_t n = 0;; ++n) {
    bool has_ended = true;
    {
      const Interrupting ctrl_c(n);
      try {
        verb();
      } catch (const Interrupted&) {
        has_ended = false;
      }
    }
    if (has_ended) return n;
    if (!is_same()) {
      CHECK(!"something has changed");
      return n;
    }
  }
}

}  // namespace hedgerow::tests
