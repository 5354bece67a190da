// SPDX-License-Identifier: BSD-3-Clause
// The latest scores of forecasts that were made before their labels came, for any model. A score stays what it was.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>

#include "hedgerow/conformal/adaptive_levels.hpp"
#include "hedgerow/conformal/sorted_scores.hpp"

namespace hedgerow::conformal {

class ScoreWindow {
 public:
  ScoreWindow(std::size_t capacity, double adaptation_rate) : levels(adaptation_rate), capacity_(capacity) {}

  AdaptiveLevels levels;

  [[nodiscard]] double radius(double confidence) const { return sorted_.quantile(levels.confidence(confidence)); }

  void push(double score) {
    if (by_age_.size() == capacity_) {
      sorted_.erase(by_age_.front());
      by_age_.pop_front();
    }
    by_age_.push_back(score);
    sorted_.insert(score);
  }

  /// A score met with its label: the levels adapt first, then it joins the others.
  void update(double score) {
    levels.update(score, sorted_);
    push(score);
  }

  [[nodiscard]] const std::deque<double>& by_age() const { return by_age_; }
  [[nodiscard]] const SortedScores& sorted() const { return sorted_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  std::size_t capacity_;
  std::deque<double> by_age_;  ///< oldest first
  SortedScores sorted_;
};

}  // namespace hedgerow::conformal
