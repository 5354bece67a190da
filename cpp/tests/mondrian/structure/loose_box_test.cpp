// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/loose_box.hpp"

#include "check.hpp"

namespace hedgerow::mondrian {
namespace {

/// Sides of length 1, 0 and 3.
LooseBox started() {
  const float lower[] = {0.0F, 5.0F, -1.0F}, upper[] = {1.0F, 5.0F, 2.0F};
  LooseBox box;
  box.start(lower, upper, 3);
  return box;
}

TEST(the_rate_of_a_loose_box_is_its_total_side) { CHECK(started().rate() == 4.0); }

TEST(side_at_finds_the_column_of_a_point_on_the_sides_laid_end_to_end) {
  const LooseBox box = started();
  CHECK(box.side_at(0.0) == 0);
  CHECK(box.side_at(0.999) == 0);
  CHECK(box.side_at(1.0) == 2);
  CHECK(box.side_at(3.999) == 2);
}

TEST(side_at_past_the_end_is_the_last_side_that_has_a_length) {
  LooseBox box = started();
  CHECK(box.side_at(4.5) == 2);
  box.set_upper(2, -1.0F);
  CHECK(box.side_at(4.5) == 0);
}

TEST(rewind_takes_back_all_changes_since_the_mark) {
  LooseBox box = started();
  box.set_lower(0, 0.25F);
  const std::size_t mark = box.mark();
  box.set_lower(0, 0.5F);
  box.set_lower(0, 0.75F);
  box.set_upper(2, 0.0F);
  box.rewind(mark);
  CHECK(box.lower(0) == 0.25F && box.upper(0) == 1.0F && box.upper(2) == 2.0F);
  box.rewind(0);
  CHECK(box.lower(0) == 0.0F && box.rate() == 4.0);
}

}  // namespace
}  // namespace hedgerow::mondrian
