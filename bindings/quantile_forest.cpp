// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/quantiles.hpp"
#include "online_forest.hpp"

namespace hedgerow::bindings {
namespace {

using Self = QuantileForest;
using conformal::ScoreWindow;

/// f(index, what is known of the labels there) for each point, in parallel.
template <class Function>
void for_each_asked(const Self& self, const Features& x, std::size_t n_threads, Function&& f) {
  if (x.shape(1) != self.growth.width) throw std::invalid_argument("wrong number of columns");
  nb::gil_scoped_release release;
  self.for_each_point(x.data(), x.shape(0), n_threads, [&](std::size_t i, const Row& row) {
    thread_local LabelQuantiles quantiles;
    quantiles.ask(self, row);
    f(i, quantiles);
  });
}

/// Levels up to one half are lower ends, the others upper ends; calibrated ones may lie outside [0, 1].
auto quantiles(const Self& self, const Features& x, const Labels& levels, bool calibrated, std::size_t n_threads) {
  const std::size_t n_levels = levels.shape(0);
  std::vector<double> found(x.shape(0) * n_levels);
  for_each_asked(self, x, n_threads, [&](std::size_t i, LabelQuantiles& asked) {
    for (std::size_t k = 0; k < n_levels; ++k) {
      const double level = levels.data()[k];
      found[i * n_levels + k] = !calibrated    ? asked.plain(level)
                                : level <= 0.5 ? asked.lower(level)
                                               : asked.upper(level);
    }
  });
  return to_numpy(std::move(found), {x.shape(0), n_levels});
}

/// The labels kept in the leaves of each point, with their weights: point i owns first[i] .. first[i + 1] - 1.
auto labels(const Self& self, const Features& x) {
  if (x.shape(1) != self.growth.width) throw std::invalid_argument("wrong number of columns");
  std::vector<std::int64_t> first{0};
  std::vector<double> weights, values;
  self.for_each_point(x.data(), x.shape(0), 1, [&](std::size_t, const Row& row) {
    for (const auto& slot : self.slots) {
      const auto& leaf = slot.tree.leaves[slot.tree.leaf_of(row.x)];
      const auto& kept = leaf.labels.sketch;
      kept.for_each_run([&](const sketch::SortedRun& run) {
        values.insert(values.end(), run.values, run.values + run.n);
        weights.insert(weights.end(), run.n, run.weight / static_cast<double>(kept.total()));
      });
    }
    if (static_cast<std::int64_t>(values.size()) == first.back()) {
      values.push_back(self.outlook().mean);
      weights.push_back(1.0);
    }
    first.push_back(static_cast<std::int64_t>(values.size()));
  });
  return std::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(weights)), to_numpy(std::move(values)));
}

auto forecast_then_learn(Self& self, const Features& x, const Labels& y, const Labels& weights, double confidence,
                         ScoreWindow* window) {
  const Batch batch = batch_of(self.growth.width, x, y, weights);
  std::vector<double> means(batch.n), intervals(2 * batch.n);
  {
    nb::gil_scoped_release release;
    QuantileStream stream(self, window);
    for (std::size_t i = 0; i < batch.n; ++i) {
      const IntervalForecast forecast =
          stream.learn(batch.features + i * self.growth.width, batch.labels[i], batch.weight(i), confidence);
      means[i] = forecast.mean;
      intervals[2 * i] = forecast.lower;
      intervals[2 * i + 1] = forecast.upper;
    }
  }
  return std::make_tuple(to_numpy(std::move(means)), to_numpy(std::move(intervals), {batch.n, std::size_t{2}}));
}

}  // namespace

void bind_quantile_forest(nb::module_& m) {
  bind_online<SketchedLabels>(m, "QuantileForest")
      .def("quantiles", &quantiles, nb::arg("x").noconvert(), nb::arg("levels").noconvert(), nb::arg("calibrated"),
           nb::arg("n_threads"))
      .def("labels", &labels, nb::arg("x").noconvert())
      .def("forecast_then_learn", &forecast_then_learn, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("confidence"), nb::arg("window").none());
}

}  // namespace hedgerow::bindings
