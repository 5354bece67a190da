// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

namespace hedgerow::bindings {
void bind_mondrian_forests(nanobind::module_& m);
void bind_normal_mixture(nanobind::module_& m);
}  // namespace hedgerow::bindings

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of hedgerow. Private: use the classes of hedgerow itself.";
  hedgerow::bindings::bind_mondrian_forests(m);
  hedgerow::bindings::bind_normal_mixture(m);
}
