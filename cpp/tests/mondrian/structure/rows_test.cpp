// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/rows.hpp"

#include "check.hpp"
#include "hedgerow/mondrian/structure/boxes.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

RowId add(Rows& rows, double x, double weight) { return rows.add(tests::unit_scaling(1), &x, 10.0 * x, weight); }

std::vector<RowId> held(const Rows& rows) {
  std::vector<RowId> found;
  rows.for_each([&](RowId row) { found.push_back(row); });
  return found;
}

TEST(rows_are_numbered_in_order) {
  Rows rows(1);
  for (RowId i = 0; i < 4; ++i) CHECK(add(rows, i, 1.0) == i);
  CHECK(rows.size() == 4 && rows.row(3)[0] == 3.0F && rows.labels[3] == 30.0);
}

TEST(a_freed_number_is_reused_last_first) {
  Rows rows(1);
  for (RowId i = 0; i < 4; ++i) add(rows, i, 1.0);
  rows.free(1);
  rows.free(2);
  CHECK(rows.size() == 2 && (held(rows) == std::vector<RowId>{0, 3}));
  CHECK(add(rows, 7.0, 1.0) == 2);
  CHECK(add(rows, 8.0, 1.0) == 1);
  CHECK(add(rows, 9.0, 1.0) == 4);
  CHECK(rows.row(2)[0] == 7.0F && rows.labels[1] == 80.0 && rows.size() == 5);
}

TEST(weights_are_kept_from_the_first_that_is_not_one) {
  Rows rows(1);
  add(rows, 0.0, 1.0);
  CHECK(rows.weights.empty() && rows.weight(0) == 1.0);
  add(rows, 1.0, 2.5);
  CHECK((rows.weights == std::vector<double>{1.0, 2.5}));
  add(rows, 2.0, 1.0);
  CHECK(rows.weight(2) == 1.0);
  rows.free(1);
  add(rows, 3.0, 1.0);
  CHECK(rows.weight(1) == 1.0);
}

TEST(released_box_slots_are_reused) {
  Boxes boxes(3);
  CHECK(boxes.new_slot() == 0 && boxes.new_slot() == 1);
  boxes.release(0);
  boxes.release(tree::none);
  CHECK(boxes.new_slot() == 0 && boxes.new_slot() == 2);
  CHECK(boxes.n_slots() == 3);
}

}  // namespace
}  // namespace hedgerow::mondrian
