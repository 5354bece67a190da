// SPDX-License-Identifier: BSD-3-Clause
// exp_nonpositive over arrays, with vectors as wide as the machine has; the same bits as one by one.
#pragma once

#include <cstddef>

namespace hedgerow::numeric {

/// values[i] = exp_nonpositive(values[i]); no value is positive.
void exp_nonpositive_all(double* values, std::size_t n);

}  // namespace hedgerow::numeric
