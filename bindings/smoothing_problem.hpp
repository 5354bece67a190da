// SPDX-License-Identifier: BSD-3-Clause
// How well a hierarchy would predict rows left out, as a function of its smoothing: what Python minimises.
#pragma once

#include "hedgerow/mondrian/leave_one_out/forest_predictions.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {

template <class M>
void bind_smoothing_problem(nb::module_& m, nb::class_<mondrian::Forest<M>>& bound, const char* name) {
  using Problem = mondrian::SmoothingProblem<M>;
  nb::class_<Problem>(m, name).def("mean_square", &Problem::mean_square, nb::arg("drift_rate"),
                                   nb::arg("signal_to_noise"), nb::arg("centre"),
                                   nb::call_guard<nb::gil_scoped_release>());
  bound.def(
      "smoothing_problem",
      [](const mondrian::Forest<M>& self, std::size_t n_trees, const Vector<std::uint32_t>& groups) {
        return new Problem(self, n_trees, by_row_number(self, span_of(groups)));
      },
      nb::arg("n_trees"), array("groups"), nb::keep_alive<0, 1>());
}

}  // namespace hedgerow::bindings
