// SPDX-License-Identifier: BSD-3-Clause
// A quantile sketch (Karnin, Lang and Liberty 2016): numbers of a stream, thinned out so that few are kept and every
// rank stays nearly right. A number at level h stands for 2^h of them. While all fit into the first level, all are kept
// and nothing is lost. Levels are always in order, so a sketch is asked without being touched. It relies on a source of
// random bits given with each number, and knows no trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hedgerow::sketch {

/// One level of a sketch: n numbers in order, each standing for `weight` of them.
struct SortedRun {
  const double* values;
  std::size_t n;
  double weight;
};

class Kll {
 public:
  static constexpr double decay = 2.0 / 3.0;  ///< c of the paper: lower levels hold fewer numbers
  static constexpr std::size_t least_capacity = 8;

  /// A number that counts `copies` times. `bit()` gives random bits.
  template <class Bit>
  void add(double value, std::uint64_t copies, std::size_t capacity, Bit&& bit) {
    if (copies == 0) return;
    total_ += copies;
    if (levels_.empty()) levels_.emplace_back();
    if (copies < least_capacity) {
      insert(0, value, copies);
    } else {
      for (std::size_t level = 0; copies >> level != 0; ++level) {  // by its binary digits
        if ((copies >> level & 1) != 0) insert(level, value, 1);
      }
    }
    while (size() > total_capacity(capacity)) compact(capacity, bit());
  }

  [[nodiscard]] bool is_empty() const { return total_ == 0; }
  /// How many numbers came.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// How many are kept.
  [[nodiscard]] std::size_t size() const {
    std::size_t n = 0;
    for (const auto& level : levels_) n += level.size();
    return n;
  }

  template <class Function>
  void for_each_run(Function&& f) const {
    double weight = 1.0;
    for (const auto& level : levels_) {
      if (!level.empty()) f(SortedRun{level.data(), level.size(), weight});
      weight *= 2.0;
    }
  }

  [[nodiscard]] const std::vector<std::vector<double>>& levels() const { return levels_; }
  /// From a file: is this a sketch? Levels must be in order, and finite.
  bool restore(std::vector<std::vector<double>>&& levels, std::uint64_t n_compactions) {
    std::uint64_t total = 0;
    if (levels.size() > 52) return false;
    for (std::size_t h = 0; h < levels.size(); ++h) {
      if (!std::is_sorted(levels[h].begin(), levels[h].end())) return false;
      total += static_cast<std::uint64_t>(levels[h].size()) << h;
    }
    levels_ = std::move(levels);
    total_ = total;
    n_compactions_ = n_compactions;
    return true;
  }

  [[nodiscard]] std::uint64_t n_compactions() const { return n_compactions_; }
  [[nodiscard]] std::size_t n_bytes() const {
    std::size_t total = levels_.capacity() * sizeof(levels_[0]);
    for (const auto& level : levels_) total += level.capacity() * sizeof(double);
    return total;
  }

 private:
  void insert(std::size_t h, double value, std::size_t n) {
    if (h >= levels_.size()) levels_.resize(h + 1);
    auto& level = levels_[h];
    level.insert(std::upper_bound(level.begin(), level.end(), value), n, value);
  }

  [[nodiscard]] std::size_t capacity_of(std::size_t h, std::size_t capacity) const {
    const double share = std::pow(decay, static_cast<double>(levels_.size() - 1 - h));
    return std::max(least_capacity, static_cast<std::size_t>(std::ceil(static_cast<double>(capacity) * share)));
  }
  [[nodiscard]] std::size_t total_capacity(std::size_t capacity) const {
    if (levels_.size() == 1) return std::max(least_capacity, capacity);
    std::size_t total = 0;
    for (std::size_t h = 0; h < levels_.size(); ++h) total += capacity_of(h, capacity);
    return total;
  }

  /// The lowest level that is full gives every other number, from the first or the second on, to the next; if their
  /// number is odd, the last one stays.
  void compact(std::size_t capacity, bool from_second) {
    std::size_t h = 0;
    while (levels_[h].size() < 2 || levels_[h].size() < capacity_of(h, capacity)) ++h;
    if (h + 1 == levels_.size()) levels_.emplace_back();
    auto& level = levels_[h];
    auto& next = levels_[h + 1];
    const std::size_t n_before = next.size(), n_even = level.size() / 2 * 2;
    for (std::size_t i = from_second ? 1 : 0; i < n_even; i += 2) next.push_back(level[i]);
    std::inplace_merge(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(n_before), next.end());
    level.erase(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(n_even));
    ++n_compactions_;
  }

  std::vector<std::vector<double>> levels_;  ///< each in order
  std::uint64_t total_ = 0, n_compactions_ = 0;
};

}  // namespace hedgerow::sketch
