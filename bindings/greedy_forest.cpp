// SPDX-License-Identifier: BSD-3-Clause
#include "archive.hpp"
#include "hedgerow/greedy/archive.hpp"
#include "hedgerow/greedy/training.hpp"

namespace hedgerow::bindings {
namespace {

using greedy::Forest, greedy::ForestMoments, greedy::Training;

auto to_matrices(ForestMoments&& found, std::size_t n_outputs) {
  const std::size_t n = found.means.size() / n_outputs;
  return std::make_tuple(to_numpy(std::move(found.means), {n, n_outputs}),
                         to_numpy(std::move(found.variances), {n, n_outputs}));
}

greedy::TrainingRows rows_of(const Matrix<double>& x, const Matrix<double>& y, const Vector<double>& weights,
                             const Vector<std::uint32_t>& folds, std::size_t n_folds) {
  const std::size_t n = x.shape(0);
  if (n == 0 || x.shape(1) == 0 || y.shape(0) != n || y.shape(1) == 0 || weights.shape(0) != n || folds.shape(0) != n) {
    throw std::invalid_argument("features, labels, weights and folds differ in length, or are none");
  }
  return {{x.data(), n, x.shape(1)},
          {y.data(), y.data() + y.size()},
          vector_of(weights),
          vector_of(folds),
          y.shape(1),
          n_folds};
}

}  // namespace

void bind_greedy_forest(nb::module_& m) {
  auto forest = nb::class_<Forest>(m, "GreedyForest");
  forest.def(nb::init<>())
      .def_prop_ro("width", &Forest::width)
      .def_ro("n_outputs", &Forest::n_outputs)
      .def_prop_ro("n_trees", [](const Forest& self) { return self.trees.size(); })
      .def(
          "gains", [](const Forest& self) { return to_numpy(std::vector<double>(self.gains)); },
          "Of each column: what its cuts took off the squares.")
      .def(
          "moments",
          [](const Forest& self, const Matrix<double>& x, std::size_t n_threads) {
            if (x.shape(1) != self.width()) throw std::invalid_argument("wrong number of columns");
            auto found =
                without_gil([&] { return greedy::predict(self, {x.data(), x.shape(0), x.shape(1)}, n_threads); });
            return to_matrices(std::move(found), self.n_outputs);
          },
          array("x"), nb::arg("n_threads"), "Means over trees, and the variance between them: rows by outputs.");
  bind_archive(forest, "greedy forest");
  nb::class_<Training>(m, "GreedyTraining")
      .def(
          "__init__",
          [](Training* self, const Matrix<double>& x, const Matrix<double>& y, const Vector<double>& weights,
             const Vector<std::uint32_t>& folds, std::size_t n_folds, std::size_t min_leaf, std::uint64_t seed,
             std::size_t n_threads) {
            auto rows = rows_of(x, y, weights, folds, n_folds);
            without_gil([&] { new (self) Training(std::move(rows), min_leaf, seed, n_threads); });
          },
          array("x"), array("y"), array("weights"), array("folds"), nb::kw_only(), nb::arg("n_folds"),
          nb::arg("min_leaf"), nb::arg("seed"), nb::arg("n_threads"))
      .def("grow_round", &Training::grow_round, nb::arg("n_threads"), nb::call_guard<nb::gil_scoped_release>(),
           "One more tree without each fold.")
      .def("best_shrinkage", &Training::best_shrinkage, "Its number.")
      .def(
          "left_out",
          [](const Training& self, std::size_t shrinkage) {
            return to_matrices(self.left_out(shrinkage), self.n_outputs());
          },
          nb::arg("shrinkage"), "Of each row: means over the trees without its fold, and the variance between them.")
      .def("finish", &Training::finish, nb::arg("shrinkage"), nb::arg("n_threads"),
           nb::call_guard<nb::gil_scoped_release>(), "The forest; nothing can be grown after that.");
}

}  // namespace hedgerow::bindings
