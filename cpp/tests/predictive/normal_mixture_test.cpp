// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/normal_mixture.hpp"

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

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

TEST(one_component_is_the_normal_distribution) {
  for (const double z : {-8.0, -1.5, 0.0, 0.3, 6.0}) {
    CHECK_NEAR(standard.mixture().at(z).below, normal_below(z), 1e-15);
    CHECK_NEAR(standard.mixture().log_density(z), -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi), 1e-14);
  }
}

TEST(log_density_is_the_log_of_the_density) {
  for (const double y : {-11.0, -10.0, -4.0, 0.0, 3.0, 9.0}) {
    CHECK_NEAR(std::exp(two_hills.mixture().log_density(y)), two_hills.mixture().at(y).density, 1e-14);
  }
}

TEST(density_is_the_slope_of_the_probability_below) {
  for (const double y : {-10.1, -10.0, 0.0, 3.0, 5.0}) {
    const double step = 1e-5;
    const double rise = two_hills.mixture().at(y + step).below - two_hills.mixture().at(y - step).below;
    CHECK_NEAR(rise / (2.0 * step), two_hills.mixture().at(y).density, 1e-6);
  }
}

TEST(log_density_stays_finite_where_the_density_is_zero) {
  CHECK(two_hills.mixture().at(1000.0).density == 0.0);
  const double expected = std::log(0.75) - 0.5 * (std::log(2.0 * std::numbers::pi * 4.0) + 997.0 * 997.0 / 4.0);
  CHECK_NEAR(two_hills.mixture().log_density(1000.0), expected, 1e-9);
}

TEST(a_component_without_weight_is_not_heard) {
  const Parts silent{{0.0, 1.0}, {5.0, 0.0}, {1.0, 1.0}};
  CHECK_NEAR(silent.mixture().log_density(0.0), standard.mixture().log_density(0.0), 1e-15);
}

TEST(log_density_does_not_depend_on_the_order_of_components) {
  const Parts turned{{0.75, 0.25}, {3.0, -10.0}, {4.0, 0.01}};
  for (const double y : {-10.0, -2.0, 3.0, 50.0}) {
    CHECK_NEAR(turned.mixture().log_density(y), two_hills.mixture().log_density(y), 1e-12);
  }
}

TEST(quantile_inverts_the_probability_below) {
  for (const Parts* parts : {&standard, &two_hills, &far_apart, &offset}) {
    for (const double z : {-6.0, -3.0, -1.0, -0.1, 0.0, 0.2, 1.0, 3.0, 5.0}) {
      const double q = normal_below(z);
      const double y = parts->mixture().quantile(q, z);
      const auto [below, density] = parts->mixture().at(y);
      CHECK_NEAR(below, q, 1e-12 + 1e-14 * (std::abs(y) + 1.0) * density);
    }
  }
}

TEST(quantiles_increase) {
  for (const Parts* parts : {&two_hills, &far_apart, &offset}) {
    double last = -infinity;
    for (double z = -5.0; z <= 5.0; z += 0.25) {
      const double y = parts->mixture().quantile(normal_below(z), z);
      CHECK(y >= last);
      last = y;
    }
  }
}

TEST(quantiles_of_one_component_are_exact) {
  const Parts one{{1.0}, {1e9}, {4.0}};
  for (const double z : {-4.0, -0.5, 0.0, 2.0}) {
    CHECK_NEAR(one.mixture().quantile(normal_below(z), z), 1e9 + 2.0 * z, 1e-6);
  }
}

TEST(the_outermost_quantiles_are_infinite) {
  CHECK(two_hills.mixture().quantile(0.0, -infinity) == -infinity);
  CHECK(two_hills.mixture().quantile(1.0, infinity) == infinity);
}

}  // namespace
}  // namespace hedgerow::predictive
