// SPDX-License-Identifier: BSD-3-Clause
// The Mondrian process as a pure function of a key. A cell has a name of 128 bits, and its first cut is read off the
// name: when it comes, in which column and where. The name of a part follows from the name of the whole and from its
// side. Nothing depends on rows, so that whoever walks down to a row, whenever, meets the same cuts.
//
// The process runs on a box that holds all rows that can be. Bounds of cells and places of cuts are numbers in single
// precision, as rows are: a cell is [lower, upper], its parts are [lower, location] and [next after location, upper].
// What lies between two neighbouring numbers separates no rows, so the law of how rows are dealt is exact. Both parts
// hold fewer numbers than the whole, so every walk ends.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "hedgerow/mondrian/structure/boxes.hpp"
#include "hedgerow/mondrian/structure/loose_box.hpp"
#include "hedgerow/random/philox.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::mondrian {

/// Half the side of the box on which the process runs; `Scaling` brings rows to within 1e18 of zero.
inline constexpr float keyed_reach = 0x1p60F;

struct KeyedCut {
  std::uint32_t feature;
  float location;
  double time;

  [[nodiscard]] bool sends_right(const float* x) const { return x[feature] > location; }
};

/// A cell that may be walked on from, kept for later.
struct KeyedCell {
  random::Block name{};
  double time = 0.0;           ///< when it came to be
  std::vector<float> corners;  ///< D lower bounds, then D upper ones; empty if none is kept

  [[nodiscard]] bool holds(const float* x, std::size_t width) const {
    if (corners.empty()) return false;
    for (std::size_t d = 0; d < width; ++d) {
      if (x[d] < corners[d] || x[d] > corners[width + d]) return false;
    }
    return true;
  }
};

/// One cell after another, down a tree, and back to where a walk left for one of two sides.
class KeyedCells {
 public:
  /// A place to go back to.
  struct Mark {
    random::Block name;
    double time;
    std::size_t log;
  };

  /// The whole box, of one tree.
  void start(std::uint64_t seed, std::uint32_t tree, std::size_t width) {
    key_ = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    width_ = width;
    name_ = random::philox({0, 0, tree, static_cast<std::uint32_t>(random::Purpose::keyed_cell) << 24}, key_);
    time_ = 0.0;
    whole_.assign(2 * width, keyed_reach);
    std::fill_n(whole_.begin(), width, -keyed_reach);
    box_.start(whole_.data(), whole_.data() + width, width);
  }
  /// A cell that was kept, of the same tree as before or with the same seed.
  void start(std::uint64_t seed, const KeyedCell& cell) {
    key_ = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    width_ = cell.corners.size() / 2;
    name_ = cell.name;
    time_ = cell.time;
    box_.start(cell.corners.data(), cell.corners.data() + width_, width_);
  }
  void keep_in(KeyedCell& cell) const {
    cell.name = name_;
    cell.time = time_;
    cell.corners.resize(2 * width_);
    for (std::size_t d = 0; d < width_; ++d) {
      cell.corners[d] = box_.lower(d);
      cell.corners[width_ + d] = box_.upper(d);
    }
  }

  [[nodiscard]] double time() const { return time_; }

  /// The first cut of the cell, after Exp(sum of its sides), in a column chosen in proportion to its side and uniform
  /// along it; never if the cell holds a single point.
  [[nodiscard]] KeyedCut next() const {
    const double rate = box_.rate();
    if (!(rate > 0.0)) return {0, 0.0F, std::numeric_limits<double>::infinity()};
    const double time = time_ - std::log(random::uniform_of(name_[0], name_[1])) / rate;
    double distance = random::uniform_of(name_[2], name_[3]) * rate;
    std::size_t feature = 0;
    for (std::size_t d = 0; d < width_; ++d) {
      const double side = static_cast<double>(box_.upper(d)) - static_cast<double>(box_.lower(d));
      if (side <= 0.0) continue;
      feature = d;
      if (distance < side) break;
      distance -= side;  // beyond the last side by rounding only
    }
    return {static_cast<std::uint32_t>(feature), place(box_.lower(feature), box_.upper(feature), distance), time};
  }

  /// The cell becomes one of its parts.
  void enter(const KeyedCut& cut, bool to_right) {
    name_[0] = (name_[0] & ~1U) | static_cast<std::uint32_t>(to_right);
    name_ = random::philox(name_, key_);
    time_ = cut.time;
    if (to_right) {
      box_.set_lower(cut.feature, std::nextafter(cut.location, keyed_reach));
    } else {
      box_.set_upper(cut.feature, cut.location);
    }
  }

  /// Past all cuts that leave some rows together, to the cell that is cut between them, or at `latest` or later.
  void approach(const Box& rows, double latest) {
    for (KeyedCut cut = next(); cut.time < latest; cut = next()) {
      const bool lies_right = rows.lower[cut.feature] > cut.location;
      if (!lies_right && rows.upper[cut.feature] > cut.location) return;
      enter(cut, lies_right);
    }
  }

  [[nodiscard]] Mark mark() const { return {name_, time_, box_.mark()}; }
  void rewind(const Mark& mark) {
    name_ = mark.name;
    time_ = mark.time;
    box_.rewind(mark.log);
  }

 private:
  /// The last number in single precision that is not beyond lower + distance, and is below upper.
  static float place(float lower, float upper, double distance) {
    const double exact = static_cast<double>(lower) + distance;
    auto rounded = static_cast<float>(exact);
    if (static_cast<double>(rounded) > exact) rounded = std::nextafter(rounded, -keyed_reach);
    if (rounded >= upper) return std::nextafter(upper, lower);
    return rounded < lower ? lower : rounded;
  }

  random::Key key_{};
  random::Block name_{};
  double time_ = 0.0;
  std::size_t width_ = 0;
  LooseBox box_;
  std::vector<float> whole_;
};

}  // namespace hedgerow::mondrian
