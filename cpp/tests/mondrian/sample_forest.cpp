// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEROW_SAMPLE_FOREST
#include "mondrian/sample_forest.hpp"
