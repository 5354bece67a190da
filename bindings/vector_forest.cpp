// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "hedgerow/mondrian/ask_vectors.hpp"
#include "hedgerow/mondrian/left_out.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {
namespace {

using label::LabelVectors;

void bind_label_vectors(nb::module_& m) {
  nb::class_<LabelVectors>(m, "LabelVectors")
      .def("__init__",
           [](LabelVectors* self, std::size_t length) {
             if (length == 0) throw std::invalid_argument("vectors need a component");
             new (self) LabelVectors(length);
           })
      .def("__len__", &LabelVectors::size)
      .def_ro("length", &LabelVectors::length)
      .def(
          "append",
          [](LabelVectors& self, const Matrix<double>& vectors) {
            if (vectors.shape(1) != self.length) throw std::invalid_argument("vectors differ in length");
            if (self.size() + vectors.shape(0) >= tree::none) throw std::invalid_argument("too many vectors");
            self.values.insert(self.values.end(), vectors.data(), vectors.data() + vectors.size());
          },
          nb::arg("vectors").noconvert())
      .def(
          "to_array",
          [](const LabelVectors& self) { return to_numpy(std::vector(self.values), {self.size(), self.length}); },
          nb::rv_policy::automatic);
}

}  // namespace

void bind_vector_forest(nb::module_& m) {
  using Self = VectorForest;
  using Problem = SmoothingProblem<label::VectorHierarchy>;
  bind_label_vectors(m);
  nb::class_<Problem>(m, "VectorProblem")
      .def("mean_square", &Problem::mean_square, nb::arg("drift_rate"), nb::arg("signal_to_noise"), nb::arg("centre"),
           nb::call_guard<nb::gil_scoped_release>());
  bind_forest<label::VectorHierarchy, VectorSpread>(m, "VectorForest")
      .def_prop_ro("weight", [](const Self& self) { return self.labels_seen; })
      .def_prop_ro("model",
                   [](const Self& self) {
                     const auto& numbers = self.model.precisions;
                     return std::make_tuple(numbers.drift_rate, numbers.signal_to_noise);
                   })
      .def(
          "set_vectors",
          [](Self& self, std::shared_ptr<LabelVectors> vectors) {
            if (self.rows.size() > 0) throw std::invalid_argument("the forest has rows already");
            self.model.vectors = std::move(vectors);
          },
          nb::arg("vectors"))
      .def(
          "set_model",
          [](Self& self, double drift_rate, double signal_to_noise, std::size_t n_threads) {
            auto model = self.model;
            model.precisions = label::ExponentialHierarchy::make(drift_rate, signal_to_noise, self.growth.lifetime);
            self.set_model(model, n_threads);
          },
          nb::arg("drift_rate"), nb::arg("signal_to_noise"), nb::arg("n_threads"),
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "smoothing_problem",
          [](const Self& self, std::size_t n_trees, const Vector<std::uint32_t>& groups) {
            return new Problem(self, n_trees, by_row_number(self, groups));
          },
          nb::arg("n_trees"), nb::arg("groups").noconvert(), nb::keep_alive<0, 1>())
      .def(
          "leave_one_out",
          [](const Self& self, std::size_t n_trees, const Vector<std::uint32_t>& groups, std::size_t n_threads) {
            const auto by_number = by_row_number(self, groups);
            LeftOut found;
            {
              nb::gil_scoped_release release;
              found = leave_one_out(self, 0.0, by_number, std::min(n_trees, self.trees.size()), n_threads);
            }
            const std::size_t n = self.rows.size(), length = self.model.length();
            return std::make_tuple(to_numpy(in_order_of_rows(self, found.mean, length), {n, length}),
                                   to_numpy(in_order_of_rows(self, found.between, length), {n, length}));
          },
          nb::arg("n_trees"), nb::arg("groups").noconvert(), nb::arg("n_threads"))
      .def(
          "means",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            require_width(self, x.shape(1));
            std::vector<double> found;
            {
              nb::gil_scoped_release release;
              found = predict_vectors(self, {x.data(), x.shape(0)}, n_threads);
            }
            return to_numpy(std::move(found), {x.shape(0), self.model.length()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            require_labels(self, batch);
            if (self.rows.size() == 0) throw std::invalid_argument("the forest is empty");
            std::vector<double> found;
            {
              nb::gil_scoped_release release;
              found = predict_then_learn(self, batch, n_threads);
            }
            return to_numpy(std::move(found), {x.shape(0), self.model.length()});
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
