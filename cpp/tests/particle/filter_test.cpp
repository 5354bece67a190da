// SPDX-License-Identifier: BSD-3-Clause
// A filter over strings of five bits, all of which can be listed.
#include "hedgerow/particle/filter.hpp"

#include <array>

#include "check.hpp"
#include "hedgerow/particle/shared.hpp"

namespace hedgerow::particle {
namespace {

constexpr int length = 5;

/// The likelihood of a string's first bits; a strong one, so that most particles die.
double log_likelihood(int bits, int n) {
  double sum = -800.0;  // far below what a double can hold
  for (int i = 0; i < n; ++i) sum += (bits >> i & 1) == (i % 2) ? 1.5 * (i + 1) : -0.7 * i;
  return sum;
}

struct Bits {
  int bits = 0, n = 0;
  [[nodiscard]] bool is_complete() const { return n == length; }
};

double step(Bits& particle, random::Stream& stream, bool) {
  const double before = log_likelihood(particle.bits, particle.n);
  particle.bits |= static_cast<int>(stream.uniform() < 0.5) << particle.n++;
  return log_likelihood(particle.bits, particle.n) - before;
}

Filter<Bits> filter_of(std::uint32_t island, std::size_t n, Schedule schedule) {
  return {Bits{}, log_likelihood(0, 0), n, schedule, {11, island}};
}

/// Of 6 schedules x (1 + 32) means over 3000 filters each; the alarm at 6 standard errors is false less than once in
/// 1e6.
TEST(evidence_and_evidence_times_weight_are_unbiased) {
  double log_evidence = 0.0;
  std::array<double, 1 << length> truth{};
  for (std::size_t bits = 0; bits < truth.size(); ++bits) {
    truth[bits] = std::exp(log_likelihood(static_cast<int>(bits), length) + 800.0) / static_cast<double>(truth.size());
    log_evidence += truth[bits];
  }
  log_evidence = std::log(log_evidence) - 800.0;
  for (double& probability : truth) probability *= std::exp(-800.0 - log_evidence);
  for (const auto scheme : {Resampling::multinomial, Resampling::systematic}) {
    for (const double share : {0.0, 0.5, 1.0}) {
      constexpr int n_filters = 3000;
      std::array<double, (1 << length) + 1> sums{}, squares{};
      for (std::uint32_t island = 0; island < n_filters; ++island) {
        auto filter = filter_of(island, 8, {scheme, share});
        filter.run(step, [] { return true; });
        CHECK(share > 0.0 || filter.n_resamplings() == 0);
        CHECK(share < 1.0 || filter.n_resamplings() == length - 1);
        std::array<double, (1 << length) + 1> found{};
        const double ratio = std::exp(filter.log_evidence() - log_evidence);
        const auto weights = filter.weights();
        for (std::size_t c = 0; c < weights.size(); ++c) {
          found[static_cast<std::size_t>(filter.particles()[c].bits)] += ratio * weights[c];
        }
        found.back() = ratio;
        for (std::size_t i = 0; i < found.size(); ++i) {
          sums[i] += found[i];
          squares[i] += found[i] * found[i];
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double mean = sums[i] / n_filters;
        const double error = std::sqrt((squares[i] / n_filters - mean * mean) / n_filters);
        // Strings rarer than one in a thousand filters are seen too seldom for a normal law.
        if (i + 1 == sums.size() || truth[i] > 1e-2) {
          CHECK_NEAR(mean, i + 1 == sums.size() ? 1.0 : truth[i], 6.0 * error);
        }
      }
    }
  }
}

/// One conditional filter after another, each with the string that the last one drew, from a draw of the target: 4000
/// strings after three filters each. The alarm at 6 standard errors of 32 shares is false less than once in 1e6.
TEST(a_conditional_filter_leaves_its_target_as_it_was) {
  std::array<double, 1 << length> truth{}, counts{};
  double total = 0.0;
  for (std::size_t bits = 0; bits < truth.size(); ++bits) {
    total += truth[bits] = std::exp(log_likelihood(static_cast<int>(bits), length) + 800.0);
  }
  for (double& probability : truth) probability /= total;
  const auto draw = [](const auto& weights, random::Stream& stream) {
    double left = stream.uniform();
    int drawn = 0;
    while ((left -= weights[static_cast<std::size_t>(drawn)]) >= 0.0) ++drawn;
    return drawn;
  };
  constexpr int n_strings = 4000;
  for (std::uint32_t island = 0; island < n_strings; ++island) {
    random::Stream stream(5, random::Purpose::metropolis, island, 0);
    int bits = draw(truth, stream);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Filter<Bits> filter(Bits{}, log_likelihood(0, 0), 4, {Resampling::multinomial, 1.1}, {seed, island},
                          Keeps::first);
      filter.run(
          [&](Bits& particle, random::Stream& own, bool is_kept) {
            if (!is_kept) return step(particle, own, false);
            const double before = log_likelihood(particle.bits, particle.n);
            particle.bits |= bits & (1 << particle.n++);
            return log_likelihood(particle.bits, particle.n) - before;
          },
          [] { return true; });
      CHECK(filter.particles()[0].bits == bits);
      bits = filter.particles()[static_cast<std::size_t>(draw(filter.weights(), stream))].bits;
    }
    counts[static_cast<std::size_t>(bits)] += 1.0 / n_strings;
  }
  for (std::size_t b = 0; b < truth.size(); ++b) {
    const double error = std::sqrt(truth[b] * (1.0 - truth[b]) / n_strings);
    CHECK(std::abs(counts[b] - truth[b]) < 6.0 * error + 1e-3);
  }
}

TEST(work_may_be_cut_anywhere) {
  auto whole = filter_of(0, 13, {});
  whole.run(step, [] { return true; });
  auto cut = filter_of(0, 13, {});
  int n_cuts = 0;
  while (!cut.is_finished()) {
    int left = 3;
    cut.run(step, [&] { return left-- > 0; });
    ++n_cuts;
  }
  CHECK(n_cuts > 10);
  CHECK(whole.log_evidence() == cut.log_evidence());
  for (std::size_t c = 0; c < 13; ++c) CHECK(whole.particles()[c].bits == cut.particles()[c].bits);
}

TEST(islands_differ) {
  auto one = filter_of(0, 13, {}), other = filter_of(1, 13, {});
  one.run(step, [] { return true; });
  other.run(step, [] { return true; });
  CHECK(one.log_evidence() != other.log_evidence());
}

struct Counter {
  int* alive;
  explicit Counter(int& n) : alive(&n) { ++*alive; }
  Counter(const Counter& other) : alive(other.alive) { ++*alive; }
  Counter& operator=(const Counter&) = default;
  ~Counter() { --*alive; }
};

TEST(a_shared_value_lives_as_long_as_someone_holds_it) {
  int alive = 0;
  {
    Shared<Counter> first{Counter(alive)};
    CHECK(alive == 1);
    Shared<Counter> second = first, third;
    CHECK(!third && second.get() == first.get());
    third = std::move(second);
    CHECK(!second && alive == 1);
    third = third;
    first = {};
    CHECK(alive == 1 && third.get() != nullptr);
    third = Shared<Counter>(Counter(alive));
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

}  // namespace
}  // namespace hedgerow::particle
