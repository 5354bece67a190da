// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

namespace hedgerow::bindings {
void bind_bart(nanobind::module_& m);
void bind_bart_settings(nanobind::module_& m);
void bind_bayesian_trees(nanobind::module_& m);
void bind_class_probability(nanobind::module_& m);
void bind_classification_forest(nanobind::module_& m);
void bind_conformal(nanobind::module_& m);
void bind_distance_kernels(nanobind::module_& m);
void bind_greedy_forest(nanobind::module_& m);
void bind_exponential_forest(nanobind::module_& m);
void bind_guard(nanobind::module_& m);
void bind_hierarchy_forest(nanobind::module_& m);
void bind_interrupts(nanobind::module_& m);
void bind_kernel_features(nanobind::module_& m);
void bind_kernel_sweep(nanobind::module_& m);
void bind_moments_forest(nanobind::module_& m);
void bind_normal_mixture(nanobind::module_& m);
void bind_online_forests(nanobind::module_& m);
void bind_quantile_forest(nanobind::module_& m);
void bind_query_rule(nanobind::module_& m);
void bind_row_sets(nanobind::module_& m);
void bind_vector_forest(nanobind::module_& m);
}  // namespace hedgerow::bindings

NB_MODULE(_core, m) {
#ifdef NDEBUG
  // What is alive when Python ends is no leak: caches of other libraries may hold our objects until then.
  nanobind::set_leak_warnings(false);
#endif
  m.doc() = "The C++ core of hedgerow. Private: use the classes of hedgerow itself.";
  hedgerow::bindings::bind_bayesian_trees(m);
  hedgerow::bindings::bind_bart_settings(m);
  hedgerow::bindings::bind_bart(m);
  hedgerow::bindings::bind_class_probability(m);
  hedgerow::bindings::bind_classification_forest(m);
  hedgerow::bindings::bind_distance_kernels(m);
  hedgerow::bindings::bind_greedy_forest(m);
  hedgerow::bindings::bind_guard(m);
  hedgerow::bindings::bind_interrupts(m);
  hedgerow::bindings::bind_kernel_features(m);
  hedgerow::bindings::bind_kernel_sweep(m);
  hedgerow::bindings::bind_normal_mixture(m);
  hedgerow::bindings::bind_online_forests(m);
  hedgerow::bindings::bind_conformal(m);
  hedgerow::bindings::bind_quantile_forest(m);
  hedgerow::bindings::bind_query_rule(m);
  hedgerow::bindings::bind_hierarchy_forest(m);
  hedgerow::bindings::bind_exponential_forest(m);
  hedgerow::bindings::bind_moments_forest(m);
  hedgerow::bindings::bind_row_sets(m);
  hedgerow::bindings::bind_vector_forest(m);
}
