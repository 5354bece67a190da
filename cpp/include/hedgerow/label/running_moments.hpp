// SPDX-License-Identifier: BSD-3-Clause
// The fast approximation of Lakshminarayanan, Roy and Teh (2016), supplement, appendix C: a node's posterior is the
// Gaussian with the mean and variance of the labels below it, to which a query adds the noise variance. Updates are
// Welford's, merges Chan's, so a large offset of the labels costs no precision.
#pragma once

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/label/gaussian_labels.hpp"

namespace hedgerow::label {

struct RunningMoments : GaussianLabels {
  using Summary = LabelMoments;
  struct Belief {
    double mean;
    double variance;
  };

  static void add(Summary& summary, double label, double weight) { summary.add(label, weight); }

  using Sums = MomentSums;
  static void count(Sums& sums, double label, double weight, bool, double sign) { sums.count(label, weight, sign); }
  static Summary summary_of(const Sums& sums) { return sums.moments(); }

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
};
static_assert(GaussianModel<RunningMoments>);

}  // namespace hedgerow::label
