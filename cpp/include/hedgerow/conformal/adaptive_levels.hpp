// SPDX-License-Identifier: BSD-3-Clause
// Adaptive conformal inference (Gibbs and Candes 2021): the level that is asked of the scores moves up after a miss and
// down after a hit, so that the share of misses of any stream approaches what was asked for, exchangeable or not.
#pragma once

#include <array>
#include <cstddef>

#include "hedgerow/conformal/sorted_scores.hpp"

namespace hedgerow::conformal {

class AdaptiveLevels {
 public:
  /// Miss rates that are followed, each by a state of its own. Those between are interpolated.
  static constexpr std::array<double, 14> targets{0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15,
                                                  0.2,   0.3,   0.4,  0.5,  0.6,  0.8, 0.9};

  /// `rate` is gamma of the paper; 0 means that nothing moves.
  explicit AdaptiveLevels(double rate = 0.0) : rate_(rate), states(targets) {}

  /// A new score, before it joins the others (equation 2 of the paper).
  void update(double score, const SortedScores& scores) {
    if (rate_ == 0.0) return;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const double missed = score > scores.quantile(1.0 - states[k]) ? 1.0 : 0.0;
      states[k] += rate_ * (targets[k] - missed);
    }
  }

  /// The confidence to ask of the scores so that intervals cover with the confidence given. Above 1 nothing but the
  /// whole line will do.
  [[nodiscard]] double confidence(double wanted) const {
    if (rate_ == 0.0) return wanted;
    const double miss = 1.0 - wanted;
    double left = 0.0, left_state = 0.0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (miss <= targets[k]) return 1.0 - between(miss, left, targets[k], left_state, states[k]);
      left = targets[k], left_state = states[k];
    }
    return 1.0 - between(miss, left, 1.0, left_state, 1.0);
  }

 private:
  static double between(double at, double left, double right, double left_state, double right_state) {
    return left_state + (at - left) / (right - left) * (right_state - left_state);
  }

  double rate_;

 public:
  std::array<double, targets.size()> states;
};

}  // namespace hedgerow::conformal
