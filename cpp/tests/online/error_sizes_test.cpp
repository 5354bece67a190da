// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/error_sizes.hpp"

#include "check.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

/// Errors of a stream: large where the first feature is.
std::vector<double> errors_of(const Sample& sample) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < sample.size(); ++i) errors.push_back(sample.features[3 * i] > 1000.5 ? 2.0 : 0.2);
  return errors;
}

TEST(a_factor_is_what_was_said_before_the_error_came) {
  const Sample sample = draw_stream(600, 3);
  const std::vector<double> errors = errors_of(sample);
  ErrorSizes whole(some_growth(3), 4, 1), single(some_growth(3), 4, 1);
  const std::vector<double> factors =
      factor_then_learn(whole, {sample.features.data(), errors.data(), nullptr, 600}, {}, 2);
  for (std::size_t i = 0; i < 600; ++i) {
    const double* row = sample.features.data() + 3 * i;
    const double asked = error_factors(single, row, {}, 1, 1)[0];
    CHECK(asked == factors[i]);
    CHECK(factor_then_learn(single, {row, &errors[i], nullptr, 1}, {}, 1)[0] == asked);
  }
  CHECK(error_factors(whole, sample.features.data(), {}, 600, 1) ==
        error_factors(single, sample.features.data(), {}, 600, 2));
}

TEST(factors_become_the_sizes_of_errors_and_stay_in_bounds) {
  const Sample sample = draw_stream(600, 3);
  std::vector<double> errors = errors_of(sample);
  const auto factors_after = [&] {
    ErrorSizes sizes(some_growth(3), 4, 1);
    factor_then_learn(sizes, {sample.features.data(), errors.data(), nullptr, 600}, {}, 1);
    return error_factors(sizes, sample.features.data(), {}, 600, 1);
  };
  std::vector<double> factors = factors_after();
  double error = 0.0;
  for (std::size_t i = 0; i < 600; ++i) error += std::abs(factors[i] - error_size(errors[i])) / 600.0;
  CHECK(error < 0.2);
  errors.assign(600, 1e250);
  factors = factors_after();
  CHECK(std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == error_size(largest_error); }));
  errors.assign(600, 0.0);
  factors = factors_after();
  CHECK(std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == smallest_factor; }));
}

TEST(sizes_in_the_unit_of_labels_outlive_other_standard_deviations) {
  const Sample sample = draw_stream(600, 3);
  const std::vector<double> errors(600, 0.5), units(600, 8.0), later(600, 2.0);
  ErrorSizes sizes(some_growth(3), 4, 1);
  factor_then_learn(sizes, {sample.features.data(), errors.data(), nullptr, 600}, {units.data()}, 1);
  for (const double factor : error_factors(sizes, sample.features.data(), {later.data()}, 600, 1)) {
    CHECK_NEAR(factor * 2.0, error_size(0.5) * 8.0, 1e-12);
  }
}

TEST(sizes_of_gaussian_errors_have_mean_one) {
  CHECK_NEAR(error_size(std::sqrt(2.0 / std::numbers::pi)), 1.0, 1e-15);  // E|Z|
}

}  // namespace
}  // namespace hedgerow::online
