// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/places.hpp"

#include <map>
#include <vector>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

TEST(one_row_of_each_place_stands_for_it_whoever_comes_and_goes) {
  Rows rows(2);
  const Scaling scaling = unit_scaling(2);
  Places places;
  std::vector<RowId> held;
  std::uint32_t state = 7;
  const auto draw = [&](std::uint32_t n) { return (state = state * 1664525U + 1013904223U) / 65536 % n; };
  for (int step = 0; step < 3000; ++step) {
    const bool leaves = !held.empty() && draw(100) < (step % 600 < 300 ? 30U : 70U);
    if (leaves) {
      const std::size_t at = draw(static_cast<std::uint32_t>(held.size()));
      places.leave(rows, held[at]);
      rows.free(held[at]);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const double x[] = {draw(2) == 0 ? 0.0 : -0.0, static_cast<double>(draw(3))};  // 0.0 equals -0.0
      held.push_back(rows.add(scaling, x, draw(2), 1.0));
      places.arrive(rows, held.back());
    }
    std::map<std::pair<float, double>, int> standing;
    for (const RowId row : held) standing[{rows.row(row)[1], rows.labels[row]}] += rows.is_repeated(row) ? 0 : 1;
    CHECK(places.size() == standing.size());
    for (const auto& [place, n] : standing) CHECK(n == 1);
  }
}

TEST(rows_that_are_all_different_cost_no_lists) {
  Rows rows(1);
  Places places;
  for (int i = 0; i < 100; ++i) {
    const double x = i;
    places.arrive(rows, rows.add(unit_scaling(1), &x, 0.0, 1.0));
  }
  CHECK(places.size() == 100 && rows.repeated.empty() && !places.is_followed(0));
  const double x = 0.0;
  places.arrive(rows, rows.add(unit_scaling(1), &x, 0.0, 1.0));
  CHECK(places.size() == 100 && rows.is_repeated(100) && places.is_followed(0) && !places.is_followed(100));
  places.leave(rows, 0);
  CHECK(places.size() == 100 && !rows.is_repeated(100) && rows.is_repeated(0));  // until it is out of the trees
}

}  // namespace
}  // namespace hedgerow::mondrian
