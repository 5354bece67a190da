// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/parallel/for_each_index.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check.hpp"

namespace hedgerow::parallel {
namespace {

const std::vector<std::size_t> thread_counts{0, 1, 2, 3, 8, 50};

TEST(every_index_is_visited_once) {
  for (const std::size_t n_threads : thread_counts) {
    for (const std::size_t n : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(n);
      for_each_index(n, n_threads, [&](std::size_t index, std::size_t) { ++visits.at(index); });
      for (const auto& count : visits) CHECK(count == 1);
    }
  }
}

TEST(workers_are_numbered_below_the_number_of_threads) {
  for (const std::size_t n_threads : thread_counts) {
    std::atomic<bool> in_range = true;
    for_each_index(100, n_threads, [&](std::size_t, std::size_t worker) {
      if (worker >= std::max<std::size_t>(1, n_threads)) in_range = false;
    });
    CHECK(in_range);
  }
}

TEST(a_worker_is_never_in_two_places) {
  std::vector<int> busy(4, 0);  // not atomic: a thread sanitizer would see two threads with one number
  std::atomic<bool> alone = true;
  for_each_index(1000, busy.size(), [&](std::size_t, std::size_t worker) {
    if (++busy[worker] != 1) alone = false;
    --busy[worker];
  });
  CHECK(alone);
}

TEST(the_exception_of_a_worker_is_rethrown) {
  for (const std::size_t n_threads : thread_counts) {
    std::string message;
    try {
      for_each_index(100, n_threads, [](std::size_t index, std::size_t) {
        if (index == 42) throw std::runtime_error("at 42");
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "at 42");
  }
}

TEST(one_of_many_exceptions_is_rethrown) {
  for (const std::size_t n_threads : thread_counts) {
    CHECK_THROWS(std::out_of_range, for_each_index(100, n_threads, [](std::size_t, std::size_t) {
                   throw std::out_of_range("everywhere");
                 }));
  }
}

TEST(an_exception_stops_the_work) {
  for (const std::size_t n_threads : thread_counts) {
    std::atomic<std::size_t> n_visits = 0;
    const std::size_t n = 1000000;
    CHECK_THROWS(std::runtime_error, for_each_index(n, n_threads, [&](std::size_t, std::size_t) {
                   ++n_visits;
                   throw std::runtime_error("at once");
                 }));
    CHECK(n_visits <= std::max<std::size_t>(1, n_threads));
  }
}

std::size_t n_starts_left = 0;
void fail_after_some_starts() {
  if (n_starts_left == 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  --n_starts_left;
}

TEST(threads_that_cannot_be_started_are_done_without) {
  for (const std::size_t n_starts : {0, 1, 3}) {
    before_thread_starts = fail_after_some_starts;
    n_starts_left = n_starts;
    std::vector<std::atomic<int>> visits(500);
    std::atomic<bool> in_range = true;
    for_each_index(visits.size(), 8, [&](std::size_t index, std::size_t worker) {
      ++visits[index];
      if (worker > n_starts) in_range = false;
    });
    before_thread_starts = nullptr;
    for (const auto& count : visits) CHECK(count == 1);
    CHECK(in_range);
  }
}

TEST(work_of_all_threads_is_visible_afterwards) {
  std::vector<std::size_t> squares(500, 0);
  for_each_index(squares.size(), 4, [&](std::size_t index, std::size_t) { squares[index] = index * index; });
  for (std::size_t i = 0; i < squares.size(); ++i) CHECK(squares[i] == i * i);
}

}  // namespace
}  // namespace hedgerow::parallel
