// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include <memory>

#include "arrays.hpp"
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
  {
    nb::gil_scoped_release release;
    kernel::shared_cells(left.data(), n_left, right.data(), n_right, left.shape(0), n_threads, found.data());
  }
  return to_numpy(std::move(found), {n_left, n_right});
}

using Columns = Matrix<std::uint32_t>;

void require_columns(const Columns& rows, std::size_t n_columns) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows.data()[k] >= n_columns) throw std::invalid_argument("a column is not there");
  }
}

auto product(const Columns& rows, const Matrix<double>& vectors, const Columns& targets, std::size_t n_columns,
             std::size_t n_threads) {
  const std::size_t n = rows.shape(1), n_targets = targets.shape(1), n_lanes = vectors.shape(1);
  if (vectors.shape(0) != n || (n_lanes != 1 && n_lanes != kernel::many_lanes) || targets.shape(0) != rows.shape(0)) {
    throw std::invalid_argument("there must be 1 or 8 vectors, as long as rows, and as many trees on both sides");
  }
  std::vector<double> result(n_targets * n_lanes);
  {
    nb::gil_scoped_release release;
    kernel::kernel_product({rows.data(), n}, {targets.data(), n_targets}, rows.shape(0), n_columns, vectors.data(),
                           n_lanes, n_threads, result.data());
  }
  return to_numpy(std::move(result), {n_targets, n_lanes});
}

auto gram(const Columns& rows, const Vector<double>& weights, std::size_t n_columns) {
  require_columns(rows, n_columns);
  if (weights.shape(0) != rows.shape(1)) throw std::invalid_argument("there must be a weight for each row");
  std::vector<double> result(n_columns * n_columns);
  {
    nb::gil_scoped_release release;
    kernel::cell_gram({rows.data(), rows.shape(1)}, rows.shape(0), n_columns, weights.data(), result.data());
  }
  return to_numpy(std::move(result), {n_columns, n_columns});
}

auto forms(const Columns& rows, const Matrix<double>& matrix, std::size_t n_threads) {
  if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("the matrix must be square");
  std::vector<double> result(rows.shape(1));
  {
    nb::gil_scoped_release release;
    kernel::quadratic_forms({rows.data(), rows.shape(1)}, rows.shape(0), matrix.shape(0), matrix.data(), n_threads,
                            result.data());
  }
  return to_numpy(std::move(result));
}

void bind_features(nb::module_& m) {
  using Self = CellFeatures;
  nb::class_<Self>(m, "CellFeatures")
      .def(nb::init<std::size_t, std::size_t, double, std::uint64_t>(), nb::kw_only(), nb::arg("width"),
           nb::arg("n_trees"), nb::arg("lifetime"), nb::arg("seed"))
      .def_prop_ro("width", &Self::width)
      .def_prop_ro("seed", &Self::seed)
      .def_prop_ro("lifetime", &Self::lifetime)
      .def_prop_ro("n_trees", [](const Self& self) { return self.trees.size(); })
      .def_prop_ro("n_columns", [](const Self& self) { return self.n_columns; })
      .def("column_trees",
           [](const Self& self) {
             std::vector<std::uint32_t> trees(self.n_columns);
             for (std::uint32_t m = 0; m < self.trees.size(); ++m) {
               for (const std::uint32_t column : self.trees[m].columns) {
                 if (column != kernel::none) trees[column] = m;
               }
             }
             return to_numpy(std::move(trees));
           })
      .def(
          "learn",
          [](Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            nb::gil_scoped_release release;
            self.learn(points, n_threads);
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def(
          "find",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            std::vector<std::uint32_t> columns(points.n * self.trees.size());
            {
              nb::gil_scoped_release release;
              self.find(points, n_threads, columns.data());
            }
            return to_numpy(std::move(columns), {points.n, self.trees.size()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def(
          "transform",
          [](const Self& self, const Matrix<double>& x, std::uint32_t spare, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            const std::size_t size = points.n * self.trees.size();
            auto columns = std::make_unique_for_overwrite<std::int32_t[]>(size);  // written once, not twice
            {
              nb::gil_scoped_release release;
              self.transform(points, n_threads, spare, columns.get());
            }
            std::int32_t* written = columns.release();
            nb::capsule owner(written, [](void* all) noexcept { delete[] static_cast<std::int32_t*>(all); });
            return nb::ndarray<nb::numpy, std::int32_t>(written, {size}, owner);
          },
          nb::arg("x").noconvert(), nb::arg("spare"), nb::arg("n_threads"))
      .def(
          "names",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const kernel::Points points = points_of(x, self.width());
            std::vector<std::uint64_t> names(points.n * self.trees.size());
            {
              nb::gil_scoped_release release;
              self.name(points, n_threads, names.data());
            }
            return to_numpy(std::move(names), {points.n, self.trees.size()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def("archive",
           [](const Self& self) {
             nb::dict arrays;
             kernel::Archive archive = kernel::archived(self);
             kernel::Archive::for_each_array(
                 archive, [&](const char* key, auto& values) { arrays[key] = to_numpy(std::move(values)); });
             return arrays;
           })
      .def("restore", [](Self& self, const nb::dict& arrays) {
        kernel::Archive archive;
        kernel::Archive::for_each_array(archive, [&](const char* key, auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          Vector<T> array;
          if (!arrays.contains(key) || !nb::try_cast(arrays[key], array, false)) {
            throw std::invalid_argument(std::string("not valid Mondrian features: the array ") + key +
                                        " is missing or mistyped");
          }
          values.assign(array.data(), array.data() + array.shape(0));
        });
        kernel::restore(self, archive);
      });
}

}  // namespace

void bind_kernel_features(nb::module_& m) {
  bind_features(m);
  m.def("shared_cells", &shares<std::uint32_t>, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
        nb::arg("n_threads"), "Share of trees, the rows of the matrices, in which two columns hold the same cell.");
  m.def("shared_cells", &shares<std::uint64_t>, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
        nb::arg("n_threads"));
  m.def("kernel_product", &product, nb::arg("rows").noconvert(), nb::arg("vectors").noconvert(),
        nb::arg("targets").noconvert(), nb::arg("n_columns"), nb::arg("n_threads"),
        "K vectors, of which K has a row for each target.");
  m.def("cell_gram", &gram, nb::arg("rows").noconvert(), nb::arg("weights").noconvert(), nb::arg("n_columns"));
  m.def("quadratic_forms", &forms, nb::arg("rows").noconvert(), nb::arg("matrix").noconvert(), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
