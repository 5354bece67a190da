// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/conformal/score_window.hpp"
#include "hedgerow/online/out_of_bag.hpp"
#include "online_forest.hpp"

namespace hedgerow::bindings {
namespace {

using conformal::AdaptiveLevels;
using conformal::ScoreWindow;
using Calibration = OutOfBag<NoMore>;

/// The radius of each confidence, as it is now: what a row about to come is given.
template <class Calibrated>
void radii_of(const Calibrated& calibrated, const Labels& confidences, double* found) {
  for (std::size_t k = 0; k < confidences.shape(0); ++k) found[k] = calibrated.radius(confidences.data()[k]);
}

template <class Calibrated>
auto radii(const Calibrated& calibrated, const Labels& confidences) {
  std::vector<double> found(confidences.shape(0));
  radii_of(calibrated, confidences, found.data());
  return to_numpy(std::move(found));
}

std::vector<double> states_of(const AdaptiveLevels& levels) { return {levels.states.begin(), levels.states.end()}; }

void restore_states(AdaptiveLevels& levels, const Labels& states) {
  const bool fits =
      states.shape(0) == levels.states.size() &&
      std::all_of(states.data(), states.data() + states.shape(0), [](double s) { return s >= -1e9 && s <= 1e9; });
  if (!fits) throw std::invalid_argument("not a valid calibration: its levels are broken");
  std::copy(states.data(), states.data() + states.shape(0), levels.states.begin());
}

void require_scores(const Labels& scores, std::size_t capacity) {
  const bool fits = scores.shape(0) <= capacity &&
                    std::all_of(scores.data(), scores.data() + scores.shape(0), [](double s) { return s >= 0.0; });
  if (!fits) throw std::invalid_argument("not a valid calibration: too many scores, or one that is negative");
}

void bind_score_window(nb::module_& m) {
  nb::class_<ScoreWindow>(m, "ScoreWindow")
      .def(nb::init<std::size_t, double>(), nb::arg("capacity"), nb::arg("adaptation_rate"))
      .def_prop_ro("n_scores", [](const ScoreWindow& self) { return self.sorted().size(); })
      .def("scores", [](const ScoreWindow& self) { return to_numpy(std::vector(self.sorted().values())); })
      .def("radii", &radii<ScoreWindow>, nb::arg("confidences").noconvert())
      .def(
          "update",
          [](ScoreWindow& self, const Labels& scores, const Labels& confidences) {
            const std::size_t n = scores.shape(0), width = confidences.shape(0);
            std::vector<double> found(n * width);
            for (std::size_t i = 0; i < n; ++i) {
              radii_of(self, confidences, found.data() + i * width);
              self.update(scores.data()[i]);
            }
            return to_numpy(std::move(found), {n, width});
          },
          nb::arg("scores").noconvert(), nb::arg("confidences").noconvert(),
          "Let scores come one after another; return the radii just before each.")
      .def("archive",
           [](const ScoreWindow& self) {
             nb::dict arrays;
             arrays["scores"] = to_numpy(std::vector<double>(self.by_age().begin(), self.by_age().end()));
             arrays["levels"] = to_numpy(states_of(self.levels));
             return arrays;
           })
      .def("restore", [](ScoreWindow& self, const Labels& scores, const Labels& levels) {
        require_scores(scores, self.capacity());
        restore_states(self.levels, levels);
        for (std::size_t i = 0; i < scores.shape(0); ++i) self.push(scores.data()[i]);
      });
}

/// The rows of a calibration, oldest first: features (as differences from the origin), labels, factors of their scales,
/// scores, and which trees never learned them.
nb::dict rows_of(const Calibration& self) {
  std::vector<float> features;
  std::vector<double> labels, factors, scores, excess;
  std::vector<std::uint8_t> out_of_bag, due;
  for (std::size_t age = 0; age < self.size(); ++age) {
    const std::uint32_t r = self.at(age);
    features.insert(features.end(), self.row(r), self.row(r) + self.width());
    labels.push_back(self.label(r));
    factors.push_back(self.factor(r));
    scores.push_back(self.score(r).value);
    excess.push_back(self.score(r).excess);
    due.push_back(self.is_due(r));
    for (std::size_t b = 0; b < self.n_trees(); ++b) out_of_bag.push_back(self.is_out_of_bag(r, b));
  }
  nb::dict arrays;
  arrays["features"] = to_numpy(std::move(features));
  arrays["labels"] = to_numpy(std::move(labels));
  arrays["factors"] = to_numpy(std::move(factors));
  arrays["scores"] = to_numpy(std::move(scores));
  arrays["excess"] = to_numpy(std::move(excess));
  arrays["sums"] = to_numpy(std::vector<double>{self.sum().value, self.sum().excess});
  arrays["due"] = to_numpy(std::move(due));
  arrays["out_of_bag"] = to_numpy(std::move(out_of_bag));
  arrays["levels"] = to_numpy(states_of(self.levels));
  return arrays;
}

/// An array of a dictionary, or an error that says which is missing.
template <class T>
Vector<T> array_of(const nb::dict& arrays, const char* key) {
  Vector<T> array;
  if (!arrays.contains(key) || !nb::try_cast(arrays[key], array, false)) {
    throw std::invalid_argument(std::string("not a valid calibration: the array ") + key + " is missing or mistyped");
  }
  return array;
}

void restore_rows(Calibration& self, const Forest<NoMore>& forest, const nb::dict& arrays) {
  const auto features = array_of<float>(arrays, "features");
  const auto labels = array_of<double>(arrays, "labels"), factors = array_of<double>(arrays, "factors"),
             scores = array_of<double>(arrays, "scores"), excess = array_of<double>(arrays, "excess"),
             sums = array_of<double>(arrays, "sums");
  const auto due = array_of<std::uint8_t>(arrays, "due"), out_of_bag = array_of<std::uint8_t>(arrays, "out_of_bag");
  const std::size_t n = labels.shape(0), width = self.width(), n_trees = self.n_trees();
  require_scores(scores, self.rule.capacity);
  restore_states(self.levels, array_of<double>(arrays, "levels"));
  const bool fits = features.shape(0) == n * width && factors.shape(0) == n && scores.shape(0) == n &&
                    due.shape(0) == n && excess.shape(0) == n && sums.shape(0) == 2 &&
                    out_of_bag.shape(0) == n * n_trees &&
                    std::none_of(features.data(), features.data() + n * width, [](float x) { return std::isnan(x); });
  if (!fits || forest.slots.size() != n_trees || forest.growth.width != width) {
    throw std::invalid_argument("not a valid calibration: its rows have the wrong shape");
  }
  for (const Labels* numbers : {&labels, &factors, &excess, &sums}) {
    if (!std::all_of(numbers->data(), numbers->data() + numbers->shape(0), [](double x) { return std::isfinite(x); })) {
      throw std::invalid_argument("not a valid calibration: a number is not finite");
    }
  }
  if (!std::all_of(factors.data(), factors.data() + n, [](double factor) { return factor >= smallest_factor; })) {
    throw std::invalid_argument("not a valid calibration: a factor is too small");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t* bags = out_of_bag.data() + i * n_trees;
    if (std::find_if(bags, bags + n_trees, [](std::uint8_t bag) { return bag != 0; }) == bags + n_trees) {
      throw std::invalid_argument("not a valid calibration: a row is in all bags");
    }
    self.restore(features.data() + i * width, labels.data()[i], factors.data()[i], {scores.data()[i], excess.data()[i]},
                 due.data()[i] != 0, std::vector<bool>(bags, bags + n_trees));
  }
  self.restored(forest, {sums.data()[0], sums.data()[1]});
}

void bind_out_of_bag(nb::module_& m) {
  using Self = Calibration;
  nb::class_<Self>(m, "OutOfBag")
      .def(
          "__init__",
          [](Self* self, const Forest<NoMore>& forest, std::size_t capacity, std::size_t update_every, bool normalised,
             bool size_matched, double adaptation_rate) {
            new (self) Self({capacity, update_every, normalised, size_matched, adaptation_rate}, forest.growth.width,
                            forest.slots.size());
          },
          nb::arg("forest"), nb::kw_only(), nb::arg("capacity"), nb::arg("update_every"), nb::arg("normalised"),
          nb::arg("size_matched"), nb::arg("adaptation_rate"))
      .def_prop_ro("n_scores", [](const Self& self) { return self.sorted().size(); })
      .def("scores", [](const Self& self) { return to_numpy(std::vector(self.sorted().values())); })
      .def("radii", &radii<Self>, nb::arg("confidences").noconvert())
      .def(
          "predict_then_learn",
          [](Self& self, Forest<NoMore>& forest, ErrorSizes* sizes, const Features& x, const Labels& y,
             const Labels& weights, const Labels& confidences) {
            const Batch batch = batch_of(forest.growth.width, x, y, weights);
            const std::size_t n = batch.n, n_levels = confidences.shape(0);
            std::vector<double> means(n), scales(n), found(n * n_levels);
            {
              nb::gil_scoped_release release;
              for (std::size_t i = 0; i < n; ++i) {
                radii_of(self, confidences, found.data() + i * n_levels);
                const Forecast forecast = self.learn(forest, sizes, batch.features + i * forest.growth.width,
                                                     batch.labels[i], batch.weight(i));
                means[i] = forecast.mean;
                scales[i] = forecast.scale;
              }
            }
            return std::make_tuple(to_numpy(std::move(means)), to_numpy(std::move(scales)),
                                   to_numpy(std::move(found), {n, n_levels}));
          },
          nb::arg("forest"), nb::arg("sizes").none(), nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          nb::arg("weights").noconvert(), nb::arg("confidences").noconvert())
      .def(
          "forecasts",
          [](const Self& self, const Forest<NoMore>& forest, const Features& x, std::size_t n_threads) {
            if (x.shape(1) != forest.growth.width) throw std::invalid_argument("wrong number of columns");
            std::vector<double> means(x.shape(0)), scales(x.shape(0));
            {
              nb::gil_scoped_release release;
              forest.for_each_point(x.data(), x.shape(0), n_threads, [&](std::size_t i, const Row& row) {
                const Forecast forecast = self.forecast(forest, row);
                means[i] = forecast.mean;
                scales[i] = forecast.scale;
              });
            }
            return std::make_tuple(to_numpy(std::move(means)), to_numpy(std::move(scales)));
          },
          nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("n_threads"))
      .def("archive", &rows_of)
      .def("restore", &restore_rows, nb::arg("forest"), nb::arg("arrays"));
}

/// None, or one a row.
SizeUnits units_of(const Labels& units, std::size_t n) {
  if (units.shape(0) != 0 && units.shape(0) != n) throw std::invalid_argument("units and rows differ in number");
  return {units.shape(0) == 0 ? nullptr : units.data()};
}

void bind_error_sizes(nb::module_& m) {
  m.def(
      "error_factors",
      [](const ErrorSizes& sizes, const Features& x, const Labels& units, std::size_t n_threads) {
        if (x.shape(1) != sizes.growth.width) throw std::invalid_argument("wrong number of columns");
        const SizeUnits in = units_of(units, x.shape(0));
        std::vector<double> found;
        {
          nb::gil_scoped_release release;
          found = error_factors(sizes, x.data(), in, x.shape(0), n_threads);
        }
        return to_numpy(std::move(found));
      },
      nb::arg("sizes"), nb::arg("x").noconvert(), nb::arg("units").noconvert(), nb::arg("n_threads"),
      "By how much standard deviations are off.");
  m.def(
      "factor_then_learn",
      [](ErrorSizes& sizes, const Features& x, const Labels& errors, const Labels& units, const Labels& weights,
         std::size_t n_threads) {
        const Batch batch = batch_of(sizes.growth.width, x, errors, weights);
        const SizeUnits in = units_of(units, batch.n);
        std::vector<double> found;
        {
          nb::gil_scoped_release release;
          found = factor_then_learn(sizes, batch, in, n_threads);
        }
        return to_numpy(std::move(found));
      },
      nb::arg("sizes"), nb::arg("x").noconvert(), nb::arg("errors").noconvert(), nb::arg("units").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("n_threads"),
      "The same just before each error, in standard deviations, is learned.");
}

}  // namespace

void bind_conformal(nb::module_& m) {
  bind_score_window(m);
  bind_error_sizes(m);
  bind_out_of_bag(m);
}

}  // namespace hedgerow::bindings
