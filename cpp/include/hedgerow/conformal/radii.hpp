// SPDX-License-Identifier: BSD-3-Clause
// Radii of intervals at several confidences, as they are now: what a row about to come is given.
#pragma once

#include <span>
#include <vector>

#include "hedgerow/conformal/score_window.hpp"

namespace hedgerow::conformal {

template <class Calibrated>
void append_radii(const Calibrated& calibrated, std::span<const double> confidences, std::vector<double>& radii) {
  for (const double confidence : confidences) radii.push_back(calibrated.radius(confidence));
}

template <class Calibrated>
std::vector<double> radii_of(const Calibrated& calibrated, std::span<const double> confidences) {
  std::vector<double> radii;
  append_radii(calibrated, confidences, radii);
  return radii;
}

/// Scores come one after another. The radii just before each: [score * n_confidences + confidence]. Nothing changes if
/// there is no memory for it.
inline std::vector<double> radii_then_update(ScoreWindow& window, std::span<const double> scores,
                                             std::span<const double> confidences) {
  std::vector<double> radii;
  radii.reserve(scores.size() * confidences.size());
  window.make_room(scores.size());
  for (const double score : scores) {
    append_radii(window, confidences, radii);
    window.update(score);
  }
  return radii;
}

}  // namespace hedgerow::conformal
