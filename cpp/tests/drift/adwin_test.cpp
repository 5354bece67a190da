// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/drift/adwin.hpp"

#include <cmath>

#include "check.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::drift {
namespace {

random::Stream numbers(std::uint64_t seed) { return {seed, random::Purpose::bag, 0, 0}; }

TEST(the_window_knows_its_width_and_mean) {
  Adwin adwin(1e-9);
  auto stream = numbers(1);
  double total = 0.0;
  for (int i = 1; i <= 1000; ++i) {
    const double number = stream.uniform();
    total += number;
    CHECK(!adwin.update(number));
    CHECK_NEAR(adwin.width(), double(i), 0.0);
    CHECK_NEAR(adwin.mean(), total / i, 1e-12);
  }
}

TEST(memory_grows_like_a_logarithm) {
  Adwin adwin(1e-9);
  auto stream = numbers(2);
  for (int i = 0; i < 100000; ++i) adwin.update(stream.uniform());
  CHECK(adwin.buckets.size() <= Adwin::most_of_a_level * 18);  // 2^17 > 100000
  for (std::size_t i = 1; i < adwin.buckets.size(); ++i) {
    CHECK(adwin.buckets[i].level <= adwin.buckets[i - 1].level);
  }
}

TEST(the_spread_of_buckets_is_that_of_their_numbers) {
  Adwin adwin(1e-12);
  auto stream = numbers(3);
  std::vector<double> seen;
  for (int i = 0; i < 777; ++i) {
    seen.push_back(stream.uniform());
    adwin.update(seen.back());
  }
  std::size_t at = 0;
  for (const Bucket& bucket : adwin.buckets) {
    const auto n = static_cast<std::size_t>(bucket.count());
    double total = 0.0, squares = 0.0;
    for (std::size_t i = at; i < at + n; ++i) total += seen[i];
    for (std::size_t i = at; i < at + n; ++i) squares += (seen[i] - total / double(n)) * (seen[i] - total / double(n));
    CHECK_NEAR(bucket.total, total, 1e-12);
    CHECK_NEAR(bucket.squares, squares, 1e-12);
    at += n;
  }
  CHECK(at == seen.size());
}

TEST(a_rise_is_reported_soon_and_a_fall_is_not) {
  for (const bool rises : {true, false}) {
    Adwin adwin(0.001);
    auto stream = numbers(4);
    for (int i = 0; i < 2000; ++i) CHECK(!adwin.update(0.4 + 0.2 * stream.uniform()));
    int heard = 0;
    for (int i = 0; i < 400; ++i) heard += adwin.update((rises ? 0.7 : 0.1) + 0.2 * stream.uniform());
    CHECK((heard > 0) == rises);
    CHECK(adwin.width() < 500.0);  // the old part is gone either way
  }
}

// With confidence 0.01 each of 300 streams of 2000 numbers may be cut with probability well below 0.01 a look; the
// bound is so careful that in practice nearly none is. More than 9 alarms in 300 would have a probability below 2e-3 at
// 0.01.
TEST(false_alarms_are_rare) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Adwin adwin(0.01);
    auto stream = numbers(100 + seed);
    bool heard = false;
    for (int i = 0; i < 2000; ++i) heard = adwin.update(stream.uniform()) || heard;
    alarms += heard;
  }
  CHECK(alarms <= 9);
}

}  // namespace
}  // namespace hedgerow::drift
