// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy_forest.hpp"

namespace hedgerow::bindings {

void bind_hierarchy_forest(nb::module_& m) {
  bind_hierarchy<label::LogisticClock>(m, "HierarchyForest", "HierarchyProblem");
}

}  // namespace hedgerow::bindings
