// SPDX-License-Identifier: BSD-3-Clause
// ADWIN (Bifet and Gavalda 2007): a window over a stream of numbers that shrinks when its older and its newer part
// differ in mean by more than chance allows. The window is an exponential histogram, so memory grows like the logarithm
// of its length. It relies on nothing and never looks at rows or trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hedgerow/memory/reserve.hpp"

namespace hedgerow::drift {

/// A stretch of the window: 2^level numbers, of which only the sum and the spread are known.
struct Bucket {
  std::uint32_t level;
  double total;
  double squares;  ///< sum of (number - mean of the bucket)^2

  [[nodiscard]] double count() const { return std::ldexp(1.0, static_cast<int>(level)); }
};

class Adwin {
 public:
  static constexpr std::size_t most_of_a_level = 5;   ///< M of the paper
  static constexpr std::uint64_t between_looks = 32;  ///< a cut is looked for after that many numbers
  static constexpr double least_window = 10, least_part = 5;

  explicit Adwin(double confidence = 0.002) : confidence_(confidence) {}

  /// Take a number from [0, 1]. Has the mean gone up? A mean that went down also cuts the window, but a learner that
  /// errs less than before is no cause for alarm. (Differs from the paper, which reports both.)
  bool update(double number) {
    buckets.push_back({0, number, 0.0});
    compress();
    return ++n_updates % between_looks == 0 && cut();
  }

  [[nodiscard]] double mean() const {
    const Part all = sum(buckets.size());
    return all.count > 0.0 ? all.total / all.count : 0.0;
  }
  [[nodiscard]] double width() const { return sum(buckets.size()).count; }
  /// What n more numbers may allocate.
  [[nodiscard]] std::size_t need(std::size_t n) const { return memory::to_add(buckets, n); }

  memory::Vector<Bucket> buckets;  ///< oldest first; levels never rise
  std::uint64_t n_updates = 0;

 private:
  struct Part {
    double count = 0.0, total = 0.0;
  };

  [[nodiscard]] Part sum(std::size_t n) const {
    Part part;
    for (std::size_t i = 0; i < n; ++i) part.count += buckets[i].count(), part.total += buckets[i].total;
    return part;
  }

  static Bucket merged(const Bucket& left, const Bucket& right) {
    const double n = left.count(), gap = right.total / n - left.total / n;
    return {left.level + 1, left.total + right.total, left.squares + right.squares + gap * gap * n / 2.0};
  }

  /// At most `most_of_a_level` buckets of each level: one more, and the two oldest of the level become one of the next.
  void compress() {
    std::size_t end = buckets.size();
    for (std::uint32_t level = 0; end > 0; ++level) {
      std::size_t begin = end;
      while (begin > 0 && buckets[begin - 1].level == level) --begin;
      if (end - begin <= most_of_a_level) return;
      buckets[begin] = merged(buckets[begin], buckets[begin + 1]);
      buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
      end = begin + 1;
    }
  }

  /// Variance of the whole window, from the spread within and between buckets.
  [[nodiscard]] double variance(const Part& all) const {
    const double mean = all.total / all.count;
    double squares = 0.0;
    for (const Bucket& bucket : buckets) {
      const double gap = bucket.total / bucket.count() - mean;
      squares += bucket.squares + gap * gap * bucket.count();
    }
    return squares / all.count;
  }

  /// Drop the oldest buckets as long as some cut of the window has two parts that differ too much.
  bool cut() {
    bool rose = false;
    for (double sign = differs(); sign != 0.0; sign = differs()) {
      rose = rose || sign > 0.0;
      buckets.erase(buckets.begin());
    }
    return rose;
  }

  /// The sign of new mean - old mean at the first cut where they differ by more than epsilon_cut (equation 3.1 of the
  /// paper); 0 if there is none.
  [[nodiscard]] double differs() const {
    const Part all = sum(buckets.size());
    if (all.count <= least_window) return 0.0;
    const double spread = variance(all), log_term = std::log(2.0 * std::log(all.count) / confidence_);
    Part old;
    for (const Bucket& bucket : buckets) {
      old.count += bucket.count();
      old.total += bucket.total;
      const double n_new = all.count - old.count;
      if (n_new < least_part) return 0.0;
      if (old.count < least_part) continue;
      const double inverse = 1.0 / old.count + 1.0 / n_new;
      const double bound = std::sqrt(2.0 * inverse * spread * log_term) + 2.0 / 3.0 * inverse * log_term;
      const double gap = (all.total - old.total) / n_new - old.total / old.count;
      if (std::abs(gap) > bound) return gap;
    }
    return 0.0;
  }

  double confidence_;
};

}  // namespace hedgerow::drift
