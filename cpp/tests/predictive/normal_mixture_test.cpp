// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/normal_mixture.hpp"

#include <vector>

#include "check.hpp"

namespace hedgerow::predictive {
namespace {

struct Parts {
  std::vector<double> weights, means, variances;
  [[nodiscard]] NormalMixture mixture() const { return {weights, means, variances}; }
};

const Parts standard{{1.0}, {0.0}, {1.0}};
const Parts two_hills{{0.25, 0.75}, {-10.0, 3.0}, {0.01, 4.0}};

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

TEST(one_component_is_the_normal_distribution) {
  for (const double z : {-8.0, -1.5, 0.0, 0.3, 6.0}) {
    CHECK_NEAR(standard.mixture().below(z), normal_below(z), 1e-15);
    CHECK_NEAR(standard.mixture().log_density(z), -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi), 1e-14);
  }
}

TEST(density_is_the_slope_of_the_probability_below) {
  for (const double y : {-10.1, -10.0, 0.0, 3.0, 5.0}) {
    const double step = 1e-5;
    const double rise = two_hills.mixture().below(y + step) - two_hills.mixture().below(y - step);
    CHECK_NEAR(rise / (2.0 * step), std::exp(two_hills.mixture().log_density(y)), 1e-6);
  }
}

TEST(log_density_stays_finite_where_the_density_is_zero) {
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

}  // namespace
}  // namespace hedgerow::predictive
