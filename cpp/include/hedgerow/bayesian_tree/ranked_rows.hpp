// SPDX-License-Identifier: BSD-3-Clause
// The training rows, column by column, each value replaced by its rank among the different values of its column.
// A cut between two ranks is a cut between two values, exactly; ranks are half as wide and sort by counting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::bayesian_tree {

using RowId = std::uint32_t;
using Rank = std::uint32_t;

struct RankedRows {
  std::size_t n_rows = 0, n_features = 0;
  std::vector<Rank> ranks;                  ///< column by column
  std::vector<std::vector<double>> values;  ///< values[d][rank], rising
  std::vector<double> labels;               ///< classes as whole numbers
  std::vector<double> weights;              ///< empty if all are one

  RankedRows() = default;

  /// `features` is row by row, all finite.
  RankedRows(const double* features, std::size_t n, std::size_t width, std::vector<double> row_labels,
             std::vector<double> row_weights, std::size_t n_threads)
      : n_rows(n),
        n_features(width),
        ranks(n * width),
        values(width),
        labels(std::move(row_labels)),
        weights(std::move(row_weights)) {
    parallel::for_each_index(width, n_threads, [&](std::size_t d, std::size_t) { rank_column(features, d); });
  }

  [[nodiscard]] const Rank* column(std::uint32_t feature) const { return ranks.data() + feature * n_rows; }
  [[nodiscard]] double weight(RowId row) const { return weights.empty() ? 1.0 : weights[row]; }

  /// The highest rank whose value is at most `location`, which is not below the lowest value.
  [[nodiscard]] Rank rank_at(std::uint32_t feature, double location) const {
    const auto& sorted = values[feature];
    return static_cast<Rank>(std::ranges::upper_bound(sorted, location) - sorted.begin() - 1);
  }

 private:
  void rank_column(const double* features, std::size_t d) {
    std::vector<std::pair<double, RowId>> sorted(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      sorted[row] = {features[row * n_features + d], static_cast<RowId>(row)};
    }
    std::ranges::sort(sorted);
    for (const auto& [value, row] : sorted) {
      if (values[d].empty() || values[d].back() != value) values[d].push_back(value);
      ranks[d * n_rows + row] = static_cast<Rank>(values[d].size() - 1);
    }
  }
};

}  // namespace hedgerow::bayesian_tree
