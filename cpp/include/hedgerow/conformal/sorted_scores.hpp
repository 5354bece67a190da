// SPDX-License-Identifier: BSD-3-Clause
// Scores in order, kept so while single scores come, go and change: a score that changes moves only past those between
// its old place and its new one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hedgerow/memory/reserve.hpp"

namespace hedgerow::conformal {

class SortedScores {
 public:
  /// Room for n more: to insert them needs no memory then.
  void make_room(std::size_t n) { memory::make_room(scores_, n); }

  void insert(double score) { scores_.insert(std::upper_bound(scores_.begin(), scores_.end(), score), score); }

  /// `score` must be among them.
  void erase(double score) { scores_.erase(std::lower_bound(scores_.begin(), scores_.end(), score)); }

  void replace(double old_score, double new_score) {
    auto at = std::lower_bound(scores_.begin(), scores_.end(), old_score);
    if (new_score > old_score) {
      const auto end = std::lower_bound(at, scores_.end(), new_score);
      at = std::move(at + 1, end, at);
    } else {
      const auto begin = std::upper_bound(scores_.begin(), at, new_score);
      std::move_backward(begin, at, at + 1);
      at = begin;
    }
    *at = new_score;
  }

  /// The smallest score with at least ceil(confidence (n + 1)) scores up to it: by exchangeability a new score exceeds
  /// it with probability at most 1 - confidence. Infinite while n is too small for that. Differs on purpose from the
  /// report on Vasiloudis, De Francisci Morales and Bostrom (2019), whose rank floor(confidence n) is exceeded more
  /// often than that.
  [[nodiscard]] double quantile(double confidence) const {
    const auto n = static_cast<double>(scores_.size());
    const double rank = std::ceil(confidence * (n + 1.0) - 1e-9);
    if (!(rank <= n)) return std::numeric_limits<double>::infinity();
    return rank < 1.0 ? 0.0 : scores_[static_cast<std::size_t>(rank) - 1];
  }

  [[nodiscard]] const std::vector<double>& values() const { return scores_; }
  [[nodiscard]] std::size_t size() const { return scores_.size(); }
  void clear() { scores_.clear(); }

 private:
  std::vector<double> scores_;
};

}  // namespace hedgerow::conformal
