// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/running_moments.hpp"
#include "regression_forest.hpp"

namespace hedgerow::bindings {

void bind_moments_forest(nb::module_& m) { bind_regression<label::RunningMoments>(m, "MomentsForest"); }

}  // namespace hedgerow::bindings
