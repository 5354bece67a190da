// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "hedgerow/bart/archive.hpp"
#include "hedgerow/bart/ask.hpp"

namespace hedgerow::bindings {
namespace {

using bart::Part, bart::ResponseKind, bart::Sampler, bart::Settings, bart::Start;

bart::Points points_of(const Matrix<double>& x) { return {x.data(), x.shape(0), x.shape(1)}; }

std::vector<double> vector_of(const Vector<double>& array) { return {array.data(), array.data() + array.shape(0)}; }

template <class A>
void take_arrays(A& archive, const nb::dict& arrays, const std::string& prefix) {
  archive.for_each_array([&](const char* key, auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const std::string name = prefix + key;
    Vector<T> array;
    if (!arrays.contains(name.c_str()) || !nb::try_cast(arrays[name.c_str()], array, false)) {
      throw std::invalid_argument("not valid draws of sums of trees: the array " + name + " is missing or mistyped");
    }
    values.assign(array.data(), array.data() + array.shape(0));
  });
}

template <class A>
void give_arrays(A&& archive, nb::dict& arrays, const std::string& prefix) {
  archive.for_each_array(
      [&](const char* key, auto& values) { arrays[(prefix + key).c_str()] = to_numpy(std::move(values)); });
}

std::size_t all_draws(const Sampler& sampler) { return sampler.draws().size() * sampler.n_draws(); }

auto predict(const Sampler& sampler, Part part, const Matrix<double>& x, std::size_t n_threads) {
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = bart::predict(sampler, part, points_of(x), n_threads);
  }
  return to_numpy(std::move(found), {all_draws(sampler), bart::n_sums(sampler, part), x.shape(0)});
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
            nb::gil_scoped_release release;
            return bart::new_sampler({points_of(x), n_threads},
                                     {kind, vector_of(y), vector_of(weights), std::move(offsets)}, settings, n_chains,
                                     seed, start);
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::kw_only(),
          nb::arg("kind"), nb::arg("offsets"), nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"),
          nb::arg("start"), nb::arg("n_threads"))
      .def_static(
          "restore",
          [](const nb::dict& arrays, const Vector<double>& y, const Vector<double>& weights, ResponseKind kind,
             std::vector<double> offsets, const Settings& settings, std::size_t n_chains, std::uint64_t seed) {
            const auto take = [&](auto& part, const std::string& prefix) { take_arrays(part, arrays, prefix); };
            return bart::restored(take, {kind, vector_of(y), vector_of(weights), std::move(offsets)}, settings,
                                  n_chains, seed);
          },
          nb::arg("arrays"), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::kw_only(), nb::arg("kind"),
          nb::arg("offsets"), nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"))
      .def("archive",
           [](const Sampler& self) {
             nb::dict arrays;
             bart::archive(self, [&](auto&& part, const std::string& prefix) { give_arrays(part, arrays, prefix); });
             return arrays;
           })
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
          nb::arg("x").noconvert(), nb::arg("n_threads"),
          "Draws, chain after chain, by sums by rows; offsets left out.")
      .def(
          "predict_noise",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            return predict(self, Part::noise, x, n_threads);
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"),
          "Logarithms of the noise's variance, where it varies: draws, chain after chain, by one by rows.")
      .def(
          "split_counts", [](const Sampler& self) { return split_counts(self, Part::mean); },
          "How often the trees of each draw split each column.")
      .def(
          "noise_split_counts", [](const Sampler& self) { return split_counts(self, Part::noise); },
          "The same of the trees of the noise, where it varies.")
      .def("cuts", [](const Sampler& self) { return self.problem().data.cuts; }, "Of each column.");
}

}  // namespace hedgerow::bindings
