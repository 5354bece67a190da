// SPDX-License-Identifier: BSD-3-Clause
// The one way in which hedgerow uses threads: call f(index, worker) for every index below n. Which worker gets
// which index is left open, so f must not let its results depend on it. The first exception that a worker
// meets is rethrown here after all workers have stopped.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hedgerow::parallel {

template <class Function>
void for_each_index(std::size_t n, std::size_t n_threads, Function&& f) {
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n));
  if (n_threads == 1) {
    for (std::size_t index = 0; index < n; ++index) f(index, std::size_t{0});
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t index = next++; index < n; index = next++) f(index, worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = n;
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(n_threads - 1);
    for (std::size_t worker = 1; worker < n_threads; ++worker) threads.emplace_back(work, worker);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hedgerow::parallel
