// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/parallel/may_stop.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "interrupting.hpp"

namespace hedgerow::parallel {
namespace {

using tests::Interrupted, tests::Interrupting;

TEST(nobody_asks_unless_told_to) {
  may_stop();
  for_each_index(10, 3, [](std::size_t, std::size_t) { may_stop(); });
}

TEST(an_interrupt_ends_the_work_of_all_threads) {
  for (const std::size_t n_threads : {1, 2, 5}) {
    const Interrupting ctrl_c(3);
    std::atomic<std::size_t> n_ended = 0;
    CHECK_THROWS(Interrupted, for_each_index(n_threads, n_threads, [&](std::size_t, std::size_t) {
                   while (true) may_stop();  // ended by an exception only
                   ++n_ended;
                 }));
    CHECK(n_ended == 0);
  }
}

TEST(the_threads_of_a_failed_loop_end_and_its_failure_is_seen) {
  CHECK_THROWS(std::runtime_error, for_each_index(4, 4, [](std::size_t index, std::size_t) {
                 if (index == 2) throw std::runtime_error("failed");
                 while (true) may_stop();
               }));
  may_stop();  // the loop is forgotten
}

TEST(only_the_calling_thread_is_asked) {
  static std::thread::id caller;
  static std::atomic<bool> is_asked_elsewhere;
  caller = std::this_thread::get_id();
  is_asked_elsewhere = false;
  between_looks = std::chrono::milliseconds(0);
  throw_if_interrupted = [] {
    if (std::this_thread::get_id() != caller) is_asked_elsewhere = true;
  };
  for_each_index(1000, 4, [](std::size_t, std::size_t) { may_stop(); });
  throw_if_interrupted = nullptr;
  CHECK(!is_asked_elsewhere);
}

TEST(it_is_not_asked_all_the_time) {
  static std::size_t n_asked;
  n_asked = 0;
  between_looks = std::chrono::milliseconds(3'600'000);
  may_stop();
  throw_if_interrupted = [] { ++n_asked; };
  for (int i = 0; i < 1000; ++i) may_stop();
  throw_if_interrupted = nullptr;
  CHECK(n_asked <= 1);
}

}  // namespace
}  // namespace hedgerow::parallel
