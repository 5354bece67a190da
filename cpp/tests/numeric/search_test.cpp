// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"

namespace hedgerow::numeric {
namespace {

TEST(numbers_before_another_are_counted_alone_and_together) {
  const double asked[] = {-HUGE_VAL, -1.0, 0.0, 0.5, 1.0, 7.0, 7.5, 100.0, 253.0, 254.0, 1e300, HUGE_VAL};
  std::vector<double> rising;
  for (int n = 0; n < 260; ++n) {
    std::size_t counts[12];
    count_before<12>(rising.data(), rising.size(), counts, [&](std::size_t k, double at) { return at <= asked[k]; });
    for (std::size_t k = 0; k < 12; ++k) {
      CHECK(counts[k] == static_cast<std::size_t>(std::ranges::upper_bound(rising, asked[k]) - rising.begin()));
      const std::size_t below = count_before(rising.data(), rising.size(), [&](double at) { return at < asked[k]; });
      CHECK(below == static_cast<std::size_t>(std::ranges::lower_bound(rising, asked[k]) - rising.begin()));
    }
    rising.push_back(n);
  }
}

}  // namespace
}  // namespace hedgerow::numeric
