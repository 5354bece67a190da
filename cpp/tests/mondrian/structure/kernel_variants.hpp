// SPDX-License-Identifier: BSD-3-Clause
// The box kernels once more, compiled in other ways than for this machine. All of them must return the same bits.
#pragma once

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/structure/box_kernels.hpp"

namespace hedgerow::tests {

struct KernelVariant {
  decltype(&mondrian::outside_distance) outside_distance;
  decltype(&mondrian::outside_rows) outside_rows;
  decltype(&mondrian::stretch_box) stretch_box;
  decltype(&mondrian::bound_rows) bound_rows;
  decltype(&mondrian::join_boxes) join_boxes;
  decltype(&mondrian::total_side) total_side;
  decltype(&mondrian::pass_box) pass_box;
  decltype(&mondrian::pass_subtree) pass_subtree;
  decltype(&mondrian::expect_branches) expect_branches;
  decltype(&mondrian::integrate_branches) integrate_branches;
  decltype(&mondrian::survive_branches) survive_branches;
};

KernelVariant kernels_without_avx2();     ///< as a machine without AVX2 runs them
KernelVariant kernels_without_vectors();  ///< as a compiler without vector extensions makes them

}  // namespace hedgerow::tests
