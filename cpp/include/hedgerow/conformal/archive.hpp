// SPDX-License-Identifier: BSD-3-Clause
// A window of scores as an archive, and back; and what every calibration has to check of scores and levels.
#pragma once

#include <algorithm>
#include <vector>

#include "hedgerow/archive/archive.hpp"
#include "hedgerow/conformal/score_window.hpp"

namespace hedgerow::conformal {

using archive::Archive;

inline void write_levels(const AdaptiveLevels& levels, Archive& archive) {
  archive.add("levels", std::vector<double>(levels.states.begin(), levels.states.end()));
}

inline void read_levels(const Archive& archive, AdaptiveLevels& levels) {
  const auto& states = archive.get<double>("levels");
  archive::require(states.size() == levels.states.size() &&
                       std::ranges::all_of(states, [](double state) { return state >= -1e9 && state <= 1e9; }),
                   "its levels are broken");
  std::copy(states.begin(), states.end(), levels.states.begin());
}

inline const std::vector<double>& read_scores(const Archive& archive, std::size_t capacity) {
  const auto& scores = archive.get<double>("scores");
  archive::require(scores.size() <= capacity && std::ranges::all_of(scores, [](double score) { return score >= 0.0; }),
                   "too many scores, or one that is negative");
  return scores;
}

inline Archive archived(const ScoreWindow& window) {
  Archive archive;
  archive.add("scores", window.by_age());
  write_levels(window.levels, archive);
  return archive;
}

/// Fill a new window.
inline void restore(ScoreWindow& window, const Archive& archive) {
  const auto& scores = read_scores(archive, window.capacity());
  read_levels(archive, window.levels);
  for (const double score : scores) window.push(score);
}

}  // namespace hedgerow::conformal
