// SPDX-License-Identifier: BSD-3-Clause
// Units fix the bits of all sums of trees: what they are, and that no sum of what they count overflows.
#include "hedgerow/posterior_tree/leaves/units.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace hedgerow::posterior_tree {
namespace {

TEST(units_are_fixed_where_sums_have_room) {
  // 256 * 1000 < 2^21: even labels of 2^-40 add up to less than 2^61.
  const Units plain = units_for({}, false, 1000, 256.0);
  CHECK(plain.label == 0x1p-40 && plain.weight == 1.0);
  const std::vector<double> weights{0.5, 3.0, 1.0};
  const Units weighted = units_for(weights, false, 3, 256.0);
  CHECK(weighted.label == 0x1p-40 && weighted.weight == 3.0 * 0x1p-30);
}

TEST(units_grow_where_sums_have_none) {
  CHECK(units_for({}, false, 1U << 20, 256.0).label == 0x1p-33);
  CHECK(units_for({}, false, (1U << 20) + 1, 256.0).label == 0x1p-32);
  CHECK(units_for({}, false, 4, 0x1p80).label == 0x1p21);
  const std::vector<double> heavy{0x1p40, 1.0};
  CHECK(units_for(heavy, false, 2, 256.0).label > units_for({}, false, 2, 256.0).label);
}

TEST(no_sum_overflows) {
  constexpr double room = static_cast<double>(std::numeric_limits<Fixed>::max());
  for (const std::size_t n : {1, 7, 1000, 100000}) {
    for (const double scale : {1e-200, 1e-3, 1.0, 1e6}) {
      for (const double most : {256.0, 3e7, 1e100}) {
        for (const bool change : {false, true}) {
          std::vector<double> weights(n, scale);
          weights[0] = 10.0 * scale;
          for (const bool weighted : {false, true}) {
            const std::span<const double> all(weights.data(), weighted ? n : 0);
            const double total =
                weighted ? std::accumulate(weights.begin(), weights.end(), 0.0) : static_cast<double>(n);
            const Units units = units_for(all, change, n, most);
            CHECK(most * std::max(total, static_cast<double>(n)) / units.label <= room / 2.0);
            CHECK(total / units.weight <= room / 2.0);
            CHECK(!change || total / units.weight > room / 8.0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
