// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/random/splitmix.hpp"

#include <set>
#include <vector>

#include "check.hpp"

namespace hedgerow::random {
namespace {

/// As in the code that Vigna published (splitmix64.c).
std::uint64_t next(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

TEST(splitmix_is_the_published_generator_and_begins_with_the_stream) {
  std::uint64_t published = 1234567;
  for (const std::uint64_t known : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U}) {
    CHECK(next(published) == known);
  }
  for (std::uint32_t name = 0; name < 20; ++name) {
    Stream stream(3, Purpose::grow, name, 0), same(3, Purpose::grow, name, 0);
    SplitMix random(stream);
    auto state = static_cast<std::uint64_t>(same.uniform() * 0x1p52);
    CHECK(state > std::uint64_t{1} << 40);  // nearly all of the bits are used
    for (int i = 0; i < 100; ++i) CHECK(random.bits() == next(state));
    CHECK(stream.uniform() == same.uniform());  // one number was taken
  }
}

TEST(splitmix_of_different_streams_differs) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t name = 0; name < 50; ++name) {
    Stream stream(4, Purpose::greedy_cut, name, 0);
    SplitMix first(stream), second(stream);
    for (int i = 0; i < 20; ++i) seen.insert({first.bits(), second.bits()});
  }
  CHECK(seen.size() == 2000);
}

/// Of counts that are expected to be equal.
double chi_squared(const std::vector<double>& counts, double expected) {
  double total = 0.0;
  for (const double count : counts) total += (count - expected) * (count - expected) / expected;
  return total;
}

TEST(splitmix_uniform_fills_the_open_interval_evenly) {
  // Chi-squared with 99 degrees of freedom exceeds 173 once in 200,000.
  Stream stream(5, Purpose::grow, 0, 0);
  SplitMix random(stream), bits = random;
  std::vector<double> counts(100, 0.0);
  for (int i = 0; i < 1000000; ++i) {
    const float u = random.uniform();
    CHECK(u > 0.0F && u < 1.0F);
    // The middle of one of 2^23 parts, which neither end is.
    CHECK(static_cast<double>(u) == (static_cast<double>(bits.bits() >> 41) + 0.5) * 0x1p-23);
    counts.at(static_cast<std::size_t>(100.0F * u)) += 1.0;
  }
  CHECK(chi_squared(counts, 10000.0) < 173.0);
  CHECK(chi_squared(counts, 10000.0) > 45.0);
}

TEST(splitmix_draws_whole_numbers_evenly) {
  // Chi-squared with 6 degrees of freedom exceeds 43 once in 1e7.
  Stream stream(6, Purpose::grow, 0, 0);
  SplitMix random(stream);
  std::vector<double> counts(7, 0.0);
  for (int i = 0; i < 70000; ++i) counts.at(random.below(7)) += 1.0;
  CHECK(chi_squared(counts, 10000.0) < 43.0);
  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
  std::vector<double> halves(2, 0.0);
  constexpr std::uint32_t most = 0xFFFFFFFF;
  for (int i = 0; i < 20000; ++i) halves[random.below(most) > most / 2 ? 1 : 0] += 1.0;
  CHECK(chi_squared(halves, 10000.0) < 29.0);  // one degree of freedom
}

}  // namespace
}  // namespace hedgerow::random
