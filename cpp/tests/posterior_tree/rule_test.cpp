// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/posterior_tree/rule.hpp"

#include <numeric>

#include "check.hpp"
#include "hedgerow/posterior_tree/binned_rows.hpp"

namespace hedgerow::posterior_tree {
namespace {

TEST(a_range_is_that_of_all_rows) {
  // Columns: in order, mixed, constant, and of two values of which one comes last. Lists of rows around the 64 that are
  // looked at together, from different beginnings.
  constexpr std::size_t n = 1000, width = 4;
  std::vector<double> points(n * width);
  for (std::size_t i = 0; i < n; ++i) {
    points[i * width] = static_cast<double>(i);
    points[i * width + 1] = static_cast<double>(i * 377 % n);
    points[i * width + 2] = 7.0;
    points[i * width + 3] = i + 1 == n ? 1.0 : 0.0;
  }
  const BinnedRows data(Points{points.data(), n, width}, 1);
  std::vector<RowId> all(n);
  std::iota(all.begin(), all.end(), RowId{0});
  for (const std::size_t begin : {0, 1, 500}) {
    for (const std::size_t size : {1, 2, 63, 64, 65, 129, 499, 500}) {
      const auto rows = std::span<const RowId>(all).subspan(begin, size);
      for (std::uint32_t feature = 0; feature < width; ++feature) {
        const auto found = range_of(data, feature, rows), expected = range_of(data.column(feature), rows);
        CHECK(found.lowest == expected.lowest && found.highest == expected.highest);
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
