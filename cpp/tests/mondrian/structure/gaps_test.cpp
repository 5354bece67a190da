// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr double bin = 1.0 / Gaps::bins_in_range;

/// What a distance of so many ranges from the nearest bin with rows adds.
double cost(double distance, double slope) { return slope * std::pow(std::max(distance - bin, 0.0), 2); }

TEST(without_columns_nothing_is_added) {
  const double x[] = {1e9, -1e9};
  CHECK(Gaps().added(x) == 0.0);
}

TEST(distances_are_from_the_nearest_row_along_a_column) {
  Rows rows(2);
  const Scaling scaling = unit_scaling(2);
  for (const double value : {0.0, 0.1, 0.6, 1.0}) {
    const double x[] = {value, 0.0};
    rows.add(scaling, x, 0.0, 1.0);
  }
  const Gaps gaps({{0, 0.0, 1.0, 8.0}}, rows);
  const auto added = [&](double value) {
    const double x[] = {value, 1e6};  // the other column is not watched
    return gaps.added(x);
  };
  CHECK(added(0.0) == 0.0 && added(0.1) == 0.0 && added(0.11) == 0.0);
  CHECK_NEAR(added(0.3), cost(0.2 - bin, 8.0), 1e-12);  // the bin of 0.1 reaches up to 0.125
  CHECK_NEAR(added(0.5), cost(0.1, 8.0), 1e-6);
  CHECK_NEAR(added(1.5), cost(0.5 - bin, 8.0), 1e-12);
  CHECK_NEAR(added(-0.5), cost(0.5, 8.0), 1e-12);
  CHECK(std::isfinite(added(1e300)) && added(1e300) > added(10.0));
}

TEST(costs_of_columns_add_up) {
  Rows rows(2);
  const Scaling scaling = unit_scaling(2);
  const double origin[] = {0.0, 0.0}, x[] = {-1.0, -2.0};
  rows.add(scaling, origin, 0.0, 1.0);
  CHECK_NEAR(Gaps({{0, 0.0, 1.0, 3.0}, {1, 0.0, 4.0, 5.0}}, rows).added(x), cost(1.0, 3.0) + cost(0.5, 5.0), 1e-12);
}

TEST(categories_that_no_row_has_cost_the_same) {
  Rows rows(2);
  const Scaling scaling = unit_scaling(2);
  for (const double place : {0.0, 0.25, 0.7}) {
    const double x[] = {1.0, place};
    rows.add(scaling, x, 0.0, 1.0);
  }
  Gaps gaps({{1, 0.0, 0.0, 3.0}}, rows);
  const auto added = [&](double place) {
    const double x[] = {-5.0, place};
    return gaps.added(x);
  };
  CHECK(added(0.0) == 0.0 && added(-0.0) == 0.0 && added(0.25) == 0.0 && added(0.7) == 0.0);
  CHECK(added(0.25 + 0x1p-53) == 3.0 && added(0.9) == 3.0 && added(-1.0) == 3.0);
  const double x[] = {0.0, 0.9};
  gaps.arrive(x);
  gaps.arrive(x);
  gaps.leave(x);
  CHECK(added(0.9) == 0.0);
  gaps.leave(x);
  CHECK(added(0.9) == 3.0);
}

TEST(of_categories_that_are_new_together_the_dearest_counts) {
  Rows rows(3);
  const Scaling scaling = unit_scaling(3);
  const double origin[] = {0.0, 0.0, 0.0}, x[] = {-1.0, 0.5, 0.5}, other[] = {0.0, 0.0, 0.5};
  rows.add(scaling, origin, 0.0, 1.0);
  const Gaps gaps({{0, 0.0, 1.0, 3.0}, {1, 0.0, 0.0, 5.0}, {2, 0.0, 0.0, 2.0}}, rows);
  CHECK_NEAR(gaps.added(x), cost(1.0, 3.0) + 5.0, 1e-12);
  CHECK(gaps.added(other) == 2.0);
}

TEST(rows_that_come_and_go_leave_no_trace) {
  Rows rows(1);
  const Scaling scaling = unit_scaling(1);
  for (const double value : {0.0, 0.3, 0.9}) rows.add(scaling, &value, 0.0, 1.0);
  Gaps gaps({{0, 0.0, 1.0, 1.0}}, rows);
  std::vector<double> before;
  for (double x = -2.0; x < 3.0; x += 0.01) before.push_back(gaps.added(&x));
  for (const double x : {0.6, 1.7, 1.7, -40.0}) gaps.arrive(&x);
  const double there = 1.71;
  CHECK(gaps.added(&there) == 0.0);
  for (const double x : {1.7, -40.0, 0.6, 1.7}) gaps.leave(&x);
  std::size_t k = 0;
  for (double x = -2.0; x < 3.0; x += 0.01) CHECK(gaps.added(&x) == before[k++]);
}

}  // namespace
}  // namespace hedgerow::mondrian
