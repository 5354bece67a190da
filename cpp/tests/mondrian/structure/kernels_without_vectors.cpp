// SPDX-License-Identifier: BSD-3-Clause
// The sources of the box kernels under another name; see `kernel_variants.hpp`.
#define HEDGEROW_NO_MULTIVERSION
#define HEDGEROW_PORTABLE
#include "mondrian/structure/kernel_variants.hpp"
namespace hedgerow::mondrian_without_vectors {
using namespace mondrian;
}
#define mondrian mondrian_without_vectors
#include "../../../src/box_kernels.cpp"
#include "../../../src/departures.cpp"

hedgerow::tests::KernelVariant hedgerow::tests::kernels_without_vectors() {
  return {mondrian::outside_distance, mondrian::outside_rows,       mondrian::stretch_box,     mondrian::bound_rows,
          mondrian::join_boxes,       mondrian::total_side,         mondrian::pass_box,        mondrian::pass_subtree,
          mondrian::expect_branches,  mondrian::integrate_branches, mondrian::survive_branches};
}
