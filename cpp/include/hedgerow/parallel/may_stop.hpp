// SPDX-License-Identifier: BSD-3-Clause
// Long work that can be left in the middle says where: `may_stop()` throws there if nobody wants the result any more,
// because the user pressed Ctrl-C or another thread of the same loop has failed. Only work that leaves nothing half
// done may call it: what is made anew, what changes nothing, or what is taken back when it fails.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace hedgerow::parallel {

/// Thrown in the threads of a loop of which another thread has failed; callers of the loop see that failure instead.
struct Abandoned : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "another thread has failed"; }
};

/// If set, `may_stop` calls it now and then on the thread that called into the core. It throws what is to end the work.
inline void (*throw_if_interrupted)() = nullptr;
inline std::chrono::milliseconds between_looks{50};

/// Takes some 30 ns: to be called every few microseconds at most, and every tenth of a second at least.
void may_stop();

/// While it lives, `may_stop` looks at `has_failed` on this thread, which is a worker of a loop. A thread that was
/// started for the loop leaves interrupts to the one that started it.
class Workplace {
 public:
  Workplace(const std::atomic<bool>& has_failed, bool is_started_for_it);
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace();

 private:
  const std::atomic<bool>* outer_;
};

}  // namespace hedgerow::parallel
