// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/ask_classes.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {
namespace {

label::ClassQuery query_at(const ClassForest& forest, const ClassQueryRule& rule) {
  if (rule.n_classes < forest.labels_seen.size()) throw std::invalid_argument("the forest knows more classes");
  return rule.at(forest);
}

}  // namespace

void bind_classification_forest(nb::module_& m) {
  using Self = ClassForest;
  nb::class_<ClassQueryRule>(m, "ClassQueryRule")
      .def(
          "__init__",
          [](ClassQueryRule* self, bool is_empirical, double prior_weight, double discount_rate,
             std::size_t n_classes) {
            new (self) ClassQueryRule{is_empirical, prior_weight, discount_rate, n_classes};
          },
          nb::kw_only(), nb::arg("is_empirical"), nb::arg("prior_weight"), nb::arg("discount_rate"),
          nb::arg("n_classes"));
  bind_forest<label::StableHierarchy, ClassSpread>(m, "ClassForest")
      .def_prop_ro("n_classes", [](const Self& self) { return self.model.n_classes; })
      .def_prop_ro(
          "class_weights",
          [](const Self& self) {
            auto seen = self.labels_seen;
            seen.resize(self.model.n_classes, 0.0);
            return to_numpy(std::move(seen));
          },
          nb::rv_policy::automatic)
      .def(
          "set_model",
          [](Self& self, std::size_t n_classes, bool pause_pure) {
            if (n_classes < self.labels_seen.size()) throw std::invalid_argument("classes cannot be taken back");
            if (self.rows.size() > 0 && pause_pure != self.model.pause_pure) {
              throw std::invalid_argument("pausing cannot change once there are trees");
            }
            self.model = {n_classes, pause_pure};
          },
          nb::arg("n_classes"), nb::arg("pause_pure"))
      .def(
          "know_classes",
          [](Self& self, std::size_t n_classes) { self.model.n_classes = std::max(self.model.n_classes, n_classes); },
          nb::arg("n_classes"))
      .def(
          "probabilities",
          [](const Self& self, const Features& x, const ClassQueryRule& rule, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const label::ClassQuery query = query_at(self, rule);
            std::vector<double> found(x.shape(0) * rule.n_classes);
            {
              nb::gil_scoped_release release;
              predict_classes(self, {x.data(), x.shape(0)}, query, n_threads, found.data());
            }
            return to_numpy(std::move(found), {x.shape(0), rule.n_classes});
          },
          nb::arg("x").noconvert(), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "probabilities_one",
          [](const Self& self, const Labels& x, const ClassQueryRule& rule) {
            require_row(self, x);
            std::vector<double> found(rule.n_classes);
            predict_classes(self, {x.data(), 1}, query_at(self, rule), 1, found.data());
            return found;
          },
          nb::arg("x").noconvert(), nb::arg("rule"))
      .def(
          "uncertainty",
          [](const Self& self, const Features& x, const ClassQueryRule& rule, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const label::ClassQuery query = query_at(self, rule);
            Uncertainty found;
            {
              nb::gil_scoped_release release;
              found = predict_uncertainty(self, {x.data(), x.shape(0)}, query, n_threads);
            }
            return std::make_tuple(to_numpy(std::move(found.total)), to_numpy(std::move(found.noise)),
                                   to_numpy(std::move(found.disagreement)), to_numpy(std::move(found.distance)));
          },
          nb::arg("x").noconvert(), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const ClassQueryRule& rule,
             std::size_t n_known, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            require_labels(self, batch);
            query_at(self, rule);
            for (std::size_t i = 0; i < batch.n; ++i) {
              if (!(batch.labels[i] < static_cast<double>(rule.n_classes)))
                throw std::invalid_argument("a class is new");
            }
            std::vector<double> found;
            {
              nb::gil_scoped_release release;
              found = predict_then_learn(self, batch, rule, n_known, n_threads);
            }
            return to_numpy(std::move(found), {x.shape(0), rule.n_classes});
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("rule"),
          nb::arg("n_known"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
