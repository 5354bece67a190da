// SPDX-License-Identifier: BSD-3-Clause
// What only a forest with a Gaussian hierarchy, which is a full model of the labels, can be asked.
#pragma once

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/mondrian/learn/evidence.hpp"
#include "hedgerow/mondrian/leave_one_out/forest_predictions.hpp"
#include "regression_forest.hpp"
#include "smoothing_problem.hpp"

namespace hedgerow::bindings {

template <class M>
auto to_arrays(const mondrian::Forest<M>& forest, const mondrian::LeftOut& found) {
  return to_arrays(in_order_of_rows(forest, found.mean), in_order_of_rows(forest, found.within),
                   in_order_of_rows(forest, found.between));
}

template <class Clock>
void bind_hierarchy(nb::module_& m, const char* name, const char* problem_name) {
  using Model = label::GaussianHierarchyBy<Clock>;
  using Self = mondrian::Forest<Model>;
  using mondrian::QueryRule;
  using Numbers = Vector<std::uint32_t>;
  auto bound = bind_regression<Model>(m, name);
  bind_smoothing_problem(m, bound, problem_name);
  bound
      .def_prop_ro("model",
                   [](const Self& self) { return std::make_tuple(self.model.drift_rate, self.model.signal_to_noise); })
      .def(
          "set_model",
          [](Self& self, double drift_rate, double signal_to_noise, std::size_t n_threads) {
            self.set_model(Model::make(drift_rate, signal_to_noise, self.growth.lifetime), n_threads);
          },
          nb::arg("drift_rate"), nb::arg("signal_to_noise"), nb::arg("n_threads"),
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "log_evidence",
          [](const Self& self, const QueryRule& rule) {
            return to_numpy(log_evidence(self, rule.at(self.labels_seen)));
          },
          nb::arg("rule"))
      .def(
          "leave_one_out_by_tree",
          [](const Self& self, const QueryRule& rule, const Numbers& places, const Numbers& groups,
             std::size_t n_threads) {
            const auto wanted = rows_at(self, span_of(places));
            const auto by_number = by_row_number(self, span_of(groups));
            auto found = without_gil([&] {
              return leave_one_out_by_tree(self, rule.at(self.labels_seen).centre, by_number, wanted, n_threads);
            });
            return std::make_tuple(to_numpy(std::move(found.means), {wanted.size(), self.trees.size()}),
                                   to_numpy(std::move(found.variances), {wanted.size(), self.trees.size()}));
          },
          nb::arg("rule"), array("places"), array("groups"), nb::arg("n_threads"))
      .def(
          "leave_one_out",
          [](const Self& self, const QueryRule& rule, std::size_t n_trees, const Numbers& groups,
             std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(groups));
            return to_arrays(self, without_gil([&] {
                               return leave_one_out(self, rule.at(self.labels_seen).centre, by_number, n_trees,
                                                    n_threads);
                             }));
          },
          nb::arg("rule"), nb::arg("n_trees"), array("groups"), nb::arg("n_threads"))
      .def(
          "leave_blocks_out",
          [](const Self& self, const QueryRule& rule, std::size_t n_trees, const Numbers& blocks,
             std::uint32_t n_blocks, std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(blocks));
            return to_arrays(self, without_gil([&] {
                               return leave_blocks_out(self, rule.at(self.labels_seen).centre, by_number, n_blocks,
                                                       n_trees, n_threads);
                             }));
          },
          nb::arg("rule"), nb::arg("n_trees"), array("blocks"), nb::arg("n_blocks"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
