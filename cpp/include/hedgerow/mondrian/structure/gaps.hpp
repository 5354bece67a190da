// SPDX-License-Identifier: BSD-3-Clause
// Stretches of a column without a row, inside its range and beyond it, and how much wider predictions are there. Trees
// know the distance from a row by the units in which they were grown, which say how fast labels change where rows are.
// Here it is the distance from the nearest row along a column, in bins of the column's range, and what it costs is
// learned elsewhere. Rows come and go: bins count them. Categories are not far from each other or near: one that no row
// has costs a fixed amount.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/rows.hpp"

namespace hedgerow::mondrian {

class Gaps {
 public:
  static constexpr double bins_in_range = 40.0;

  struct Column {
    std::size_t number;
    double begin;   ///< of its range, in the user's units,
    double length;  ///< and how long that is; positive, or 0 where values are the places of categories
    double slope;   ///< variance added, by the square of the distance in units of that length, or by a new category

    [[nodiscard]] bool has_categories() const { return length == 0.0; }
  };

  Gaps() = default;
  Gaps(std::vector<Column> columns, const Rows& rows) : columns_(std::move(columns)), counts_(columns_.size()) {
    for (const Column& column : columns_) {
      if (column.number >= rows.width()) throw std::invalid_argument("there is no such column");
    }
    rows.for_each([&](RowId id) { arrive(rows.as_given(id)); });
  }

  /// A row, in the user's units. If there is no memory for it, it has not arrived.
  void arrive(const double* x) {
    prune();
    for (std::size_t k = 0; k < columns_.size(); ++k) counts_[k].try_emplace(bin_of(k, x), 0);
    come_back(x);
  }
  /// Neither needs memory: a bin stays when its last row has left, for a while.
  void leave(const double* x) noexcept { step(x, -1); }
  void come_back(const double* x) noexcept { step(x, 1); }

  /// The variance added at a point in the user's units. The first bin beside one with rows counts as near to them.
  /// Categories that are new together mostly say the same, so only the one that costs most counts.
  [[nodiscard]] double added(const double* x) const {
    double total = 0.0, of_categories = 0.0;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k].has_categories()) {
        if (is_new(k, x)) of_categories = std::max(of_categories, columns_[k].slope);
        continue;
      }
      const double bins = distance_from(counts_[k], position(columns_[k], x)) - 1.0, distance = bins / bins_in_range;
      if (bins > 0.0) total += columns_[k].slope * distance * distance;
    }
    return total + of_categories;
  }

 private:
  using Bins = std::map<std::int64_t, std::int64_t>;  ///< how many rows are in each bin that has any, or had
  static constexpr std::size_t many_left = 1000;

  void step(const double* x, std::int64_t by) noexcept {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto found = counts_[k].find(bin_of(k, x));
      if (found == counts_[k].end()) continue;
      found->second += by;
      if (by < 0 && found->second == 0) ++n_left_;
    }
  }
  /// Bins without rows go, many at a time.
  void prune() {
    if (n_left_ < many_left) return;
    n_left_ = 0;
    for (Bins& bins : counts_) std::erase_if(bins, [](const auto& bin) { return bin.second == 0; });
  }

  /// In bins from where the range began.
  static double position(const Column& column, const double* x) {
    constexpr double limit = 1e15;  // beyond it all values are equally far
    return std::clamp((x[column.number] - column.begin) / column.length * bins_in_range, -limit, limit);
  }
  [[nodiscard]] std::int64_t bin_of(std::size_t k, const double* x) const {
    if (columns_[k].has_categories()) return std::bit_cast<std::int64_t>(x[columns_[k].number] + 0.0);  // -0 is 0
    return static_cast<std::int64_t>(std::floor(position(columns_[k], x)));
  }
  [[nodiscard]] bool is_new(std::size_t k, const double* x) const {
    const auto found = counts_[k].find(bin_of(k, x));
    return found == counts_[k].end() || found->second == 0;
  }
  /// In bins, from the nearest edge of one that has rows; 0 within.
  static double distance_from(const Bins& bins, double at) {
    auto above = bins.upper_bound(static_cast<std::int64_t>(std::floor(at)));
    auto below = std::make_reverse_iterator(above);
    while (above != bins.end() && above->second == 0) ++above;
    while (below != bins.rend() && below->second == 0) ++below;
    double nearest = above == bins.end() ? HUGE_VAL : static_cast<double>(above->first) - at;
    if (below != bins.rend()) nearest = std::min(nearest, at - static_cast<double>(below->first) - 1.0);
    return std::isinf(nearest) ? 0.0 : std::max(nearest, 0.0);
  }

  std::vector<Column> columns_;
  std::vector<Bins> counts_;
  std::size_t n_left_ = 0;  ///< how often a bin has lost its last row since they were pruned
};

}  // namespace hedgerow::mondrian
