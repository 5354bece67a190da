// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "hedgerow/mondrian/leave_one_out/forest_predictions.hpp"
#include "hedgerow/mondrian/query/vector_moments.hpp"
#include "mondrian_forest.hpp"
#include "smoothing_problem.hpp"

namespace hedgerow::bindings {
namespace {

using label::LabelVectors;

void bind_label_vectors(nb::module_& m) {
  nb::class_<LabelVectors>(m, "LabelVectors")
      .def(nb::init<std::size_t>())
      .def("__len__", &LabelVectors::size)
      .def_ro("length", &LabelVectors::length)
      .def(
          "append",
          [](LabelVectors& self, const Matrix<double>& vectors) {
            self.append(vectors.data(), vectors.shape(0), vectors.shape(1));
          },
          array("vectors"))
      .def("cut", &LabelVectors::cut, nb::arg("n"))
      .def("clear", &LabelVectors::clear, nb::arg("number"))
      .def(
          "to_array",
          [](const LabelVectors& self) { return to_numpy(std::vector(self.values), {self.size(), self.length}); },
          nb::rv_policy::automatic);
}

auto to_arrays(const mondrian::VectorForest& forest, std::size_t n, const mondrian::VectorMoments& found) {
  const std::size_t length = forest.model.length();
  return std::make_tuple(to_numpy(std::vector(found.mean), {n, length}), to_numpy(std::vector(found.within)),
                         to_numpy(std::vector(found.between), {n, length}), to_numpy(std::vector(found.added)));
}

auto to_arrays(const mondrian::VectorForest& forest, const mondrian::LeftOut& found) {
  const std::size_t n = forest.rows.size(), length = forest.model.length();
  return std::make_tuple(to_numpy(in_order_of_rows(forest, found.mean, length), {n, length}),
                         to_numpy(in_order_of_rows(forest, found.within)),
                         to_numpy(in_order_of_rows(forest, found.between, length), {n, length}));
}

}  // namespace

void bind_vector_forest(nb::module_& m) {
  using Self = mondrian::VectorForest;
  using Numbers = Vector<std::uint32_t>;
  bind_label_vectors(m);
  auto bound = bind_forest<label::VectorHierarchy, mondrian::VectorSpread>(m, "VectorForest");
  bind_smoothing_problem(m, bound, "VectorProblem");
  bound.def_prop_ro("weight", [](const Self& self) { return self.labels_seen; })
      .def_prop_ro("model",
                   [](const Self& self) {
                     const auto& numbers = self.model.precisions;
                     return std::make_tuple(numbers.drift_rate, numbers.signal_to_noise);
                   })
      .def(
          "set_vectors",
          [](Self& self, std::shared_ptr<LabelVectors> vectors) { set_vectors(self, std::move(vectors)); },
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
          "leave_one_out",
          [](const Self& self, std::size_t n_trees, const Numbers& groups, std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(groups));
            return to_arrays(self,
                             without_gil([&] { return leave_one_out(self, 0.0, by_number, n_trees, n_threads); }));
          },
          nb::arg("n_trees"), array("groups"), nb::arg("n_threads"))
      .def(
          "leave_blocks_out",
          [](const Self& self, std::size_t n_trees, const Numbers& blocks, std::uint32_t n_blocks,
             std::size_t n_threads) {
            const auto by_number = by_row_number(self, span_of(blocks));
            return to_arrays(self, without_gil([&] {
                               return leave_blocks_out(self, 0.0, by_number, n_blocks, n_trees, n_threads);
                             }));
          },
          nb::arg("n_trees"), array("blocks"), nb::arg("n_blocks"), nb::arg("n_threads"))
      .def(
          "relabel",
          [](Self& self, std::shared_ptr<LabelVectors> vectors, const Labels& labels) {
            relabel(self, std::move(vectors), span_of(labels));
          },
          nb::arg("vectors"), array("labels"))
      .def(
          "moments",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_arrays(self, points.n,
                             without_gil([&] { return predict_vector_moments(self, points, n_threads); }));
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "moments_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const data::Batch batch = labelled_batch(self, x, y, weights);
            return to_arrays(self, batch.n,
                             without_gil([&] { return predict_vector_moments_then_learn(self, batch, n_threads); }));
          },
          array("x"), array("y"), array("weights"), nb::arg("n_threads"))
      .def(
          "means",
          [](const Self& self, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(self.rows.width(), x);
            return to_numpy(without_gil([&] { return predict_vectors(self, points, n_threads); }),
                            {points.n, self.model.length()});
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, std::size_t n_threads) {
            const data::Batch batch = labelled_batch(self, x, y, weights);
            return to_numpy(without_gil([&] { return predict_then_learn(self, batch, n_threads); }),
                            {batch.n, self.model.length()});
          },
          array("x"), array("y"), array("weights"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
