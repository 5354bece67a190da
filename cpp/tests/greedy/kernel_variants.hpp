// SPDX-License-Identifier: BSD-3-Clause
// The chunk kernels once more, as a machine without vectors runs them. They must return the same bits.
#pragma once

#include "hedgerow/greedy/chunk_kernels.hpp"

namespace hedgerow::tests {

struct ChunkKernels {
  decltype(&greedy::find_range) find_range;
  decltype(&greedy::add_up_to) add_up_to;
  decltype(&greedy::count_up_to) count_up_to;
};

ChunkKernels chunk_kernels_without_vectors();

}  // namespace hedgerow::tests
