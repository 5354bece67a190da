// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/memory/reserve.hpp"

#include <array>
#include <numeric>
#include <optional>

#include "check.hpp"
#include "failing_memory.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::memory {
namespace {

using tests::FailingMemory;

/// Whether a vector can be filled with n numbers while the system gives nothing.
bool can_fill(Vector<double>& values, std::size_t n) {
  const FailingMemory memory(0);
  try {
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

TEST(a_reserve_serves_when_the_system_does_not) {
  Vector<double> values;
  CHECK(!can_fill(values, 1));
  {
    const Reserve reserve(to_hold(1000, sizeof(double)));
    CHECK(can_fill(values, 1000));
  }
  CHECK(values.size() == 1000 && values[999] == 999.0);  // it outlives the reserve
  const Vector<double> copy = values;
  CHECK(!can_fill(values, values.capacity() + 1 - values.size()));
  values = {};
  CHECK(std::accumulate(copy.begin(), copy.end(), 0.0) == 499500.0);
}

TEST(a_reserve_has_an_end) {
  const Reserve reserve(64);
  Vector<double> values, others;
  CHECK(!can_fill(values, 1000));
  CHECK(!can_fill(others, 1000));
}

TEST(a_reserve_that_cannot_be_had_is_an_error) {
  std::optional<Reserve> reserve;
  std::size_t n_errors = 0;
  for (const std::size_t n_bytes : {std::size_t{1} << 30, static_cast<std::size_t>(-1)}) {
    const FailingMemory memory(0);
    try {
      reserve.emplace(n_bytes);
    } catch (const std::bad_alloc&) {
      ++n_errors;
    }
  }
  CHECK(n_errors == 2);
  Vector<double> values;
  CHECK(!can_fill(values, 1));
}

TEST(a_reserve_within_a_reserve_is_a_part_of_it) {
  Vector<double> values;
  const Reserve outer(to_hold(100, sizeof(double)));
  {
    const FailingMemory memory(0);
    const Reserve inner(std::size_t{1} << 40);
  }
  CHECK(can_fill(values, 100));
}

TEST(helpers_share_a_reserve) {
  constexpr std::size_t n_workers = 8;
  std::array<Vector<double>, n_workers> values;
  std::array<bool, n_workers> has_failed{};
  const Reserve reserve(n_workers * to_hold(500, sizeof(double)));
  const FailingMemory memory(0);
  parallel::for_each_index(n_workers, 4, [&](std::size_t index, std::size_t) {
    try {
      const Reserve::Lent lent(reserve);
      for (std::size_t i = 0; i < 500; ++i) values[index].push_back(static_cast<double>(index));
    } catch (const std::bad_alloc&) {
      has_failed[index] = true;
    }
  });
  for (std::size_t index = 0; index < n_workers; ++index) {
    CHECK(!has_failed[index]);
    CHECK(std::accumulate(values[index].begin(), values[index].end(), 0.0) == 500.0 * static_cast<double>(index));
  }
}

TEST(bounds_hold_for_vectors_that_grow_one_by_one_or_many_at_once) {
  for (const std::size_t n : {0, 1, 2, 3, 5, 8, 100, 1023, 1024, 1025}) {
    for (const std::size_t n_before : {0, 1, 7, 64}) {
      for (const std::size_t step : {1, 3, 7}) {
        Vector<double> values(n_before);
        const Reserve reserve(to_add(values, n * step));
        const FailingMemory memory(0);
        bool has_failed = false;
        try {
          for (std::size_t i = 0; i < n; ++i) values.insert(values.begin(), step, 1.0);
        } catch (const std::bad_alloc&) {
          has_failed = true;
        }
        if (has_failed) CHECK(!"the bound is too small");
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::memory
