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

#include "hedgerow/memory/reserve.hpp"

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
  static constexpr std::size_t most_levels = 64;

  /// A number that counts `copies` times. `bit()` gives random bits.
  template <class Bit>
  void add(double value, std::uint64_t copies, std::size_t capacity, Bit&& bit) {
    if (copies == 0) return;
    total_ += copies;
    if (sizes_.empty()) sizes_.push_back(0);
    if (copies < least_capacity) {
      insert(0, value, copies);
    } else {
      for (std::size_t level = 0; copies >> level != 0; ++level) {  // by its binary digits
        if ((copies >> level & 1) != 0) insert(level, value, 1);
      }
    }
    while (size() > total_capacity(capacity)) compact(capacity, bit());
  }

  /// What a sketch may allocate until it has met n numbers more, n of them or fewer at once: numbers kept are at most
  /// those that the levels have room for, sum of max(8, ceil(capacity (2/3)^i)) < 3 capacity + 9 levels, and the digits
  /// of the last one.
  [[nodiscard]] static std::size_t need(std::size_t capacity) {
    const std::size_t most = 3 * std::max(least_capacity, capacity) + 10 * most_levels;
    return memory::to_hold(most, sizeof(double)) + memory::to_hold(most_levels, sizeof(std::uint32_t));
  }

  [[nodiscard]] bool is_empty() const { return total_ == 0; }
  /// How many numbers came.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// How many are kept.
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  /// The runs of the levels, the lowest first.
  template <class Function>
  void for_each_run(Function&& f) const {
    double weight = 1.0;
    const double* end = values_.data() + values_.size();
    for (const std::uint32_t n : sizes_) {
      end -= n;
      if (n > 0) f(SortedRun{end, n, weight});
      weight *= 2.0;
    }
  }

  [[nodiscard]] std::size_t n_levels() const { return sizes_.size(); }
  [[nodiscard]] std::vector<double> level(std::size_t h) const {
    const double* first = values_.data() + begin_of(h);
    return {first, first + sizes_[h]};
  }
  /// From a file: is this a sketch? Levels must be in order, and finite.
  bool restore(const std::vector<std::vector<double>>& levels, std::uint64_t n_compactions) {
    if (levels.size() > 52) return false;
    Kll read;
    std::size_t n = most_levels;  // room for what the next number adds: then too many are thinned out
    for (const auto& level : levels) n += level.size();
    read.values_.reserve(n);
    for (std::size_t h = levels.size(); h-- > 0;) {
      if (!std::is_sorted(levels[h].begin(), levels[h].end())) return false;
      read.values_.insert(read.values_.end(), levels[h].begin(), levels[h].end());
      read.total_ += static_cast<std::uint64_t>(levels[h].size()) << h;
    }
    for (const auto& level : levels) read.sizes_.push_back(static_cast<std::uint32_t>(level.size()));
    read.n_compactions_ = n_compactions;
    *this = std::move(read);
    return true;
  }

  [[nodiscard]] std::uint64_t n_compactions() const { return n_compactions_; }
  [[nodiscard]] std::size_t n_bytes() const {
    return values_.capacity() * sizeof(double) + sizes_.capacity() * sizeof(std::uint32_t);
  }

 private:
  /// Where a level begins: behind all higher ones.
  [[nodiscard]] std::size_t begin_of(std::size_t h) const {
    std::size_t n = values_.size();
    for (std::size_t k = 0; k <= h; ++k) n -= sizes_[k];
    return n;
  }

  void insert(std::size_t h, double value, std::size_t n) {
    if (h >= sizes_.size()) sizes_.resize(h + 1, 0);
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(begin_of(h));
    values_.insert(std::upper_bound(begin, begin + sizes_[h], value), n, value);
    sizes_[h] += static_cast<std::uint32_t>(n);
  }

  [[nodiscard]] std::size_t capacity_of(std::size_t h, std::size_t capacity) const {
    const double share = std::pow(decay, static_cast<double>(sizes_.size() - 1 - h));
    return std::max(least_capacity, static_cast<std::size_t>(std::ceil(static_cast<double>(capacity) * share)));
  }
  [[nodiscard]] std::size_t total_capacity(std::size_t capacity) const {
    if (sizes_.size() == 1) return std::max(least_capacity, capacity);
    std::size_t total = 0;
    for (std::size_t h = 0; h < sizes_.size(); ++h) total += capacity_of(h, capacity);
    return total;
  }

  /// The lowest level that is full gives every other number, from the first or the second on, to the next, which lies
  /// before it; if their number is odd, the last one stays.
  void compact(std::size_t capacity, bool from_second) {
    std::size_t h = 0;
    while (sizes_[h] < 2 || sizes_[h] < capacity_of(h, capacity)) ++h;
    if (h + 1 == sizes_.size()) sizes_.push_back(0);
    const std::size_t n_even = sizes_[h] / 2 * 2;
    const auto level = values_.begin() + static_cast<std::ptrdiff_t>(begin_of(h));
    const auto next = level - sizes_[h + 1];
    auto kept = level;
    for (std::size_t i = from_second ? 1 : 0; i < n_even; i += 2) *kept++ = level[static_cast<std::ptrdiff_t>(i)];
    std::inplace_merge(next, level, kept);
    values_.erase(kept, level + static_cast<std::ptrdiff_t>(n_even));
    sizes_[h] -= static_cast<std::uint32_t>(n_even);
    sizes_[h + 1] += static_cast<std::uint32_t>(n_even / 2);
    ++n_compactions_;
  }

  memory::Vector<double> values_;        ///< level after level, the highest first, each in order
  memory::Vector<std::uint32_t> sizes_;  ///< of the levels, the lowest first
  std::uint64_t total_ = 0, n_compactions_ = 0;
};

}  // namespace hedgerow::sketch
