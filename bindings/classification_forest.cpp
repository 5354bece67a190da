// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/leave_one_out/class_blocks.hpp"
#include "hedgerow/mondrian/leave_one_out/class_rows.hpp"
#include "hedgerow/mondrian/query/ask_classes.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {

void bind_classification_forest(nb::module_& m) {
  using Self = mondrian::ClassForest;
  using Rule = mondrian::ClassQueryRule;
  using Problem = mondrian::CalibrationProblem;
  using Numbers = Vector<std::uint32_t>;
  nb::class_<Rule>(m, "ClassQueryRule")
      .def(
          "__init__",
          [](Rule* self, bool is_empirical, double prior_weight, double discount_rate, std::size_t n_classes,
             double power, double leaf_discount) {
            new (self) Rule{is_empirical, prior_weight, discount_rate, n_classes, power, leaf_discount};
          },
          nb::kw_only(), nb::arg("is_empirical"), nb::arg("prior_weight"), nb::arg("discount_rate"),
          nb::arg("n_classes"), nb::arg("power"), nb::arg("leaf_discount"));
  nb::class_<Problem>(m, "CalibrationProblem")
      .def("log_loss", &Problem::log_loss, nb::arg("power"), nb::arg("leaf_discount"),
           nb::call_guard<nb::gil_scoped_release>());
  bind_forest<label::StableHierarchy, mondrian::ClassSpread>(m, "ClassForest")
      .def_prop_ro("n_classes", [](const Self& self) { return self.model.n_classes; })
      .def_prop_ro(
          "class_weights", [](const Self& self) { return to_numpy(class_weights(self)); }, nb::rv_policy::automatic)
      .def("set_model", &mondrian::set_classes, nb::arg("n_classes"), nb::arg("pause_pure"))
      .def(
          "know_classes",
          [](Self& self, std::size_t n_classes) { self.model.n_classes = std::max(self.model.n_classes, n_classes); },
          nb::arg("n_classes"))
      .def(
          "probabilities",
          [](const Self& self, const Features& x, const Rule& rule, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_numpy(without_gil([&] { return predict_classes(self, points, rule.at(self), n_threads); }),
                            {points.n, rule.n_classes});
          },
          array("x"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "probabilities_one",
          [](const Self& self, const Labels& x, const Rule& rule) {
            return predict_classes(self, row_of(self.rows.width(), x), rule.at(self), 1);
          },
          array("x"), nb::arg("rule"))
      .def(
          "uncertainty",
          [](const Self& self, const Features& x, const Rule& rule, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            auto found = without_gil([&] { return predict_uncertainty(self, points, rule.at(self), n_threads); });
            return to_arrays(std::move(found.total), std::move(found.noise), std::move(found.disagreement),
                             std::move(found.distance));
          },
          array("x"), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const Rule& rule,
             std::size_t n_known, std::size_t n_threads) {
            const data::Batch batch = labelled_batch(self, x, y, weights);
            return to_numpy(without_gil([&] { return predict_then_learn(self, batch, rule, n_known, n_threads); }),
                            {batch.n, rule.n_classes});
          },
          array("x"), array("y"), array("weights"), nb::arg("rule"), nb::arg("n_known"), nb::arg("n_threads"))
      .def(
          "leave_rows_out",
          [](const Self& self, const Rule& rule, const Numbers& groups, std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(groups));
            const auto found = without_gil([&] { return leave_rows_out(self, rule, by_number, n_threads); });
            return to_numpy(in_order_of_rows(self, found, rule.n_classes), {self.rows.size(), rule.n_classes});
          },
          nb::arg("rule"), array("groups"), nb::arg("n_threads"),
          "Probabilities of each row as the forest without it, and without its copies, would give them.")
      .def(
          "leave_blocks_out",
          [](Self& self, const Rule& rule, const Numbers& blocks, std::uint32_t n_blocks, std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(blocks));
            const auto found =
                without_gil([&] { return leave_blocks_out(self, rule, by_number, n_blocks, n_threads); });
            return to_numpy(in_order_of_rows(self, found, rule.n_classes), {self.rows.size(), rule.n_classes});
          },
          nb::arg("rule"), array("blocks"), nb::arg("n_blocks"), nb::arg("n_threads"),
          "Probabilities of each row as the forest without its block would give them.")
      .def(
          "calibration_problem",
          [](Self& self, const Rule& rule, const Numbers& blocks, std::uint32_t n_blocks, std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(blocks));
            return without_gil([&] { return new Problem(self, rule, by_number, n_blocks, n_threads); });
          },
          nb::arg("rule"), array("blocks"), nb::arg("n_blocks"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
