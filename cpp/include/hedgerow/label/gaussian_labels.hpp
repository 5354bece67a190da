// SPDX-License-Identifier: BSD-3-Clause
// What label models for real labels have in common: how labels are counted over a whole forest, and how plain
// summaries are written to files.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/numeric/exact_sum.hpp"

namespace hedgerow::label {

/// Labels lie within, so that their squares, weighed and added up over all rows, are finite. Users hand in smaller
/// ones; files may not.
inline constexpr double largest_label = 1e130, largest_square = 1e300;
inline bool is_within(double number, double most) { return std::abs(number) <= most; }  // NaN is not

/// Weight, mean and spread of labels. Welford's update, there and back, so a large offset costs no precision.
struct LabelMoments {
  double weight = 0.0;
  double mean = 0.0;
  double squares = 0.0;  ///< sum of weight * (label - mean)^2

  void add(double label, double added) {
    weight += added;
    const double before = label - mean;
    mean += added / weight * before;
    squares += std::max(0.0, added * before * (label - mean));  // a mean that is rounded may lie beyond the label
  }
  void remove(double label, double removed) {
    const double left = weight - removed;
    if (left <= 1e-12 * removed) {
      *this = {};
      return;
    }
    const double before = label - mean;
    mean -= removed / left * before;
    squares = std::max(0.0, squares - removed * before * (label - mean));
    weight = left;
  }
  /// Could these be moments of labels? Asked of what comes from a file.
  [[nodiscard]] bool are_possible() const {
    return weight >= 0.0 && squares >= 0.0 && is_within(weight, largest_square) && is_within(mean, largest_label) &&
           squares <= largest_square * std::min(1.0, weight);
  }
};

/// The same from sums without rounding: the order in which labels came and went does not show.
struct MomentSums {
  numeric::ExactSum weight, label, square;

  void count(double value, double added, double sign) {
    const double squared = value * value;
    weight.add(sign * added);
    label.add_product(sign * added, value);
    square.add_product(sign * added, squared);
    square.add_product(sign * added, std::fma(value, value, -squared));
  }
  /// The sum of w (y - m)^2 = S_2 - 2 m S_1 + m^2 S_0, to twice the digits of a double, where m is the mean.
  [[nodiscard]] LabelMoments moments() const {
    const double total = weight.value();
    if (!(total > 0.0)) return {};
    const double mean = label.value() / total, squared = mean * mean;
    numeric::ExactSum squares = square;
    for (const double part : two_doubles(label)) squares.add_product(-2.0 * mean, part);
    for (const double part : two_doubles(weight)) {
      squares.add_product(squared, part);
      squares.add_product(std::fma(mean, mean, -squared), part);
    }
    return {total, mean, std::max(squares.value(), 0.0)};
  }

 private:
  static std::array<double, 2> two_doubles(numeric::ExactSum sum) {
    const double first = sum.value();
    sum.add(-first);
    return {first, sum.value()};
  }
};

struct GaussianLabels {
  using Query = label::Query;
  using Seen = LabelMoments;    ///< of the labels a forest holds
  using SeenSums = MomentSums;  ///< the same without rounding
  static void count_seen(SeenSums& sums, double label, double weight, double sign) { sums.count(label, weight, sign); }
  static Seen seen_of(const SeenSums& sums) { return sums.moments(); }

  static constexpr bool summaries_settle = false;
  static constexpr bool counts_places = false;
  static constexpr bool labels_tell_order = false;

  static void see(Seen& seen, double label, double weight) { seen.add(label, weight); }
  static void unsee(Seen& seen, double label, double weight) { seen.remove(label, weight); }
  static void write(const Seen& seen, std::vector<double>& numbers) { write_plain(seen, numbers); }
  static bool read(const std::vector<double>& numbers, Seen& seen) {
    std::span<const double> left(numbers);
    return read_plain(left, seen) && left.empty() && seen.are_possible();
  }

  static constexpr bool has_seen(const Seen&, double) { return true; }

  /// Blocks of equal labels are split like any other: real labels are hardly ever equal.
  static constexpr bool pauses_pure() { return false; }
  static bool is_label(double label) { return is_within(label, largest_label); }

 protected:
  template <class Plain>
  static void write_plain(const Plain& plain, std::vector<double>& numbers) {
    const std::size_t written = numbers.size();
    numbers.resize(written + sizeof(Plain) / sizeof(double));
    std::memcpy(numbers.data() + written, &plain, sizeof(Plain));
  }
  template <class Plain>
  static bool read_plain(std::span<const double>& numbers, Plain& plain) {
    constexpr std::size_t n = sizeof(Plain) / sizeof(double);
    const auto is_finite = [](double number) { return std::isfinite(number); };
    if (numbers.size() < n || !std::all_of(numbers.begin(), numbers.begin() + n, is_finite)) return false;
    std::memcpy(static_cast<void*>(&plain), numbers.data(), sizeof(Plain));
    numbers = numbers.subspan(n);
    return true;
  }
};

}  // namespace hedgerow::label
