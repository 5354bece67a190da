// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEROW_COMPILES_A_FOREST
#include "mondrian/sample_forest.hpp"

HEDGEROW_FOREST(, hedgerow::label::RunningMoments)
