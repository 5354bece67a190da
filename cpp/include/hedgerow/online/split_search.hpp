// SPDX-License-Identifier: BSD-3-Clause
// The best split of a leaf: which feature, where, and whether it is worth making. It sees the rows that the leaf keeps
// and nothing else, so its thresholds are exact for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/online/growth.hpp"
#include "hedgerow/online/kept_rows.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::online {

/// Rows with x[feature] <= threshold go left. The gain is the share of the labels' variance that the split explains; if
/// spread is weighed too, 1 minus the product of the shares that it leaves of labels and of their distances from the
/// mean.
struct Split {
  std::uint32_t feature = 0;
  float threshold = 0.0F;
  double gain = 0.0;
  double squares = 0.0;  ///< sum of weight * (label - mean)^2 before the split
};

class SplitSearch {
 public:
  /// So that `find` needs no memory for a leaf of so many rows.
  void make_room(const Growth& growth, std::size_t n_rows) {
    const auto make = [](auto& values, std::size_t n) {
      if (n > values.capacity()) values.reserve(std::max(n, 2 * values.capacity()));
    };
    make(features_, growth.width);
    make(order_, n_rows);
    make(labels_.values, n_rows);
    if (growth.weighs_spread) make(distances_.values, n_rows);
  }

  /// A split worth making, or one with gain 0. `n_seen` is the number of rows that the leaf ever met.
  Split find(const KeptRows& rows, const Growth& growth, std::uint64_t n_seen, random::Stream& stream) {
    center(rows, growth);
    if (!(labels_.squares > 0.0)) return {};
    features_.resize(growth.width);
    std::iota(features_.begin(), features_.end(), 0U);
    Split best, second;
    for (std::size_t inspected = 0; inspected < growth.width; ++inspected) {
      const bool enough = inspected >= growth.n_candidates;
      if (enough && growth.split_test == SplitTest::hoeffding) break;
      if (enough && is_worth_it(best, second, rows.size(), growth, n_seen)) break;
      const auto left = static_cast<double>(growth.width - inspected);
      const std::size_t chosen = inspected + static_cast<std::size_t>(stream.uniform() * left);
      std::swap(features_[inspected], features_[chosen]);
      const Split split = best_of(rows, features_[inspected], growth);
      if (split.gain > best.gain) {
        second = std::exchange(best, split);
      } else if (split.gain > second.gain) {
        second = split;
      }
    }
    best.squares = labels_.squares;
    return is_worth_it(best, second, rows.size(), growth, n_seen) ? best : Split{};
  }

  /// Half-width of Hoeffding's interval for a number from [0, 1] after n rows.
  static double hoeffding_bound(double confidence, double n) { return std::sqrt(-std::log(confidence) / (2.0 * n)); }

  /// Whether labels depend on the feature: twice the logarithm of the likelihood ratio of two means against one is
  /// -n log(1 - gain). Under no dependence it exceeds 2 log(1 / p) with probability about p, and there are `width`
  /// features with n thresholds each to be lucky with. If spread is weighed too, this is the sum of two such numbers,
  /// which are uncorrelated for symmetric labels, and "about p" is exact for the square of two Gaussians.
  static bool is_significant(double gain, double n, const Growth& growth) {
    return -0.5 * n * std::log1p(-gain) >
           std::log(n * static_cast<double>(growth.width)) - std::log(growth.split_confidence);
  }

 private:
  static bool is_worth_it(const Split& best, const Split& second, std::size_t n_kept, const Growth& growth,
                          std::uint64_t n_seen) {
    if (!(best.gain > 0.0)) return false;
    if (hoeffding_bound(growth.split_confidence, static_cast<double>(n_seen)) < growth.tie_threshold) return true;
    if (growth.split_test == SplitTest::gain) return is_significant(best.gain, static_cast<double>(n_kept), growth);
    const double bound = hoeffding_bound(growth.split_confidence, static_cast<double>(n_kept));
    return second.gain / best.gain < 1.0 - bound;
  }

  /// Numbers of the rows about their mean.
  struct Centered {
    std::vector<double> values;  ///< weight * (number - mean)
    double squares = 0.0;        ///< sum of weight * (number - mean)^2

    /// `number(i)` is that of row i; the first one is an origin that keeps differences exact.
    template <class Number>
    void assign(std::span<const double> weights, double total_weight, Number&& number) {
      const double origin = number(0);
      double sum = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * (number(i) - origin);
      const double mean = origin + sum / total_weight;
      values.resize(weights.size());
      squares = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double gap = number(i) - mean;
        values[i] = weights[i] * gap;
        squares += values[i] * gap;
      }
    }
    /// A split into sums s_L = -s_R explains the share (s_L^2 / w_L + s_R^2 / w_R) / squares.
    [[nodiscard]] double explained(double sum, double inverse_weights) const {
      return squares > 0.0 ? std::min(sum * sum * inverse_weights / squares, 1.0) : 0.0;
    }
  };

  void center(const KeptRows& rows, const Growth& growth) {
    total_weight_ = std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
    labels_.assign(rows.weights, total_weight_, [&](std::size_t i) { return rows.labels[i]; });
    if (!growth.weighs_spread) return;
    distances_.assign(rows.weights, total_weight_,
                      [&](std::size_t i) { return std::abs(labels_.values[i]) / rows.weights[i]; });
  }

  Split best_of(const KeptRows& rows, std::uint32_t feature, const Growth& growth) {
    const std::size_t n = rows.size();
    order_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      order_[i] = {rows.features[i * growth.width + feature], static_cast<std::uint32_t>(i)};
    }
    std::sort(order_.begin(), order_.end());
    Split best{feature};
    double weight = 0.0, sum = 0.0, distance = 0.0;
    for (std::size_t k = 0; k + growth.min_samples_leaf < n; ++k) {
      const auto [value, row] = order_[k];
      weight += rows.weights[row];
      sum += labels_.values[row];
      if (growth.weighs_spread) distance += distances_.values[row];
      const float next = order_[k + 1].first;
      if (k + 1 < growth.min_samples_leaf || !(value < next)) continue;
      const double inverse_weights = 1.0 / weight + 1.0 / (total_weight_ - weight);
      double gain = labels_.explained(sum, inverse_weights);
      if (growth.weighs_spread) gain += (1.0 - gain) * distances_.explained(distance, inverse_weights);
      if (gain > best.gain) best = {feature, midpoint(value, next), gain, 0.0};
    }
    best.gain = std::min(best.gain, 1.0 - 1e-15);
    return best;
  }

  /// Between two numbers, or the lower one if there is none between.
  static float midpoint(float lower, float upper) {
    const float middle = 0.5F * lower + 0.5F * upper;
    return middle >= lower && middle < upper ? middle : lower;
  }

  std::vector<std::uint32_t> features_;
  std::vector<std::pair<float, std::uint32_t>> order_;
  Centered labels_, distances_;  ///< labels, and their distances from the mean
  double total_weight_ = 0.0;
};

}  // namespace hedgerow::online
