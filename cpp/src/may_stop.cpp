// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/parallel/may_stop.hpp"

#include <chrono>

namespace hedgerow::parallel {
namespace {

using Clock = std::chrono::steady_clock;

thread_local const std::atomic<bool>* has_failed = nullptr;
thread_local bool leaves_interrupts_to_another = false;
thread_local Clock::time_point last_look;

}  // namespace

void may_stop() {
  if (has_failed != nullptr && has_failed->load(std::memory_order_relaxed)) throw Abandoned();
  if (throw_if_interrupted == nullptr || leaves_interrupts_to_another) return;
  const Clock::time_point now = Clock::now();
  if (now - last_look < between_looks) return;
  last_look = now;
  throw_if_interrupted();
}

Workplace::Workplace(const std::atomic<bool>& of_loop, bool is_started_for_it) : outer_(has_failed) {
  has_failed = &of_loop;
  leaves_interrupts_to_another |= is_started_for_it;
}

Workplace::~Workplace() { has_failed = outer_; }

}  // namespace hedgerow::parallel
