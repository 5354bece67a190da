// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of a row's label: those of the mixture of the sketches of one leaf a tree, each tree with the same weight
// (Burns n.d., section 1.3; its Algorithm 5 merges sketches and so weighs leaves by their size, which differs).
// Beyond the labels that the leaves have met the distribution goes on evenly, a standard deviation for each unit of
// level, so that levels outside [0, 1], which a calibration may ask for, mean something.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hedgerow/conformal/score_window.hpp"
#include "hedgerow/online/calibration_rule.hpp"
#include "hedgerow/online/forest.hpp"
#include "hedgerow/online/sketched_labels.hpp"
#include "hedgerow/sketch/union_of_runs.hpp"

namespace hedgerow::online {

using QuantileForest = Forest<SketchedLabels>;

class LabelQuantiles {
 public:
  /// So that a forest of so many trees is asked without memory.
  void make_room(std::size_t n_trees) { runs_.make_room(n_trees * sketch::Kll::most_levels); }

  void ask(const QuantileForest& forest, const Row& row) {
    runs_.clear();
    MixtureSum heard;
    for (const auto& slot : forest.slots) {
      const auto& leaf = slot.tree.leaves[slot.tree.leaf_of(row.x)];
      heard.hear(leaf.speak());
      const auto& kept = leaf.labels.sketch;
      if (kept.is_empty()) continue;
      kept.for_each_run([&](const sketch::SortedRun& run) {
        runs_.add({run.values, run.n, run.weight / static_cast<double>(kept.total())});
      });
    }
    spread_ = heard.std();
    lowest_ = runs_.is_empty() ? heard.mean() : runs_.lowest();
    highest_ = runs_.is_empty() ? heard.mean() : runs_.highest();
  }

  /// inf {y : F(y) >= level}, for a level of [0, 1].
  [[nodiscard]] double plain(double level) { return runs_.is_empty() ? lowest_ : runs_.quantile(level); }

  /// Ends of calibrated intervals, for any level.
  [[nodiscard]] double lower(double level) {
    if (level < 0.0 || runs_.is_empty()) return lowest_ + std::min(level, 0.0) * spread_;
    return runs_.quantile(level);
  }
  [[nodiscard]] double upper(double level) {
    if (level > 1.0 || runs_.is_empty()) return highest_ + std::max(level - 1.0, 0.0) * spread_;
    return runs_.quantile_above(level);
  }

  /// How far from the median, in levels: the smallest r with lower(1/2 - r) <= label <= upper(1/2 + r).
  [[nodiscard]] double score(double label) const {
    if (label < lowest_) return 0.5 + outside(lowest_ - label);
    if (label > highest_) return 0.5 + outside(label - highest_);
    if (runs_.is_empty()) return 0.0;
    const auto [below, up_to] = runs_.ranks(label);
    return std::max({0.0, below - 0.5, 0.5 - up_to});
  }

 private:
  [[nodiscard]] double outside(double distance) const { return std::min(distance / std::max(spread_, 1e-300), 1e300); }

  sketch::UnionOfRuns runs_;
  double spread_ = 0.0, lowest_ = 0.0, highest_ = 0.0;
};

/// A row's mean and interval just before it is learned.
struct IntervalForecast {
  double mean, lower, upper;
};

/// Forecasts and learns rows one after another. With a window, levels are calibrated: a score is how far from the
/// median a label was, in levels (Chernozhukov, Wuthrich and Zhu 2021), and joins the window after its row was
/// forecast.
class QuantileStream {
 public:
  /// For n rows: what they may need is made now, but for what the forest allocates, see its `need`.
  QuantileStream(QuantileForest& forest, conformal::ScoreWindow* window, std::size_t n)
      : forest_(forest), window_(window), x_(forest.growth.width), z_(forest.room_for_z()) {
    quantiles_.make_room(forest.slots.size());
    forest.make_room(search_, n);
    if (window != nullptr) window->make_room(n);
  }

  IntervalForecast learn(const double* features, double label, double weight, double confidence) {
    const Arrival arrival = forest_.announce(features, label, weight, x_.data(), z_);
    const bool knows = arrival.number > 0;
    if (knows) quantiles_.ask(forest_, arrival.row);
    const double all = std::numeric_limits<double>::infinity();
    IntervalForecast forecast{0.0, -all, all};
    if (knows) ends(confidence, forecast);
    if (window_ != nullptr && arrival.number >= forest_.growth.grace_period) window_->update(quantiles_.score(label));
    for (auto& slot : forest_.slots) {
      label::Gaussian said{};
      slot.learn(arrival, forest_.growth, search_, said);
      forecast.mean += forest_.is_warm(arrival.number) ? said.mean : arrival.outlook.mean;
    }
    forecast.mean /= static_cast<double>(forest_.slots.size());
    return forecast;
  }

 private:
  void ends(double confidence, IntervalForecast& forecast) {
    const double reach = window_ == nullptr ? 0.5 * confidence : window_->radius(confidence);
    if (std::isinf(reach)) return;
    forecast.lower = quantiles_.lower(0.5 - reach);
    forecast.upper = window_ == nullptr ? quantiles_.plain(0.5 + reach) : quantiles_.upper(0.5 + reach);
  }

  QuantileForest& forest_;
  conformal::ScoreWindow* window_;
  LabelQuantiles quantiles_;
  SplitSearch search_;
  std::vector<float> x_;
  std::vector<double> z_;
};

}  // namespace hedgerow::online
