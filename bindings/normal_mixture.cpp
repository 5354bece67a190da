// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/normal_mixture.hpp"

#include "arrays.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::bindings {
namespace {

using predictive::NormalMixture;

/// One mixture a point, as `Mixtures` of the core lays them out.
struct Components {
  Vector<std::int64_t> first;
  Vector<double> weights, means, variances;

  [[nodiscard]] NormalMixture mixture(std::size_t point) const {
    const auto begin = static_cast<std::size_t>(first.data()[point]);
    const auto n = static_cast<std::size_t>(first.data()[point + 1]) - begin;
    return {{weights.data() + begin, n}, {means.data() + begin, n}, {variances.data() + begin, n}};
  }
};

/// f(mixture, a number of the row, k) for each entry of a matrix with a row a point.
template <class Function>
auto for_each_entry(const Components& components, const Matrix<double>& numbers, std::size_t n_threads, Function&& f) {
  const std::size_t n = numbers.shape(0), width = numbers.shape(1);
  std::vector<double> result(n * width);
  {
    nb::gil_scoped_release release;
    parallel::for_each_index(n, n_threads, [&](std::size_t point, std::size_t) {
      const NormalMixture mixture = components.mixture(point);
      for (std::size_t k = 0; k < width; ++k) {
        result[point * width + k] = f(mixture, numbers.data()[point * width + k], k);
      }
    });
  }
  return to_numpy(std::move(result), {n, width});
}

}  // namespace

void bind_normal_mixture(nb::module_& m) {
  nb::class_<Components>(m, "Components")
      .def(
          "__init__",
          [](Components* self, Vector<std::int64_t> first, Vector<double> weights, Vector<double> means,
             Vector<double> variances) {
            new (self) Components{std::move(first), std::move(weights), std::move(means), std::move(variances)};
          },
          nb::arg("first").noconvert(), nb::arg("weights").noconvert(), nb::arg("means").noconvert(),
          nb::arg("variances").noconvert())
      .def(
          "log_density",
          [](const Components& self, const Matrix<double>& y, std::size_t n_threads) {
            return for_each_entry(self, y, n_threads, [](const NormalMixture& mixture, double value, std::size_t) {
              return mixture.log_density(value);
            });
          },
          nb::arg("y").noconvert(), nb::arg("n_threads"))
      .def(
          "cdf",
          [](const Components& self, const Matrix<double>& y, std::size_t n_threads) {
            return for_each_entry(self, y, n_threads, [](const NormalMixture& mixture, double value, std::size_t) {
              return mixture.at(value).below;
            });
          },
          nb::arg("y").noconvert(), nb::arg("n_threads"))
      .def(
          "quantiles",
          [](const Components& self, const Matrix<double>& q, const Matrix<double>& normal_q, std::size_t n_threads) {
            const double* z = normal_q.data();
            return for_each_entry(self, q, n_threads, [z](const NormalMixture& mixture, double value, std::size_t k) {
              return mixture.quantile(value, z[k]);
            });
          },
          nb::arg("q").noconvert(), nb::arg("normal_q").noconvert(), nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
