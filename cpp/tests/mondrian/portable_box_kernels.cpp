// SPDX-License-Identifier: BSD-3-Clause
// The box kernels once more, as a machine without AVX2 runs them, under another name.
#define HEDGEROW_NO_MULTIVERSION
#include "hedgerow/mondrian/departures.hpp"
namespace hedgerow::mondrian_portable {
using namespace mondrian;
}
#define mondrian mondrian_portable
#include "../../src/box_kernels.cpp"
#include "../../src/departures.cpp"
