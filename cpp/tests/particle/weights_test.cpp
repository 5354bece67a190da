// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/particle/weights.hpp"

#include "check.hpp"

namespace hedgerow::particle {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

TEST(log_sum_exp_is_what_it_says) {
  const std::vector<double> logs{std::log(1.0), std::log(2.0), std::log(5.0)};
  CHECK_NEAR(log_sum_exp(logs), std::log(8.0), 1e-15);
}

TEST(log_sum_exp_does_not_underflow_or_overflow) {
  for (const double shift : {-1e5, 1e5}) {
    const std::vector<double> logs{shift, shift + 1.0, shift - 2000.0};
    CHECK_NEAR(log_sum_exp(logs), shift + std::log(1.0 + std::exp(1.0)), 1e-10);
  }
}

TEST(weights_of_zero_are_allowed_but_not_alone) {
  CHECK_NEAR(log_sum_exp(std::vector<double>{nothing, 3.0}), 3.0, 1e-15);
  CHECK(log_sum_exp(std::vector<double>{nothing, nothing}) == nothing);
  CHECK(log_sum_exp(std::vector<double>{}) == nothing);
}

TEST(normalised_weights_add_up_to_one) {
  const auto weights = normalised(std::vector<double>{-900.0, -901.0, nothing, -1700.0});
  CHECK_NEAR(weights[0] + weights[1] + weights[2] + weights[3], 1.0, 1e-12);
  CHECK_NEAR(weights[0] / weights[1], std::exp(1.0), 1e-12);
  CHECK(weights[2] == 0.0);
}

TEST(logarithms_of_many_digits_add_up_to_one_too) {
  const auto weights = normalised(std::vector<double>{1e15, 1e15 + 0.25, 1e15 - 0.5, 3e12});
  CHECK(std::abs(weights[0] + weights[1] + weights[2] + weights[3] - 1.0) < 1e-12);
  CHECK(weights[1] > weights[0] && weights[0] > weights[2] && weights[3] == 0.0);
}

TEST(effective_sample_size_counts_particles) {
  CHECK_NEAR(effective_sample_size(std::vector<double>{0.25, 0.25, 0.25, 0.25}), 4.0, 1e-14);
  CHECK_NEAR(effective_sample_size(std::vector<double>{1.0, 0.0, 0.0}), 1.0, 1e-14);
}

}  // namespace
}  // namespace hedgerow::particle
