// SPDX-License-Identifier: BSD-3-Clause
// The source of the chunk kernels under another name; see `kernel_variants.hpp`.
#define HEDGEROW_PORTABLE
#include "greedy/kernel_variants.hpp"
namespace hedgerow::greedy_without_vectors {
using namespace greedy;
}
#define greedy greedy_without_vectors
#include "../../src/chunk_kernels.cpp"

hedgerow::tests::ChunkKernels hedgerow::tests::chunk_kernels_without_vectors() {
  return {greedy::find_range, greedy::add_up_to, greedy::count_up_to};
}
