// SPDX-License-Identifier: BSD-3-Clause
// Probabilities of classes against fine integration and closed forms.
#include "hedgerow/bart/class_probability.hpp"

#include <numbers>

#include "check.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::bart {
namespace {

std::vector<double> all_of(const std::vector<double>& means) {
  std::vector<double> found(std::max<std::size_t>(means.size(), 2)), below;
  class_probabilities(means, found, below);
  return found;
}

TEST(all_classes_at_once_are_each_of_them) {
  for (const std::vector<double>& means :
       {std::vector<double>{0.3}, {0.0, 1.0}, {-1.0, 0.2, 2.0}, {0.0, 0.0, 0.0, 5.0}}) {
    const auto found = all_of(means);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK_NEAR(found[k], class_probability(means, k), 1e-9);
  }
}

TEST(two_utilities_differ_by_a_normal_of_variance_two) {
  CHECK_NEAR(all_of({0.0, 1.0})[1], normal_probability_below(1.0 / std::sqrt(2.0)), 1e-9);
}

TEST(means_of_any_size_give_probabilities) {
  for (const double size : {1e2, 1e30, 1e300}) {
    const auto found = all_of({-size, size, size});
    CHECK(found[0] > 0.0);
    CHECK_NEAR(found[1], 0.5, 1e-9);
  }
}

/// The integral with a far finer step and a longer reach.
double slow_probability(const std::vector<double>& means, std::size_t k) {
  double total = 0.0;
  for (double u = -40.0; u <= 40.0; u += 1.0 / 64.0) {
    double product = std::exp(-0.5 * (u - means[k]) * (u - means[k]));
    for (std::size_t j = 0; j < means.size(); ++j) {
      if (j != k) product *= 0.5 * std::erfc((means[j] - u) / std::numbers::sqrt2);
    }
    total += product;
  }
  return total / 64.0 / std::sqrt(2.0 * std::numbers::pi);
}

TEST(probabilities_of_classes_are_right_and_add_up) {
  random::Stream stream(23, random::Purpose::grow, 0, 0);
  for (const std::size_t n : {2, 3, 4, 5, 10, 30}) {
    for (int repetition = 0; repetition < 30; ++repetition) {
      std::vector<double> means;
      for (std::size_t k = 0; k < n; ++k) means.push_back((repetition % 5) * random::draw_normal(stream));
      std::vector<double> all(n), below;
      class_probabilities(means, all, below);
      double total = 0.0, total_of_all = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double found = class_probability(means, k), expected = slow_probability(means, k);
        total += found;
        total_of_all += all[k];
        CHECK_NEAR(found, expected, 1e-10);
        CHECK_NEAR(all[k], expected, 1e-8);
        CHECK_NEAR(log_class_probability(means, k), std::log(std::max(found, 1e-300)), 1e-12);
      }
      CHECK_NEAR(total, 1.0, 1e-10);
      CHECK_NEAR(total_of_all, 1.0, 1e-14);
    }
  }
}

TEST(two_classes_have_a_closed_form) {
  for (const double gap : {0.0, 0.3, -1.0, 4.0, -9.0}) {
    const std::vector<double> two{1.0 + gap, 1.0}, one{gap};
    const double expected = 0.5 * std::erfc(-0.5 * gap);
    CHECK_NEAR(class_probability(two, 0), expected, 1e-12);
    CHECK_NEAR(class_probability(two, 1), 1.0 - expected, 1e-12);
    CHECK_NEAR(class_probability(one, 1), 0.5 * std::erfc(-gap / std::numbers::sqrt2), 1e-15);
    CHECK_NEAR(class_probability(one, 0) + class_probability(one, 1), 1.0, 1e-15);
    std::vector<double> all(2), below;
    class_probabilities(one, all, below);
    CHECK(all[0] == class_probability(one, 0) && all[1] == class_probability(one, 1));
  }
}

TEST(many_classes_share_evenly_what_they_may) {
  for (const std::size_t n : {4, 5, 30, 100}) {
    const std::vector<double> means(n, 0.7);
    CHECK_NEAR(class_probability(means, 3) * static_cast<double>(n), 1.0, n > 30 ? 2e-9 : 1e-10);
  }
}

}  // namespace
}  // namespace hedgerow::bart
