// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/mixture_quantiles.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "check.hpp"

namespace hedgerow::predictive {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Parts {
  std::vector<double> weights, means, variances;
  [[nodiscard]] NormalMixture mixture() const { return {weights, means, variances}; }
};

const Parts standard{{1.0}, {0.0}, {1.0}};
const Parts two_hills{{0.25, 0.75}, {-10.0, 3.0}, {0.01, 4.0}};
const Parts far_apart{{0.5, 0.5}, {-1e6, 1e6}, {1.0, 1e-6}};
const Parts offset{{0.3, 0.3, 0.4}, {1e9, 1e9 + 1.0, 1e9 + 5.0}, {0.1, 2.0, 0.5}};

const Parts spike_on_a_hill{{1e-3, 0.999}, {0.5, 0.0}, {1e-16, 1.0}};
const Parts weightless_far_away{{0.0, 1.0}, {1e8, 0.0}, {1e-8, 1.0}};

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double quantile(const Parts& parts, double q, double z) {
  MixtureQuantiles quantiles;
  quantiles.ask(far_apart.mixture());  // of which nothing must stay
  quantiles.ask(parts.mixture());
  return quantiles.at(q, z);
}

TEST(quantile_inverts_the_probability_below) {
  for (const Parts* parts : {&standard, &two_hills, &far_apart, &offset, &weightless_far_away}) {
    for (const double z : {-6.0, -3.0, -1.0, -0.1, 0.0, 0.2, 1.0, 3.0, 5.0}) {
      const double q = normal_below(z);
      const double y = quantile(*parts, q, z);
      const double density = std::exp(parts->mixture().log_density(y));
      CHECK_NEAR(parts->mixture().below(y), q, 1e-12 + 1e-14 * (std::abs(y) + 1.0) * density);
    }
  }
}

TEST(a_quantile_is_where_halving_the_bracket_finds_it) {
  for (const Parts* parts : {&standard, &two_hills, &offset, &spike_on_a_hill}) {
    for (const double z : {-7.0, -2.0, -0.4, 0.1, 0.4999, 0.51, 2.5}) {
      double low = -1e10, high = 1e10;
      for (int step = 0; step < 200; ++step) {
        const double middle = 0.5 * (low + high);
        (parts->mixture().below(middle) < normal_below(z) ? low : high) = middle;
      }
      CHECK_NEAR(quantile(*parts, normal_below(z), z), low, 1e-10 * std::max(1.0, std::abs(low)));
    }
  }
}

TEST(quantiles_increase) {
  for (const Parts* parts : {&two_hills, &far_apart, &offset}) {
    double last = -infinity;
    for (double z = -5.0; z <= 5.0; z += 0.25) {
      const double y = quantile(*parts, normal_below(z), z);
      CHECK(y >= last);
      last = y;
    }
  }
}

TEST(quantiles_of_one_component_are_exact) {
  const Parts one{{1.0}, {1e9}, {4.0}};
  for (const double z : {-4.0, -0.5, 0.0, 2.0}) {
    CHECK_NEAR(quantile(one, normal_below(z), z), 1e9 + 2.0 * z, 1e-6);
  }
}

TEST(the_outermost_quantiles_are_infinite) {
  CHECK(quantile(two_hills, 0.0, -infinity) == -infinity);
  CHECK(quantile(two_hills, 1.0, infinity) == infinity);
}

}  // namespace
}  // namespace hedgerow::predictive
