// SPDX-License-Identifier: BSD-3-Clause
// Rows whose codes are bins. A column has at most 255 cuts, so a bin is a byte, and what a sweep reads stays in the
// cache. Every gap between neighbouring values is a cut if there are few enough; otherwise the gaps are divided, in
// order, into runs of about equally many rows and gaps, half of either, and the widest of each run is a cut: wherever
// values fall into clusters, there is a cut between them, and a column of zeros with a few other values has cuts among
// these. Under the prior, a cut is as likely as the part of the column is long that it stands for (locations are
// uniform: Lakshminarayanan 2016, equation 4.4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hedgerow/numeric/search.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/posterior_tree/rows.hpp"

namespace hedgerow::posterior_tree {

using Bin = std::uint8_t;

/// How many cuts, at most 255 that rise, are below a value.
inline Bin bin_among(const std::vector<double>& cuts, double value) {
  return static_cast<Bin>(numeric::count_before(cuts.data(), cuts.size(), [=](double cut) { return cut < value; }));
}

struct BinnedRows : CodedRows<Bin> {
  static constexpr std::size_t most_cuts = 255;

  std::vector<std::vector<double>> cuts;  ///< of each column, rising; a value in bin b is at most cuts[b]

  BinnedRows() = default;
  BinnedRows(Points points, std::size_t n_threads) : cuts(points.width) {
    n_rows = points.n;
    n_features = points.width;
    codes.resize(n_rows * n_features);
    positions.resize(n_features);
    parallel::for_each_index(n_features, n_threads, [&](std::size_t d, std::size_t) {
      std::vector<double> column(n_rows);
      for (std::size_t row = 0; row < n_rows; ++row) column[row] = points.values[row * n_features + d];
      std::vector<double> sorted = column;
      std::ranges::sort(sorted);
      choose_cuts(sorted, cuts[d], positions[d]);
      for (std::size_t row = 0; row < n_rows; ++row) codes[d * n_rows + row] = bin_of(d, column[row]);
    });
  }

  [[nodiscard]] Bin bin_of(std::size_t feature, double value) const { return bin_among(cuts[feature], value); }

 private:
  /// Between two values; the lower goes left and the upper right, whatever rounding does.
  static double between(double lower, double upper) {
    const double middle = 0.5 * lower + 0.5 * upper;
    return middle >= upper ? lower : std::max(middle, lower);
  }

  /// `before`: of each bin, the prior weight of all cuts before it.
  static void choose_cuts(const std::vector<double>& sorted, std::vector<double>& chosen, std::vector<double>& before) {
    std::vector<std::size_t> gaps;  // by the row on their left
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      if (sorted[i] < sorted[i + 1]) gaps.push_back(i);
    }
    const auto length = [&](std::size_t i) { return 0.5 * sorted[i + 1] - 0.5 * sorted[i]; };
    const bool all = gaps.size() <= most_cuts;
    const auto run_of = [&](std::size_t g) {
      const double of_rows = static_cast<double>(gaps[g]) / static_cast<double>(sorted.size());
      const double of_gaps = static_cast<double>(g) / static_cast<double>(gaps.size());
      return all ? g : static_cast<std::size_t>(0.5 * (of_rows + of_gaps) * static_cast<double>(most_cuts));
    };
    std::vector<double> lengths;
    for (std::size_t g = 0; g < gaps.size();) {
      std::size_t widest = g, next = g;
      double total = 0.0;
      for (; next < gaps.size() && run_of(next) == run_of(g); ++next) {
        total += length(gaps[next]);
        if (length(gaps[next]) > length(gaps[widest])) widest = next;
      }
      chosen.push_back(between(sorted[gaps[widest]], sorted[gaps[widest] + 1]));
      lengths.push_back(total);
      g = next;
    }
    double whole = 0.0;
    for (const double one : lengths) whole += one;
    before.push_back(0.0);
    // No cut is quite impossible, however close two values are; if half of every gap rounds to zero, all are as likely.
    const double n_cuts = static_cast<double>(lengths.size()), least = 1e-9 / n_cuts;
    for (const double one : lengths)
      before.push_back(before.back() + (whole > 0.0 ? one / whole : 1.0 / n_cuts) + least);
  }
};

}  // namespace hedgerow::posterior_tree
