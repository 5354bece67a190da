// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "archive.hpp"
#include "hedgerow/bart/archive.hpp"
#include "hedgerow/bart/ask.hpp"

namespace hedgerow::bindings {
namespace {

using bart::Part, bart::ResponseKind, bart::Sampler, bart::Settings, bart::Start;

bart::Points points_of(const Matrix<double>& x) { return {x.data(), x.shape(0), x.shape(1)}; }

std::size_t all_draws(const Sampler& sampler) { return sampler.draws().size() * sampler.n_draws(); }

auto predict(const Sampler& sampler, Part part, const Matrix<double>& x, std::size_t n_threads) {
  auto found = without_gil([&] { return bart::predict(sampler, part, points_of(x), n_threads); });
  return to_numpy(std::move(found), {x.shape(0), all_draws(sampler), bart::n_sums(sampler, part)});
}

auto split_counts(const Sampler& sampler, Part part) {
  return to_numpy(bart::count_splits(sampler, part), {all_draws(sampler), sampler.problem().data.n_features});
}

}  // namespace

void bind_bart(nb::module_& m) {
  nb::class_<Sampler>(m, "SumOfTreesSampler")
      .def_static(
          "begin",
          [](const Matrix<double>& x, const Vector<double>& y, const Vector<double>& weights, ResponseKind kind,
             std::vector<double> offsets, const Settings& settings, std::size_t n_chains, std::uint64_t seed,
             Start start, std::size_t n_threads) {
            return without_gil([&] {
              return bart::new_sampler({points_of(x), n_threads},
                                       {kind, vector_of(y), vector_of(weights), std::move(offsets)}, settings, n_chains,
                                       seed, start);
            });
          },
          array("x"), array("y"), array("weights"), nb::kw_only(), nb::arg("kind"), nb::arg("offsets"),
          nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"), nb::arg("start"), nb::arg("n_threads"))
      .def_static(
          "restore",
          [](const nb::dict& arrays, const Vector<double>& y, const Vector<double>& weights, ResponseKind kind,
             std::vector<double> offsets, const Settings& settings, std::size_t n_chains, std::uint64_t seed) {
            std::unique_ptr<Sampler> sampler;
            read_as("sampler of sums of trees", [&] {
              sampler = bart::restored(archive_of(arrays), {kind, vector_of(y), vector_of(weights), std::move(offsets)},
                                       settings, n_chains, seed);
            });
            return sampler;
          },
          nb::arg("arrays"), array("y"), array("weights"), nb::kw_only(), nb::arg("kind"), nb::arg("offsets"),
          nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"))
      .def("archive", [](const Sampler& self) { return to_dict(archived(self)); })
      .def("run", &Sampler::run, nb::arg("n_sweeps"), nb::arg("keep_every"), nb::arg("n_threads"),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("width", [](const Sampler& self) { return self.problem().data.n_features; })
      .def_prop_ro("n_draws", &Sampler::n_draws, "Of each chain.")
      .def_prop_ro("n_sweeps", &Sampler::n_sweeps, "Of each chain, so far.")
      .def_prop_ro("n_bytes", &Sampler::n_bytes)
      .def(
          "notes",
          [](const Sampler& self) { return to_numpy(bart::traces(self), {self.draws().size(), self.n_draws(), 4}); },
          "Noise, log-likelihood, mean number of leaves and share of changed roots: chains by draws by four.")
      .def(
          "predict",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            return predict(self, Part::mean, x, n_threads);
          },
          array("x"), nb::arg("n_threads"), "Rows by draws, chain after chain, by sums; offsets left out.")
      .def(
          "moments",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            auto found = without_gil([&] { return bart::moments(self, points_of(x), n_threads); });
            return to_numpy(std::move(found), {2, x.shape(0)});
          },
          array("x"), nb::arg("n_threads"), "Mean and variance over all draws of a single sum, of each row.")
      .def(
          "sum_probabilities",
          [](const Sampler& self, const Matrix<double>& x, double first, double second, std::size_t n_threads) {
            auto found =
                without_gil([&] { return bart::sum_probabilities(self, points_of(x), {first, second}, n_threads); });
            return to_numpy(std::move(found), {2, x.shape(0)});
          },
          array("x"), nb::arg("first_weight"), nb::arg("second_weight"), nb::arg("n_threads"),
          "Probabilities of two classes that are so weighed, added up over all draws: two by rows.")
      .def(
          "predict_noise",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            return predict(self, Part::noise, x, n_threads);
          },
          array("x"), nb::arg("n_threads"),
          "Logarithms of the noise's variance, where it varies: rows by draws, chain after chain, by one.")
      .def(
          "split_counts", [](const Sampler& self) { return split_counts(self, Part::mean); },
          "How often the trees of each draw split each column.")
      .def(
          "noise_split_counts", [](const Sampler& self) { return split_counts(self, Part::noise); },
          "The same of the trees of the noise, where it varies.")
      .def("cuts", [](const Sampler& self) { return self.problem().data.cuts; }, "Of each column.");
}

}  // namespace hedgerow::bindings
