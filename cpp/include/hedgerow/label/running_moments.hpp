// SPDX-License-Identifier: BSD-3-Clause
// The fast approximation of Lakshminarayanan, Roy and Teh (2016), supplement, appendix C: a node's posterior is the
// Gaussian with the mean and variance of the labels below it, to which a query adds the noise variance. Updates are
// Welford's, merges Chan's, so a large offset of the labels costs no precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/numeric/exact_sum.hpp"

namespace hedgerow::label {

struct RunningMoments : GaussianLabels {
  using Summary = LabelMoments;
  struct Belief {
    double mean;
    double variance;
  };

  static void add(Summary& summary, double label, double weight) { summary.add(label, weight); }

  struct Sums {
    numeric::ExactSum weight, label, square;
  };
  static void count(Sums& sums, double label, double weight, bool, double sign) {
    const double square = label * label;
    sums.weight.add(sign * weight);
    sums.label.add_product(sign * weight, label);
    sums.square.add_product(sign * weight, square);
    sums.square.add_product(sign * weight, std::fma(label, label, -square));
  }
  /// The sum of w (y - m)^2 = S_2 - 2 m S_1 + m^2 S_0, to twice the digits of a double, where m is the mean.
  static Summary summary_of(const Sums& sums) {
    const double weight = sums.weight.value(), mean = sums.label.value() / weight, square = mean * mean;
    numeric::ExactSum squares = sums.square;
    for (const double part : two_doubles(sums.label)) squares.add_product(-2.0 * mean, part);
    for (const double part : two_doubles(sums.weight)) {
      squares.add_product(square, part);
      squares.add_product(std::fma(mean, mean, -square), part);
    }
    return {weight, mean, std::max(squares.value(), 0.0)};
  }

  using GaussianLabels::read, GaussianLabels::write;
  static constexpr bool reads_branch_clock = false, integrates_branches = false;
  static bool is_pure(const Summary&) { return false; }
  static bool is_empty(const Summary& summary) { return summary.weight == 0.0; }
  static bool read(std::span<const double>& numbers, Summary& summary) {
    return read_plain(numbers, summary) && summary.are_possible();
  }

  /// Times do not matter here.
  static constexpr bool reads_clock = false;
  [[nodiscard]] double clock(double) const { return 0.0; }
  void read_clocks(double*, std::size_t) const {}

  [[nodiscard]] Summary merge(const Summary& left, double, const Summary& right, double, double) const {
    const double total = left.weight + right.weight;
    const double gap = right.mean - left.mean;
    return {total, left.mean + gap * (right.weight / total),
            left.squares + right.squares + gap * gap * (left.weight * right.weight / total)};
  }

  [[nodiscard]] Belief prior(Query query) const { return {query.centre, 0.0}; }

  [[nodiscard]] Belief infer(const Belief&, const Summary& heard, double) const {
    return {heard.mean, heard.squares / heard.weight};
  }

  [[nodiscard]] Gaussian speak(const Belief& belief, Query query) const {
    return {belief.mean, belief.variance + query.variance};
  }

  /// A branch above node j makes a new parent that holds just the labels of j: it speaks with j's moments.
  [[nodiscard]] Gaussian speak_outside(const Belief&, const Belief& own, const Branch&, Query query) const {
    return speak(own, query);
  }

 private:
  static std::array<double, 2> two_doubles(numeric::ExactSum sum) {
    const double first = sum.value();
    sum.add(-first);
    return {first, sum.value()};
  }
};
static_assert(GaussianModel<RunningMoments>);

}  // namespace hedgerow::label
