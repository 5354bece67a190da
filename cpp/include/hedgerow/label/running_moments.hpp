// SPDX-License-Identifier: BSD-3-Clause
// The fast approximation of document 002, appendix C: a node's posterior is the Gaussian with the mean and variance
// of the labels below it, to which a query adds the noise variance. Updates are Welford's, merges Chan's, so a
// large offset of the labels costs no precision.
#pragma once

#include "hedgerow/label/concepts.hpp"

namespace hedgerow::label {

struct RunningMoments {
  struct Summary {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;  ///< sum of weight * (label - mean)^2
  };
  struct Belief {
    double mean;
    double variance;
  };

  void add(Summary& summary, double label, double weight) const {
    summary.weight += weight;
    const double before = label - summary.mean;
    summary.mean += weight / summary.weight * before;
    summary.squares += weight * before * (label - summary.mean);
  }

  /// Times do not matter here.
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
static_assert(LabelModel<RunningMoments>);

}  // namespace hedgerow::label
