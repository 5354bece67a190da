// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy_forest.hpp"

namespace hedgerow::bindings {

void bind_exponential_forest(nb::module_& m) {
  bind_hierarchy<label::ExponentialClock>(m, "ExponentialForest", "ExponentialProblem");
}

}  // namespace hedgerow::bindings
