// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "hedgerow/kernel/row_space.hpp"

namespace hedgerow::bindings {
namespace {

using kernel::Partition;
using kernel::RowSpace;
using kernel::Sweep;
using Buffer = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> copied(const Vector<double>& array) { return {array.data(), array.data() + array.shape(0)}; }

auto columns_of(const Partition& partition, const Sweep& sweep) {
  return to_numpy(std::vector(partition.columns), {sweep.n_trees, sweep.n_rows});
}

void bind_sweep(nb::module_& m) {
  nb::class_<Sweep>(m, "Sweep")
      .def(
          "__init__",
          [](Sweep* self, std::size_t n_rows, std::size_t n_trees, std::uint64_t seed) {
            new (self) Sweep(n_rows, n_trees, seed);
          },
          nb::kw_only(), nb::arg("n_rows"), nb::arg("n_trees"), nb::arg("seed"))
      .def(
          "grow",
          [](Sweep& self, const Matrix<double>& x, std::size_t first, std::size_t last, std::size_t n_threads) {
            if (x.shape(0) != self.n_rows) throw std::invalid_argument("there are more rows, or fewer");
            if (first > last || last > self.n_trees) throw std::invalid_argument("there are not so many trees");
            const kernel::Points points{x.data(), x.shape(0), x.shape(1)};
            without_gil([&] { self.grow(points, first, last, n_threads); });
          },
          array("x"), nb::arg("first"), nb::arg("last"), nb::arg("n_threads"))
      .def_prop_ro("n_rows", [](const Sweep& self) { return self.n_rows; })
      .def_prop_ro("n_trees", [](const Sweep& self) { return self.n_trees; })
      .def("times",
           [](const Sweep& self) {
             std::vector<double> times;
             for (const auto& split : self.splits) times.push_back(split.time);
             return to_numpy(std::move(times));
           })
      .def("n_until", &Sweep::n_until, nb::arg("time"));
  nb::class_<Partition>(m, "Partition")
      .def(nb::init<const Sweep&>(), nb::arg("sweep"), nb::keep_alive<1, 2>())
      .def_prop_ro("n_columns", [](const Partition& self) { return self.n_columns; })
      .def(
          "advance",
          [](Partition& self, const Sweep& sweep, std::size_t n_done) {
            if (n_done > sweep.splits.size()) throw std::invalid_argument("there are not so many splits");
            nb::gil_scoped_release release;
            while (self.n_columns - sweep.n_trees < n_done) self.apply(sweep.splits[self.n_columns - sweep.n_trees]);
          },
          nb::arg("sweep"), nb::arg("n_done"))
      .def("columns", &columns_of, nb::arg("sweep"));
}

void bind_row_space(nb::module_& m) {
  nb::class_<RowSpace>(m, "RowSpace")
      .def(
          "__init__",
          [](RowSpace* self, const Sweep& sweep, const Vector<double>& scaled, const Vector<double>& roots,
             const Vector<double>& unseen, const Vector<double>& unseen_weights, double ridge) {
            if (scaled.shape(0) != roots.shape(0) || unseen.shape(0) != unseen_weights.shape(0) ||
                scaled.shape(0) + unseen.shape(0) != sweep.n_rows) {
              throw std::invalid_argument("labels and rows differ in number");
            }
            new (self) RowSpace(sweep, {copied(scaled), copied(roots), copied(unseen), copied(unseen_weights)}, ridge);
          },
          nb::keep_alive<1, 2>(), nb::arg("sweep"), nb::kw_only(), array("scaled"), array("roots"), array("unseen"),
          array("unseen_weights"), nb::arg("ridge"))
      .def_prop_ro("is_done", &RowSpace::is_done)
      .def_prop_ro("n_done", &RowSpace::n_done)
      .def("columns", [](const RowSpace& self, const Sweep& sweep) { return columns_of(self.partition, sweep); })
      .def(
          "refresh",
          [](RowSpace& self, const Matrix<double>& inverse, double log_determinant) {
            if (inverse.shape(0) != self.n() || inverse.shape(1) != self.n()) {
              throw std::invalid_argument("the inverse has the wrong size");
            }
            nb::gil_scoped_release release;
            self.refresh(inverse.data(), log_determinant);
          },
          array("inverse"), nb::arg("log_determinant"))
      .def("residual", &RowSpace::residual, nb::call_guard<nb::gil_scoped_release>())
      .def("criteria",
           [](RowSpace& self) {
             const auto now = self.criteria(0.0);
             return std::tuple(now.time, now.n_features, now.fit, now.log_determinant, now.leave_one_out,
                               now.validation);
           })
      .def(
          "advance",
          [](RowSpace& self, const Matrix<double>& inverse, const Buffer& left, const Buffer& right) {
            if (inverse.shape(0) != self.n() || inverse.shape(1) != self.n() || left.shape(1) != self.n() ||
                right.shape(1) != self.n() || left.shape(0) != right.shape(0)) {
              throw std::invalid_argument("a matrix has the wrong size");
            }
            std::vector<kernel::Criteria> path;
            std::size_t n_changes = 0;
            {
              nb::gil_scoped_release release;
              n_changes = self.advance(inverse.data(), left.shape(0) / 2, left.data(), right.data(), path);
            }
            std::vector<double> table;
            for (const auto& at : path) {
              table.insert(table.end(),
                           {at.time, at.n_features, at.fit, at.log_determinant, at.leave_one_out, at.validation});
            }
            return std::tuple(n_changes, to_numpy(std::move(table), {path.size(), std::size_t{6}}));
          },
          array("inverse"), array("left"), array("right"),
          "Number of changes, inverse += left' right, and the criteria after each event.");
}

}  // namespace

void bind_kernel_sweep(nb::module_& m) {
  bind_sweep(m);
  bind_row_space(m);
}

}  // namespace hedgerow::bindings
