// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/query/query_rule.hpp"

#include "arrays.hpp"

namespace hedgerow::bindings {

void bind_query_rule(nb::module_& m) {
  using mondrian::QueryRule;
  nb::class_<QueryRule>(m, "QueryRule")
      .def(
          "__init__",
          [](QueryRule* self, double centre, double variance, double share, double origin, double noise_share,
             double spread, bool keeps_mean, double near, double far, double most) {
            new (self) QueryRule{centre, variance, share, origin, noise_share, spread, keeps_mean, near, far, most};
          },
          nb::kw_only(), nb::arg("centre"), nb::arg("variance"), nb::arg("share"), nb::arg("origin"),
          nb::arg("noise_share") = 0.0, nb::arg("spread") = 1.0, nb::arg("keeps_mean") = false, nb::arg("near") = 1.0,
          nb::arg("far") = 0.0, nb::arg("most") = std::numeric_limits<double>::infinity());
}

}  // namespace hedgerow::bindings
