// SPDX-License-Identifier: BSD-3-Clause
// The Mondrian process as a pure function of a key. A cell has a name of 128 bits, and its first cut is read off the
// name: when it comes, in which column and where. The name of a part follows from the name of the whole and from its
// side. Nothing depends on rows, so that whoever walks down to a row, whenever, meets the same cuts.
//
// The process runs on a box that holds all rows that can be. Bounds of cells and places of cuts are numbers in single
// precision, as rows are: a cell is [lower, upper], its parts are [lower, location] and [next after location, upper].
// What lies between two neighbouring numbers separates no rows, so the law of how rows are divided is exact. Both parts
// hold fewer numbers than the whole, so every walk ends.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/boxes.hpp"
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

/// The next number in single precision after a finite one.
inline float next_after(float x) {
  if (x == 0.0F) return std::numeric_limits<float>::denorm_min();
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>(x > 0.0F ? bits + 1 : bits - 1);
}

/// The sides of a box, a few columns at a time, so that a point along them is found without a look at each.
struct SideSums {
  static constexpr std::size_t together = 8;

  /// How many columns a box must have room for; those that are no columns have no length.
  static std::size_t padded(std::size_t width) { return (width + together - 1) / together * together; }

  /// Sums of `n` padded columns; returns their total.
  double add_up(const float* lower, const float* upper, std::size_t n) {
    sums.resize(n / together);
    double total = 0.0;
    for (std::size_t b = 0; b < sums.size(); ++b) {
      float side[together];
      for (std::size_t k = 0; k < together; ++k) side[k] = upper[b * together + k] - lower[b * together + k];
      for (std::size_t k = 0; k < 4; ++k) side[k] += side[k + 4];
      sums[b] = static_cast<double>(side[0] + side[2]) + static_cast<double>(side[1] + side[3]);
      total += sums[b];
    }
    return total;
  }

  std::vector<double> sums;
};

/// A cell that may be walked on from, kept for later.
struct KeyedCell {
  random::Block name{};
  double time = 0.0;                ///< when it came to be
  std::vector<float> lower, upper;  ///< padded

  [[nodiscard]] bool holds(const float* x, std::size_t width) const {
    bool is_inside = true;
    for (std::size_t d = 0; d < width; ++d) is_inside &= x[d] >= lower[d] && x[d] <= upper[d];
    return is_inside;
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
    cell_.name = random::philox({0, 0, tree, static_cast<std::uint32_t>(random::Purpose::keyed_cell) << 24}, key_);
    cell_.time = 0.0;
    cell_.lower.assign(SideSums::padded(width), 0.0F);
    cell_.upper = cell_.lower;
    std::fill_n(cell_.lower.begin(), width, -keyed_reach);
    std::fill_n(cell_.upper.begin(), width, keyed_reach);
    log_.clear();
  }
  /// A cell that was kept.
  void start(std::uint64_t seed, const KeyedCell& cell) {
    key_ = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    cell_ = cell;
    log_.clear();
  }

  [[nodiscard]] const KeyedCell& here() const { return cell_; }

  /// The first cut of the cell, after Exp(sum of its sides), in a column chosen in proportion to its side and uniform
  /// along it; never if the cell holds a single point.
  [[nodiscard]] KeyedCut next() {
    constexpr std::size_t together = SideSums::together;
    const double rate = sides_.add_up(cell_.lower.data(), cell_.upper.data(), cell_.lower.size());
    if (!(rate > 0.0)) return {0, 0.0F, std::numeric_limits<double>::infinity()};
    const double time = cell_.time - std::log(random::uniform_of(cell_.name[0], cell_.name[1])) / rate;
    double distance = random::uniform_of(cell_.name[2], cell_.name[3]) * rate;
    std::size_t b = 0;
    for (; b + 1 < sides_.sums.size() && distance >= sides_.sums[b]; ++b) distance -= sides_.sums[b];
    while (!(sides_.sums[b] > 0.0)) --b;  // beyond the last side, by rounding only
    std::size_t feature = b * together;
    for (std::size_t d = feature; d < (b + 1) * together; ++d) {
      const double side = static_cast<double>(cell_.upper[d]) - static_cast<double>(cell_.lower[d]);
      if (side <= 0.0) continue;
      feature = d;
      if (distance < side) break;
      distance -= side;
    }
    return {static_cast<std::uint32_t>(feature), place(cell_.lower[feature], cell_.upper[feature], distance), time};
  }

