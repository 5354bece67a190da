// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/numeric/exponential_kernels.hpp"

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exponential.hpp"

namespace hedgerow::numeric {

HEDGEROW_WIDEST
void exp_nonpositive_all(double* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = exp_nonpositive(values[i]);
}

}  // namespace hedgerow::numeric
