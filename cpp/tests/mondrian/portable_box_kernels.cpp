// SPDX-License-Identifier: BSD-3-Clause
// The box kernels once more, as a machine without AVX2 runs them, under another name.
#define HEDGEROW_NO_MULTIVERSION
#define mondrian mondrian_portable
#include "../../src/box_kernels.cpp"
