// SPDX-License-Identifier: BSD-3-Clause
// The latest scores of forecasts that were made before their labels came, for any model. A score stays what it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "hedgerow/conformal/adaptive_levels.hpp"
#include "hedgerow/conformal/sorted_scores.hpp"

namespace hedgerow::conformal {

class ScoreWindow {
 public:
  ScoreWindow(std::size_t capacity, double adaptation_rate) : levels(adaptation_rate), capacity_(capacity) {}

  AdaptiveLevels levels;

  [[nodiscard]] double radius(double confidence) const { return sorted_.quantile(levels.confidence(confidence)); }

  /// Room for n more: to push them needs no memory then.
  void make_room(std::size_t n) {
    n = std::min(n, capacity_ - scores_.size());
    memory::make_room(scores_, n);
    sorted_.make_room(n);
  }

  void push(double score) {
    make_room(1);
    if (scores_.size() < capacity_) {
      scores_.push_back(score);
    } else {
      sorted_.erase(std::exchange(scores_[oldest_], score));
      oldest_ = (oldest_ + 1) % capacity_;
    }
    sorted_.insert(score);
  }

  /// A score met with its label: the levels adapt first, then it joins the others.
  void update(double score) {
    make_room(1);
    levels.update(score, sorted_);
    push(score);
  }

  /// Oldest first.
  [[nodiscard]] std::vector<double> by_age() const {
    std::vector<double> scores(scores_);
    std::rotate(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(oldest_), scores.end());
    return scores;
  }
  [[nodiscard]] const SortedScores& sorted() const { return sorted_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  std::size_t capacity_;
  std::vector<double> scores_;  ///< by place
  std::size_t oldest_ = 0;      ///< whose place the next score takes, once all are taken
  SortedScores sorted_;
};

}  // namespace hedgerow::conformal