  /// The cell becomes one of its parts.
  void enter(const KeyedCut& cut, bool to_right) {
    cell_.name[0] = (cell_.name[0] & ~1U) | static_cast<std::uint32_t>(to_right);
    cell_.name = random::philox(cell_.name, key_);
    cell_.time = cut.time;
    float& bound = (to_right ? cell_.lower : cell_.upper)[cut.feature];
    log_.push_back({cut.feature, to_right, bound});
    bound = to_right ? next_after(cut.location) : cut.location;
  }

  /// Past all cuts that leave some rows together, to the cell that is cut between them, or at `latest` or later.
  void approach(const Box& rows, double latest) {
    for (KeyedCut cut = next(); cut.time < latest; cut = next()) {
      const bool lies_right = rows.lower[cut.feature] > cut.location;
      if (!lies_right && rows.upper[cut.feature] > cut.location) return;
      enter(cut, lies_right);
    }
  }

  [[nodiscard]] Mark mark() const { return {cell_.name, cell_.time, log_.size()}; }
  void rewind(const Mark& mark) {
    cell_.name = mark.name;
    cell_.time = mark.time;
    for (; log_.size() > mark.log; log_.pop_back()) {
      const Change& last = log_.back();
      (last.is_lower ? cell_.lower : cell_.upper)[last.feature] = last.bound;
    }
  }

 private:
  struct Change {
    std::uint32_t feature;
    bool is_lower;
    float bound;
  };

  /// The last number in single precision that is not beyond lower + distance, and is below upper.
  static float place(float lower, float upper, double distance) {
    const double exact = static_cast<double>(lower) + distance;
    auto rounded = static_cast<float>(exact);
    if (static_cast<double>(rounded) > exact) rounded = std::nextafter(rounded, -keyed_reach);
    if (rounded >= upper) return std::nextafter(upper, lower);
    return rounded < lower ? lower : rounded;
  }

  random::Key key_{};
  KeyedCell cell_;
  SideSums sides_;
  std::vector<Change> log_;
};

/// Cells of some inner nodes of a tree, as they are just before the cut that the tree kept: a walk need not draw its
/// way to there again. They follow from the cuts, so that it makes no difference which are kept.
class CellsOfNodes {
 public:
  [[nodiscard]] const KeyedCell* find(std::uint32_t node) const {
    const std::uint32_t slot = node < slots_.size() ? slots_[node] : nothing;
    return slot == nothing ? nullptr : &cells_[slot];
  }
  void keep(std::uint32_t node, const KeyedCell& cell) {
    if (node >= slots_.size()) slots_.resize(node + std::size_t{1}, nothing);
    if (slots_[node] == nothing) {
      if (freed_.empty()) {
        freed_.push_back(static_cast<std::uint32_t>(cells_.size()));
        cells_.emplace_back();
      }
      slots_[node] = freed_.back();
      freed_.pop_back();
    }
    cells_[slots_[node]] = cell;
  }

  /// A node has another number now.
  void move(std::uint32_t from, std::uint32_t to) {
    erase(to);
    if (from >= slots_.size() || slots_[from] == nothing) return;
    if (to >= slots_.size()) slots_.resize(to + std::size_t{1}, nothing);
    slots_[to] = std::exchange(slots_[from], nothing);
  }
  void erase(std::uint32_t node) {
    if (node < slots_.size() && slots_[node] != nothing) freed_.push_back(std::exchange(slots_[node], nothing));
  }
  void clear() noexcept {
    slots_.clear();
    cells_.clear();
    freed_.clear();
  }
  [[nodiscard]] std::size_t n_bytes() const {
    std::size_t total = (slots_.capacity() + freed_.capacity()) * sizeof(std::uint32_t);
    for (const KeyedCell& cell : cells_) total += sizeof(cell) + 2 * cell.lower.capacity() * sizeof(float);
    return total;
  }

 private:
  static constexpr std::uint32_t nothing = 0xFFFFFFFF;
  std::vector<std::uint32_t> slots_;  ///< by number of the node
  std::vector<KeyedCell> cells_;
  std::vector<std::uint32_t> freed_;
};

}  // namespace hedgerow::mondrian
