// SPDX-License-Identifier: BSD-3-Clause
// What samplers of Bayesian trees, and the trees they leave, show to Python, whatever their leaves hold.
#pragma once

#include <nanobind/stl/string.h>

#include <memory>
#include <variant>

#include "archive.hpp"
#include "hedgerow/bayesian_tree/archive.hpp"
#include "hedgerow/bayesian_tree/ask.hpp"
#include "hedgerow/bayesian_tree/chain.hpp"
#include "hedgerow/bayesian_tree/islands.hpp"

namespace hedgerow::bindings {

/// A sample of trees, and all that a prediction needs besides.
template <class M>
struct Trees {
  M model;
  std::size_t width;
  bayesian_tree::TreeSample sample;

  [[nodiscard]] bayesian_tree::Points points(const Matrix<double>& x) const {
    if (x.shape(1) != width) throw std::invalid_argument("wrong number of columns");
    return {x.data(), x.shape(0), width};
  }
};

/// Filters or chains at work on one problem.
template <class M>
struct TreeSampler {
  using Problem = bayesian_tree::Problem<M>;
  using Filter = bayesian_tree::FilterIsland<M>;
  using Chain = bayesian_tree::Chain<M>;
  using Filters = bayesian_tree::Islands<M, Filter>;
  using Chains = bayesian_tree::Islands<M, Chain>;

  std::variant<std::unique_ptr<Filters>, std::unique_ptr<Chains>> islands;

  template <class Function>
  auto visit(Function&& f) const {
    return std::visit([&](const auto& held) { return f(*held); }, islands);
  }
};

inline posterior_tree::RankedRows ranked(const Matrix<double>& x, const Vector<double>& y,
                                         const Vector<double>& weights, std::size_t n_threads) {
  if (y.shape(0) != x.shape(0) || (weights.shape(0) != 0 && weights.shape(0) != x.shape(0))) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  nb::gil_scoped_release release;
  return {{x.data(), x.shape(0), x.shape(1)}, vector_of(y), vector_of(weights), n_threads};
}

/// The two ways to a sampler, `filter` and `chain`, and what a sampler can do.
template <class M>
void bind_sampler(nb::module_& m, const char* name) {
  using Self = TreeSampler<M>;
  nb::class_<Self>(m, name)
      .def_static(
          "filter",
          [](const Matrix<double>& x, const Vector<double>& y, const Vector<double>& weights, const M& model,
             posterior_tree::TreePrior prior, bayesian_tree::Growth growth, particle::Schedule schedule,
             std::size_t n_particles, std::size_t n_islands, std::uint64_t seed, std::size_t n_threads) {
            return Self{std::make_unique<typename Self::Filters>(
                typename Self::Problem{ranked(x, y, weights, n_threads), model, prior},
                typename Self::Filter::Settings{growth, schedule}, n_particles, n_islands, seed)};
          },
          array("x"), array("y"), array("weights"), nb::kw_only(), nb::arg("model"), nb::arg("prior"),
          nb::arg("growth"), nb::arg("schedule"), nb::arg("n_particles"), nb::arg("n_islands"), nb::arg("seed"),
          nb::arg("n_threads"))
      .def_static(
          "chain",
          [](const Matrix<double>& x, const Vector<double>& y, const Vector<double>& weights, const M& model,
             posterior_tree::TreePrior prior, std::uint64_t n_steps, std::uint64_t n_burn_in, std::size_t n_kept,
             std::size_t n_chains, std::uint64_t seed, std::size_t n_threads) {
            return Self{std::make_unique<typename Self::Chains>(
                typename Self::Problem{ranked(x, y, weights, n_threads), model, prior},
                typename Self::Chain::Settings{n_steps, n_burn_in}, n_kept, n_chains, seed)};
          },
          array("x"), array("y"), array("weights"), nb::kw_only(), nb::arg("model"), nb::arg("prior"),
          nb::arg("n_steps"), nb::arg("n_burn_in"), nb::arg("n_kept"), nb::arg("n_chains"), nb::arg("seed"),
          nb::arg("n_threads"))
      .def_prop_ro("is_finished",
                   [](const Self& self) { return self.visit([](auto& held) { return held.is_finished(); }); })
      .def(
          "work",
          [](const Self& self, std::size_t most_visits, std::size_t n_threads) {
            self.visit([&](auto& held) { held.work(most_visits, n_threads); });
          },
          nb::arg("most_visits"), nb::arg("n_threads"), nb::call_guard<nb::gil_scoped_release>())
      .def("trees", [](const Self& self) {
        return self.visit([](auto& held) {
          const auto& problem = held.problem();
          return Trees<M>{problem.model, problem.data.n_features, held.sample()};
        });
      });
}

template <class M>
nb::class_<Trees<M>> bind_trees(nb::module_& m, const char* name) {
  return nb::class_<Trees<M>>(m, name)
      .def(
          "__init__",
          [](Trees<M>* self, const nb::dict& arrays, const M& model, std::size_t width) {
            read_as("sample of trees", [&] {
              new (self) Trees<M>{model, width, bayesian_tree::restored(archive_of(arrays), model, width)};
            });
          },
          nb::arg("arrays"), nb::kw_only(), nb::arg("model"), nb::arg("width"))
      .def_prop_ro("width", [](const Trees<M>& self) { return self.width; })
      .def_prop_ro("model", [](const Trees<M>& self) { return self.model; })
      .def_prop_ro("n_trees", [](const Trees<M>& self) { return self.sample.n_trees(); })
      .def("archive", [](const Trees<M>& self) { return to_dict(archived(self.sample)); });
}

}  // namespace hedgerow::bindings
