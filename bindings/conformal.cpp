// SPDX-License-Identifier: BSD-3-Clause
#include "archive.hpp"
#include "hedgerow/conformal/radii.hpp"
#include "hedgerow/online/calibrated_forecasts.hpp"
#include "hedgerow/online/calibration_archive.hpp"
#include "rows.hpp"

namespace hedgerow::bindings {
namespace {

using conformal::ScoreWindow;
using online::ErrorSizes;
using Forest = online::Forest<online::NoMore>;
using Calibration = online::OutOfBag<online::NoMore>;

constexpr const char* calibration = "calibration";

/// What all show that keep scores.
template <class Self>
nb::class_<Self> scored_class(nb::module_& m, const char* name) {
  return nb::class_<Self>(m, name)
      .def_prop_ro("n_scores", [](const Self& self) { return self.sorted().size(); })
      .def("scores", [](const Self& self) { return to_numpy(std::vector(self.sorted().values())); })
      .def(
          "radii",
          [](const Self& self, const Labels& confidences) {
            return to_numpy(conformal::radii_of(self, span_of(confidences)));
          },
          array("confidences"));
}

void bind_score_window(nb::module_& m) {
  using Self = ScoreWindow;
  scored_class<Self>(m, "ScoreWindow")
      .def(nb::init<std::size_t, double>(), nb::arg("capacity"), nb::arg("adaptation_rate"))
      .def(
          "update",
          [](Self& self, const Labels& scores, const Labels& confidences) {
            return to_numpy(radii_then_update(self, span_of(scores), span_of(confidences)),
                            {scores.shape(0), confidences.shape(0)});
          },
          array("scores"), array("confidences"),
          "Let scores come one after another; return the radii just before each.")
      .def("archive", [](const Self& self) { return to_dict(archived(self)); })
      .def("restore", [](Self& self, const Labels& scores, const Labels& levels) {
        archive::Archive archive;
        archive.add("scores", vector_of(scores));
        archive.add("levels", vector_of(levels));
        read_as(calibration, [&] { restore(self, archive); });
      });
}

void bind_out_of_bag(nb::module_& m) {
  using Self = Calibration;
  scored_class<Self>(m, "OutOfBag")
      .def(
          "__init__",
          [](Self* self, const Forest& forest, std::size_t capacity, std::size_t update_every, bool normalised,
             bool size_matched, double adaptation_rate) {
            new (self) Self({capacity, update_every, normalised, size_matched, adaptation_rate}, forest.growth.width,
                            forest.slots.size());
          },
          nb::arg("forest"), nb::kw_only(), nb::arg("capacity"), nb::arg("update_every"), nb::arg("normalised"),
          nb::arg("size_matched"), nb::arg("adaptation_rate"))
      .def(
          "predict_then_learn",
          [](Self& self, Forest& forest, ErrorSizes* sizes, const Features& x, const Labels& y, const Labels& weights,
             const Labels& confidences) {
            const data::Batch batch = batch_of(forest.growth.width, x, y, weights);
            auto found =
                without_gil([&] { return forecast_then_learn(self, forest, sizes, batch, span_of(confidences)); });
            return std::make_tuple(to_numpy(std::move(found.means)), to_numpy(std::move(found.scales)),
                                   to_numpy(std::move(found.radii), {batch.n, confidences.shape(0)}));
          },
          nb::arg("forest"), nb::arg("sizes").none(), array("x"), array("y"), array("weights"), array("confidences"))
      .def(
          "forecasts",
          [](const Self& self, const Forest& forest, const Features& x, std::size_t n_threads) {
            const data::Points points = points_of(forest.growth.width, x);
            auto found = without_gil([&] { return predict_forecasts(self, forest, points, n_threads); });
            return to_arrays(std::move(found.means), std::move(found.scales));
          },
          nb::arg("forest"), array("x"), nb::arg("n_threads"))
      .def("archive", [](const Self& self) { return to_dict(archived(self)); })
      .def(
          "restore",
          [](Self& self, const Forest& forest, const nb::dict& arrays) {
            read_as(calibration, [&] { restore(self, forest, archive_of(arrays)); });
          },
          nb::arg("forest"), nb::arg("arrays"));
}

/// None, or one a row.
online::SizeUnits units_of(const Labels& units, std::size_t n) {
  if (units.shape(0) != 0 && units.shape(0) != n) throw std::invalid_argument("units and rows differ in number");
  return {units.shape(0) == 0 ? nullptr : units.data()};
}

void bind_error_sizes(nb::module_& m) {
  m.def(
      "error_factors",
      [](const ErrorSizes& sizes, const Features& x, const Labels& units, std::size_t n_threads) {
        const data::Points points = points_of(sizes.growth.width, x);
        const online::SizeUnits in = units_of(units, points.n);
        return to_numpy(
            without_gil([&] { return online::error_factors(sizes, points.features, in, points.n, n_threads); }));
      },
      nb::arg("sizes"), array("x"), array("units"), nb::arg("n_threads"), "By how much standard deviations are off.");
  m.def(
      "factor_then_learn",
      [](ErrorSizes& sizes, const Features& x, const Labels& errors, const Labels& units, const Labels& weights,
         std::size_t n_threads) {
        const data::Batch batch = batch_of(sizes.growth.width, x, errors, weights);
        const online::SizeUnits in = units_of(units, batch.n);
        return to_numpy(without_gil([&] { return online::factor_then_learn(sizes, batch, in, n_threads); }));
      },
      nb::arg("sizes"), array("x"), array("errors"), array("units"), array("weights"), nb::arg("n_threads"),
      "The same just before each error, in standard deviations, is learned.");
}

}  // namespace

void bind_conformal(nb::module_& m) {
  bind_score_window(m);
  bind_error_sizes(m);
  bind_out_of_bag(m);
}

}  // namespace hedgerow::bindings
