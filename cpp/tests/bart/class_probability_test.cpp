// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bart/class_probability.hpp"

#include "check.hpp"

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

}  // namespace
}  // namespace hedgerow::bart
