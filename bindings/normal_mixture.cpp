// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/normal_mixture.hpp"

#include "arrays.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/predictive/mixture_quantiles.hpp"
#include "hedgerow/predictive/tree_mixtures.hpp"

namespace hedgerow::bindings {
namespace {

using predictive::MixtureQuantiles;
using predictive::NormalMixture;
using predictive::TreeMixtures;

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

/// f(mixture, a number of the row) for each entry of a matrix with a row a point.
template <class Function>
auto for_each_entry(const Components& components, const Matrix<double>& numbers, std::size_t n_threads, Function&& f) {
  const std::size_t n = numbers.shape(0), width = numbers.shape(1);
  std::vector<double> result(n * width);
  {
    nb::gil_scoped_release release;
    parallel::for_each_index(n, n_threads, [&](std::size_t point, std::size_t) {
      const NormalMixture mixture = components.mixture(point);
      for (std::size_t k = 0; k < width; ++k) {
        result[point * width + k] = f(mixture, numbers.data()[point * width + k]);
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
          array("first"), array("weights"), array("means"), array("variances"))
      .def(
          "log_density",
          [](const Components& self, const Matrix<double>& y, std::size_t n_threads) {
            return for_each_entry(self, y, n_threads, [](const NormalMixture& mixture, double value) {
              return mixture.log_density(value);
            });
          },
          array("y"), nb::arg("n_threads"))
      .def(
          "cdf",
          [](const Components& self, const Matrix<double>& y, std::size_t n_threads) {
            return for_each_entry(self, y, n_threads,
                                  [](const NormalMixture& mixture, double value) { return mixture.below(value); });
          },
          array("y"), nb::arg("n_threads"))
      .def(
          "quantiles",
          [](const Components& self, const Vector<double>& q, const Vector<double>& normal_q, std::size_t n_threads) {
            const std::size_t n = self.first.shape(0) - 1, width = q.shape(0);
            if (normal_q.shape(0) != width) throw std::invalid_argument("levels and normal quantiles differ in number");
            std::vector<double> found(n * width);
            {
              nb::gil_scoped_release release;
              std::vector<MixtureQuantiles> quantiles(n_threads);
              parallel::for_each_index(n, n_threads, [&](std::size_t point, std::size_t worker) {
                quantiles[worker].ask(self.mixture(point));
                for (std::size_t k = 0; k < width; ++k) {
                  found[point * width + k] = quantiles[worker].at(q.data()[k], normal_q.data()[k]);
                }
              });
            }
            return to_numpy(std::move(found), {n, width});
          },
          array("q"), array("normal_q"), nb::arg("n_threads"));
  nb::class_<TreeMixtures>(m, "TreeMixtures")
      .def(
          "__init__",
          [](TreeMixtures* self, const Vector<double>& labels, const Vector<double>& weights,
             const Matrix<double>& means, const Matrix<double>& variances) {
            const std::size_t n = labels.shape(0), n_trees = means.shape(1);
            if (means.shape(0) != n || variances.shape(0) != n || variances.shape(1) != n_trees ||
                (weights.shape(0) != 0 && weights.shape(0) != n) || n == 0 || n_trees == 0) {
              throw std::invalid_argument("labels, weights, means and variances differ in shape, or are empty");
            }
            new (self) TreeMixtures(labels.data(), weights.shape(0) == 0 ? nullptr : weights.data(), means.data(),
                                    variances.data(), n, n_trees);
          },
          array("labels"), array("weights"), array("means"), array("variances"))
      .def("mean_log_density", &TreeMixtures::mean_log_density, nb::arg("scale"), nb::arg("noise"), nb::arg("spread"));
}

}  // namespace hedgerow::bindings
