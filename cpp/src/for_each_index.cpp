// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/parallel/for_each_index.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::parallel {
namespace {

/// Threads that are joined at the end of their scope, also when an exception ends it. (std::jthread does the same, but
/// libc++ of Apple has none.)
class JoinedThreads {
 public:
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// At most n: where the system has no more threads or memory to give, those that were started do all the work.
  template <class Work>
  void start(std::size_t n, const Work& work) noexcept {
    try {
      threads_.reserve(n);
      for (std::size_t worker = 1; worker <= n; ++worker) {
        if (before_thread_starts != nullptr) before_thread_starts();
        threads_.emplace_back(work, worker);
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): std::system_error, std::bad_alloc
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

void run_task(std::size_t n, std::size_t n_threads, Task task) {
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n));
  if (n_threads == 1) {
    for (std::size_t index = 0; index < n; ++index) task.call(task.function, index, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_failed = false;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t worker) {
    const Workplace workplace(has_failed, worker != 0);
    try {
      for (std::size_t index = next++; index < n; index = next++) task.call(task.function, index, worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      has_failed = true;
      next = n;
    }
  };
  {
    JoinedThreads threads;
    threads.start(n_threads - 1, work);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hedgerow::parallel
