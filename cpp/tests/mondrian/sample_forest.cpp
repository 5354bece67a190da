// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEROW_SAMPLE_FOREST
#include "sample_forest.hpp"
