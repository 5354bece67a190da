// SPDX-License-Identifier: BSD-3-Clause
// A box known to hold a block's rows, perhaps with room to spare, and a log by which a depth-first walk takes its
// changes back. It lets a block be split without looking at all its columns; see grow.hpp.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/box_kernels.hpp"

namespace hedgerow::mondrian {

/// The column in which a point lies that is `distance` along the sides of a box laid end to end; 0 < distance < their
/// sum.
inline std::size_t side_at(const float* lower, const float* upper, std::size_t width, double distance) {
  std::size_t last = 0;
  for (std::size_t d = 0; d < width; ++d) {
    const double side = static_cast<double>(upper[d]) - static_cast<double>(lower[d]);
    if (side <= 0.0) continue;
    if (distance < side) return d;
    distance -= side;
    last = d;
  }
  return last;  // rounding carried the point past the end
}

class LooseBox {
 public:
  void start(const float* lower, const float* upper, std::size_t width) {
    corners_.assign(lower, lower + width);
    corners_.insert(corners_.end(), upper, upper + width);
    width_ = width;
    log_.clear();
  }

  [[nodiscard]] float lower(std::size_t d) const { return corners_[d]; }
  [[nodiscard]] float upper(std::size_t d) const { return corners_[width_ + d]; }
  void set_lower(std::size_t d, float bound) { set(d, bound); }
  void set_upper(std::size_t d, float bound) { set(width_ + d, bound); }

  [[nodiscard]] std::size_t mark() const { return log_.size(); }
  void rewind(std::size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) corners_[log_.back().first] = log_.back().second;
  }

  /// The rate at which a Mondrian process cuts this box.
  [[nodiscard]] double rate() const { return total_side(corners_.data(), corners_.data() + width_, width_); }

  [[nodiscard]] std::size_t side_at(double distance) const {
    return mondrian::side_at(corners_.data(), corners_.data() + width_, width_, distance);
  }

 private:
  void set(std::size_t slot, float bound) {
    log_.emplace_back(slot, corners_[slot]);
    corners_[slot] = bound;
  }

  std::vector<float> corners_;
  std::vector<std::pair<std::size_t, float>> log_;
  std::size_t width_ = 0;
};

}  // namespace hedgerow::mondrian
