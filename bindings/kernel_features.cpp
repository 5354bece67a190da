// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "archive.hpp"
#include "hedgerow/kernel/archive.hpp"
#include "hedgerow/kernel/cell_products.hpp"

namespace hedgerow::bindings {
namespace {

using kernel::CellFeatures;

kernel::Points points_of(const Matrix<double>& x, std::size_t width) {
  if (x.shape(1) != width) throw std::invalid_argument("wrong number of columns");
  return {x.data(), x.shape(0), x.shape(1)};
}

template <class Name>
auto shares(const Matrix<Name>& left, const Matrix<Name>& right, std::size_t n_threads) {
  if (left.shape(0) != right.shape(0)) throw std::invalid_argument("the two sides have different trees");
  const std::size_t n_left = left.shape(1), n_right = right.shape(1);
  std::vector<double> found(n_left * n_right);
  without_gil([&] {
    kernel::shared_cells(left.data(), n_left, right.data(), n_right, left.shape(0), n_threads, found.data());
  });
  return to_numpy(std::move(found), {n_left, n_right});
}

using Columns = Matrix<std::uint32_t>;

kernel::Cells cells_of(const Columns& rows) { return {rows.data(), rows.shape(1)}; }

std::size_t lanes_of(const Matrix<double>& vectors, std::size_t n) {
  const std::size_t n_lanes = vectors.shape(1);
  if (vectors.shape(0) != n || (n_lanes != 1 && n_lanes != kernel::many_lanes)) {
    throw std::invalid_argument("there must be 1 or 8 vectors, as long as rows");
  }
  return n_lanes;
}

auto product(const Columns& rows, const Matrix<double>& vectors, const Columns& targets, std::size_t n_columns,
             std::size_t n_threads) {
  const std::size_t n_targets = targets.shape(1), n_lanes = lanes_of(vectors, rows.shape(1));
  if (targets.shape(0) != rows.shape(0)) throw std::invalid_argument("the two sides have different trees");
  std::vector<double> result(n_targets * n_lanes);
  without_gil([&] {
    kernel::kernel_product(cells_of(rows), cells_of(targets), rows.shape(0), n_columns, vectors.data(), n_lanes,
                           n_threads, result.data());
  });
  return to_numpy(std::move(result), {n_targets, n_lanes});
}

void bind_shared_cells(nb::module_& m) {
  using Self = kernel::SharedCells;
  nb::class_<Self>(m, "SharedCells")
      .def(
          "__init__",
          [](Self* self, const Columns& rows, std::size_t n_columns, std::size_t n_threads) {
            new (self) Self(cells_of(rows), rows.shape(0), n_columns, n_threads);
          },
          array("rows"), nb::arg("n_columns"), nb::arg("n_threads"))
      .def(
          "product",
          [](const Self& self, const Matrix<double>& vectors, std::size_t n_threads) {
            const std::size_t n_lanes = lanes_of(vectors, self.n());
            std::vector<double> result(self.n() * n_lanes);
            without_gil([&] { self.product(vectors.data(), n_lanes, n_threads, result.data()); });
            return to_numpy(std::move(result), {self.n(), n_lanes});
          },
          array("vectors"), nb::arg("n_threads"), "K vectors, of the rows themselves.");
}

auto gram(const Columns& rows, const Vector<double>& weights, std::size_t n_columns) {
  if (weights.shape(0) != rows.shape(1)) throw std::invalid_argument("there must be a weight for each row");
  std::vector<double> result(n_columns * n_columns);
  without_gil([&] { kernel::cell_gram(cells_of(rows), rows.shape(0), n_columns, weights.data(), result.data()); });
  return to_numpy(std::move(result), {n_columns, n_columns});
}

auto forms(const Columns& rows, const Matrix<double>& matrix, std::size_t n_threads) {
  if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("the matrix must be square");
  std::vector<double> result(rows.shape(1));
  without_gil([&] {
    kernel::quadratic_forms(cells_of(rows), rows.shape(0), matrix.shape(0), matrix.data(), n_threads, result.data());
  });
  return to_numpy(std::move(result));
}

void bind_features(nb::module_& m) {
  using Self = CellFeatures;
  nb::class_<Self> bound(m, "CellFeatures");
  bound
      .def(nb::init<std::size_t, std::size_t, double, std::uint64_t>(), nb::kw_only(), nb::arg("width"),
           nb::arg("n_trees"), nb::arg("lifetime"), nb::arg("seed"))
      .def_prop_ro("width", &Self::width)
      .def_prop_ro("seed", &Self::seed)
      .def_prop_ro("lifetime", &Self::lifetime)
      .def_prop_ro("n_trees", [](const Self& self) { return self.trees.size(); })
      .def_prop_ro("n_columns", [](const Self& self) { return self.n_columns; })
      .def("column_trees", [](const Self& self) { return to_numpy(self.column_trees()); })
      .def(
          "learn",
          [](Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            without_gil([&] { self.learn(points, n_threads); });
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "reach",
          [](Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            without_gil([&] { self.reach(points, n_threads); });
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "find",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            std::vector<std::uint32_t> columns(points.n * self.trees.size());
            without_gil([&] { self.find(points, n_threads, columns.data()); });
            return to_numpy(std::move(columns), {points.n, self.trees.size()});
          },
          array("x"), nb::arg("n_threads"))
      .def(
          "transform",
          [](const Self& self, const Matrix<double>& x, std::uint32_t spare, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            const std::size_t size = points.n * self.trees.size();
            auto columns = std::make_unique_for_overwrite<std::int32_t[]>(size);  // written once, not twice
            without_gil([&] { self.transform(points, n_threads, spare, columns.get()); });
            std::int32_t* written = columns.release();
            nb::capsule owner(written, [](void* all) noexcept { delete[] static_cast<std::int32_t*>(all); });
            return nb::ndarray<nb::numpy, std::int32_t>(written, {size}, owner);
          },
          array("x"), nb::arg("spare"), nb::arg("n_threads"))
      .def(
          "names",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            std::vector<std::uint64_t> names(points.n * self.trees.size());
            without_gil([&] { self.name(points, n_threads, names.data()); });
            return to_numpy(std::move(names), {points.n, self.trees.size()});
          },
          array("x"), nb::arg("n_threads"));
  bind_archive(bound, "set of Mondrian features");
}

}  // namespace

void bind_kernel_features(nb::module_& m) {
  bind_features(m);
  bind_shared_cells(m);
  m.def("shared_cells", &shares<std::uint32_t>, array("left"), array("right"), nb::arg("n_threads"),
        "Share of trees, the rows of the matrices, in which two columns hold the same cell.");
  m.def("shared_cells", &shares<std::uint64_t>, array("left"), array("right"), nb::arg("n_threads"));
  m.def("kernel_product", &product, array("rows"), array("vectors"), array("targets"), nb::arg("n_columns"),
        nb::arg("n_threads"), "K vectors, of which K has a row for each target.");
  m.def("cell_gram", &gram, array("rows"), array("weights"), nb::arg("n_columns"));
  m.def("quadratic_forms", &forms, array("rows"), array("matrix"), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
