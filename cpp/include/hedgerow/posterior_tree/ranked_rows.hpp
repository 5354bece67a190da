// SPDX-License-Identifier: BSD-3-Clause
// Rows whose codes are ranks among the different values of a column, and their labels. A cut between two ranks is a cut
// between two values, exactly; ranks are half as wide as values and sort by counting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/posterior_tree/rows.hpp"

namespace hedgerow::posterior_tree {

using Rank = std::uint32_t;

struct RankedRows : CodedRows<Rank> {
  std::vector<double> labels;   ///< classes as whole numbers
  std::vector<double> weights;  ///< empty if all are one

  RankedRows() = default;

  /// All features are finite.
  RankedRows(Points points, std::vector<double> row_labels, std::vector<double> row_weights, std::size_t n_threads)
      : labels(std::move(row_labels)), weights(std::move(row_weights)) {
    n_rows = points.n;
    n_features = points.width;
    codes.resize(n_rows * n_features);
    positions.resize(n_features);
    parallel::for_each_index(n_features, n_threads, [&](std::size_t d, std::size_t) { rank_column(points.values, d); });
  }

  [[nodiscard]] double weight(RowId row) const { return weights.empty() ? 1.0 : weights[row]; }

  /// The highest rank whose value is at most `location`, which is not below the lowest value.
  [[nodiscard]] Rank rank_at(std::uint32_t feature, double location) const {
    const auto& values = positions[feature];
    return static_cast<Rank>(std::ranges::upper_bound(values, location) - values.begin() - 1);
  }

 private:
  void rank_column(const double* features, std::size_t d) {
    std::vector<std::pair<double, RowId>> sorted(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      sorted[row] = {features[row * n_features + d], static_cast<RowId>(row)};
    }
    std::ranges::sort(sorted);
    for (const auto& [value, row] : sorted) {
      if (positions[d].empty() || positions[d].back() != value) positions[d].push_back(value);
      codes[d * n_rows + row] = static_cast<Rank>(positions[d].size() - 1);
    }
  }
};

}  // namespace hedgerow::posterior_tree
