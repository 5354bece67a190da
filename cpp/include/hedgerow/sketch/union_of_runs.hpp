// SPDX-License-Identifier: BSD-3-Clause
// Quantiles and ranks of the union of many runs in order, each number with the weight of its run, without merging them:
// a search that halves the largest run until nothing is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "hedgerow/sketch/kll.hpp"

namespace hedgerow::sketch {

class UnionOfRuns {
 public:
  /// So that up to n runs need no memory.
  void make_room(std::size_t n) {
    runs_.reserve(n);
    ranges_.reserve(n);
    cuts_.reserve(n);
  }
  void clear() {
    runs_.clear();
    total_ = 0.0;
  }
  /// Empty runs must not come.
  void add(const SortedRun& run) {
    runs_.push_back(run);
    total_ += run.weight * static_cast<double>(run.n);
  }

  [[nodiscard]] bool is_empty() const { return runs_.empty(); }
  [[nodiscard]] double lowest() const {
    double found = std::numeric_limits<double>::infinity();
    for (const SortedRun& run : runs_) found = std::min(found, run.values[0]);
    return found;
  }
  [[nodiscard]] double highest() const {
    double found = -std::numeric_limits<double>::infinity();
    for (const SortedRun& run : runs_) found = std::max(found, run.values[run.n - 1]);
    return found;
  }

  /// Shares of the weight strictly below y, and up to y.
  [[nodiscard]] std::pair<double, double> ranks(double y) const {
    double below = 0.0, up_to = 0.0;
    for (const SortedRun& run : runs_) {
      const auto [first, last] = std::equal_range(run.values, run.values + run.n, y);
      below += run.weight * static_cast<double>(first - run.values);
      up_to += run.weight * static_cast<double>(last - run.values);
    }
    return {below / total_, up_to / total_};
  }

  /// The smallest number with at least the given share of the weight up to it; the largest number if there is none.
  [[nodiscard]] double quantile(double share) {
    return select([&](double up_to) { return up_to >= share - slack; });
  }
  /// The smallest number with more than the given share of the weight up to it; the largest number if there is none.
  [[nodiscard]] double quantile_above(double share) {
    return select([&](double up_to) { return up_to > share + slack; });
  }

  static constexpr double slack = 1e-9;  ///< shares that differ by less are equal

 private:
  struct Range {
    std::size_t begin, end;
  };

  template <class Reached>
  double select(Reached&& reached) {
    ranges_.clear();
    for (const SortedRun& run : runs_) ranges_.push_back({0, run.n});
    double answer = highest();
    while (true) {
      const std::size_t widest = widest_range();
      if (widest == runs_.size()) return answer;
      const double pivot = runs_[widest].values[(ranges_[widest].begin + ranges_[widest].end) / 2];
      double up_to = 0.0;
      cuts_.clear();
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        const double* values = runs_[k].values;
        const auto cut = std::upper_bound(values + ranges_[k].begin, values + ranges_[k].end, pivot) - values;
        cuts_.push_back(static_cast<std::size_t>(cut));
        up_to += runs_[k].weight * static_cast<double>(cut);
      }
      if (reached(up_to / total_)) {
        answer = pivot;
        for (std::size_t k = 0; k < runs_.size(); ++k) {  // what is left lies below the pivot
          const double* values = runs_[k].values;
          const auto cut = std::lower_bound(values + ranges_[k].begin, values + cuts_[k], pivot) - values;
          ranges_[k].end = static_cast<std::size_t>(cut);
        }
      } else {
        for (std::size_t k = 0; k < runs_.size(); ++k) ranges_[k].begin = cuts_[k];
      }
    }
  }

  /// The run with most numbers still in question, or the number of runs if there are none.
  [[nodiscard]] std::size_t widest_range() const {
    std::size_t found = runs_.size(), most = 0;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (const std::size_t n = ranges_[k].end - ranges_[k].begin; n > most) found = k, most = n;
    }
    return found;
  }

  std::vector<SortedRun> runs_;
  std::vector<Range> ranges_;
  std::vector<std::size_t> cuts_;
  double total_ = 0.0;
};

}  // namespace hedgerow::sketch
