// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/distance_kernels.hpp"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"

namespace hedgerow::bindings {

namespace {

kernel::Fall fall_named(const std::string& name) {
  if (name == "laplace") return kernel::Fall::exponential;
  if (name == "rational") return kernel::Fall::rational;
  throw std::invalid_argument("a kernel is 'laplace' or 'rational', not '" + name + "'");
}

}  // namespace

void bind_distance_kernels(nb::module_& m) {
  m.def(
      "kernel_at_distances",
      [](const Matrix<double>& distances, const std::string& kernel) {
        const kernel::Fall fall = fall_named(kernel);
        std::vector<double> values(distances.data(), distances.data() + distances.size());
        without_gil([&] { kernel::fall_with_distance(fall, values.data(), values.size()); });
        return to_numpy(std::move(values), {distances.shape(0), distances.shape(1)});
      },
      array("distances"), nb::arg("kernel"), "The kernel at each distance, none of which is below zero.");
  m.def(
      "between_knots",
      [](const Matrix<double>& rows, const Vector<std::uint64_t>& first_knot, const Vector<double>& values,
         const Vector<double>& images) {
        const std::size_t n = rows.shape(0), width = rows.shape(1), n_knots = values.shape(0);
        if (first_knot.shape(0) != width + 1 || images.shape(0) != n_knots || first_knot(0) != 0 ||
            first_knot(width) != n_knots) {
          throw std::invalid_argument("rows and knots do not fit together");
        }
        for (std::size_t d = 0; d < width; ++d) {
          if (first_knot(d) >= first_knot(d + 1)) throw std::invalid_argument("a column has no knots");
        }
        std::vector<double> units(n * width);
        without_gil([&] {
          kernel::between_knots(rows.data(), n, width, first_knot.data(), values.data(), images.data(), units.data());
        });
        return to_numpy(std::move(units), {n, width});
      },
      array("rows"), array("first_knot"), array("values"), array("images"),
      "Rows in units given by knots of each column; beyond these, as at the nearest.");
  m.def(
      "kernel_sums",
      [](const Matrix<double>& rows, const Matrix<double>& landmarks, const Matrix<double>& slopes,
         const std::string& kernel, std::size_t n_threads) {
        const kernel::Fall fall = fall_named(kernel);
        const std::size_t n = rows.shape(0), width = rows.shape(1), n_sums = slopes.shape(1);
        if (landmarks.shape(1) != width || slopes.shape(0) != landmarks.shape(0)) {
          throw std::invalid_argument("rows, landmarks and slopes do not fit together");
        }
        std::vector<double> sums(n * n_sums);
        without_gil([&] {
          kernel::LandmarkSums(fall, landmarks.data(), slopes.data(), landmarks.shape(0), width, n_sums)
              .at(rows.data(), n, n_threads, sums.data());
        });
        return to_numpy(std::move(sums), {n, n_sums});
      },
      array("rows"), array("landmarks"), array("slopes"), nb::arg("kernel"), nb::arg("n_threads"),
      "Of each row and column of slopes: the sum over landmarks of slope times kernel.");
}

}  // namespace hedgerow::bindings
