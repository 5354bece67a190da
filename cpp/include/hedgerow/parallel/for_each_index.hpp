// SPDX-License-Identifier: BSD-3-Clause
// The one way in which hedgerow uses threads: call f(index, worker) for every index below n. Which worker gets
// which index is left open, so f must not let its results depend on it. The first exception that a worker
// meets is rethrown here after all workers have stopped. A thread that cannot be started is done without.
#pragma once

#include <cstddef>
#include <type_traits>

namespace hedgerow::parallel {

/// A function by reference. Threads are started in one place for all of them, which keeps every loop's code single.
struct Task {
  void* function;
  void (*call)(void* function, std::size_t index, std::size_t worker);
};

/// If set, it is called before each thread is started: tests throw here what the system would.
inline void (*before_thread_starts)() = nullptr;

void run_task(std::size_t n, std::size_t n_threads, Task task);

template <class Function>
void for_each_index(std::size_t n, std::size_t n_threads, Function&& f) {
  const auto call = [](void* function, std::size_t index, std::size_t worker) {
    (*static_cast<std::remove_reference_t<Function>*>(function))(index, worker);
  };
  run_task(n, n_threads, {const_cast<void*>(static_cast<const void*>(&f)), call});
}

}  // namespace hedgerow::parallel
