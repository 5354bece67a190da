// SPDX-License-Identifier: BSD-3-Clause
// The Mondrian process as a pure function of a key. A cell has a name of 128 bits, and its first cut is read off the
// name: when it comes, in which column and where. The name of a part follows from the name of the whole and from its
// side. Nothing depends on rows, so that whoever walks down to a row, whenever, meets the same cuts.
//
// The process runs on a domain that holds all rows: the smallest box around those from which trees were grown, or,
// since a row came from elsewhere, a box that holds all rows that can be. Bounds of cells and places of cuts are
// numbers in single precision, as rows are: a cell is [lower, upper], its parts are [lower, location] and [next after
// location, upper]. What lies between two neighbouring numbers separates no rows, so the law of how rows are divided is
// exact. Both parts hold fewer numbers than the whole, so every walk ends.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/boxes.hpp"
#include "hedgerow/numeric/compiler.hpp"
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

/// A cell without its bounds.
struct KeyedCell {
  random::Block name{};
  double time = 0.0;  ///< when it came to be
};

/// Does a box hold a point?
inline bool holds(const Box& box, const float* x, std::size_t width) {
  int is_outside = 0;
  for (std::size_t d = 0; d < width; ++d) {
    is_outside |= static_cast<int>(x[d] < box.lower[d]) | static_cast<int>(x[d] > box.upper[d]);
  }
  return is_outside == 0;
}

/// What the cuts that were skipped on the edge above a node ask of a row that comes down to it: a few bounds.
struct KeyedEdge {
  static constexpr std::size_t most = 2;
  static constexpr std::uint32_t unknown = 0xFFFFFFFF, nothing = 0xFFFFFFFE;

  std::array<std::uint32_t, most> side{unknown};  ///< column and, as last bit, whether it bounds from below
  std::array<float, most> bound{};

  [[nodiscard]] bool is_known() const { return side[0] != unknown; }
  [[nodiscard]] bool lets_pass(const float* x) const {
    for (std::size_t k = 0; k < most && side[k] != nothing; ++k) {
      const float value = x[side[k] >> 1];
      if ((side[k] & 1U) != 0 ? value < bound[k] : value > bound[k]) return false;
    }
    return true;
  }
};

/// One cell after another, down a tree, and back to where a walk left for one of two sides.
class KeyedCells {
 public:
  /// A place to go back to.
  struct Mark {
    KeyedCell cell;
    std::size_t log;
  };

  /// The domain of one tree: its lower and upper corner, or the whole box if there is none.
  void start(std::uint64_t seed, std::uint32_t tree, std::span<const float> domain, std::size_t width) {
    begin(seed, width);
    cell_.name = random::philox({0, 0, tree, static_cast<std::uint32_t>(random::Purpose::keyed_cell) << 24}, key_);
    cell_.time = 0.0;
    if (domain.empty()) {
      std::fill_n(lower_.begin(), width, -keyed_reach);
      std::fill_n(upper_.begin(), width, keyed_reach);
    } else {
      std::copy_n(domain.data(), width, lower_.begin());
      std::copy_n(domain.data() + width, width, upper_.begin());
    }
  }
  /// A cell that was kept.
  void start(std::uint64_t seed, const KeyedCell& cell, const Box& bounds, std::size_t width) {
    begin(seed, width);
    cell_ = cell;
    std::copy_n(bounds.lower, width, lower_.begin());
    std::copy_n(bounds.upper, width, upper_.begin());
  }

  [[nodiscard]] const KeyedCell& here() const { return cell_; }
  [[nodiscard]] Box bounds() const { return {lower_.data(), upper_.data()}; }

  /// The first cut of the cell, after Exp(sum of its sides), in a column chosen in proportion to its side and uniform
  /// along it; never if the cell holds a single point.
  [[nodiscard]] KeyedCut next() {
    constexpr std::size_t together = SideSums::together;
    const double rate = sides_.add_up(lower_.data(), upper_.data(), lower_.size());
    if (!(rate > 0.0)) return {0, 0.0F, std::numeric_limits<double>::infinity()};
    const double time = cell_.time - std::log(random::uniform_of(cell_.name[0], cell_.name[1])) / rate;
    double distance = random::uniform_of(cell_.name[2], cell_.name[3]) * rate;
    std::size_t b = 0;
    for (; b + 1 < sides_.sums.size() && distance >= sides_.sums[b]; ++b) distance -= sides_.sums[b];
    while (!(sides_.sums[b] > 0.0)) --b;  // beyond the last side, by rounding only
    std::size_t feature = b * together;
    for (std::size_t d = feature; d < (b + 1) * together; ++d) {
      const double side = static_cast<double>(upper_[d]) - static_cast<double>(lower_[d]);
      if (side <= 0.0) continue;
      feature = d;
      if (distance < side) break;
      distance -= side;
    }
    return {static_cast<std::uint32_t>(feature), place(lower_[feature], upper_[feature], distance), time};
  }

  /// The cell becomes one of its parts.
  void enter(const KeyedCut& cut, bool to_right) {
    cell_.name[0] = (cell_.name[0] & ~1U) | static_cast<std::uint32_t>(to_right);
    cell_.name = random::philox(cell_.name, key_);
    cell_.time = cut.time;
    float& bound = (to_right ? lower_ : upper_)[cut.feature];
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

  /// How often a part has been entered.
  [[nodiscard]] std::size_t n_entered() const { return log_.size(); }
  /// What the parts entered since then have in common; unknown if that is more than an edge can hold.
  [[nodiscard]] KeyedEdge edge_since(std::size_t n_entered) const {
    KeyedEdge edge;
    edge.side.fill(KeyedEdge::nothing);
    std::size_t n = 0;
    for (std::size_t i = n_entered; i < log_.size(); ++i) {
      const std::uint32_t side = log_[i].feature << 1 | static_cast<std::uint32_t>(log_[i].is_lower);
      std::size_t k = 0;
      while (k < n && edge.side[k] != side) ++k;
      if (k == KeyedEdge::most) return {};
      n = std::max(n, k + 1);
      edge.side[k] = side;
      edge.bound[k] = (log_[i].is_lower ? lower_ : upper_)[log_[i].feature];
    }
    return edge;
  }

  [[nodiscard]] Mark mark() const { return {cell_, log_.size()}; }
  void rewind(const Mark& mark) {
    cell_ = mark.cell;
    for (; log_.size() > mark.log; log_.pop_back()) {
      const Change& last = log_.back();
      (last.is_lower ? lower_ : upper_)[last.feature] = last.bound;
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

  void begin(std::uint64_t seed, std::size_t width) {
    key_ = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    lower_.assign(SideSums::padded(width), 0.0F);
    upper_.assign(SideSums::padded(width), 0.0F);
    log_.clear();
  }

  random::Key key_{};
  KeyedCell cell_;
  std::vector<float> lower_, upper_;  ///< padded
  SideSums sides_;
  std::vector<Change> log_;
};

/// What is known of the nodes of a tree, so that a row that comes later need not draw all cuts on its way again: of
/// most nodes the edge above, and of some inner ones the cell, as it is just before the cut that the tree kept. All of
/// it follows from the cuts, so that it makes no difference what is known.
class CellsOfNodes {
 public:
  struct Answer {
    bool is_open;   ///< a row that has come to the edge above is known to reach the node
    bool has_cell;  ///< the node's cell is kept
  };

  [[nodiscard]] Answer ask(std::uint32_t node, const float* x, std::size_t width) const {
    if (node >= known_.size()) return {false, false};
    const auto& [edge, slot] = known_[node];
    const bool has_cell = slot != nothing;
    return {edge.is_known() ? edge.lets_pass(x) : has_cell && holds(box(slot, width), x, width), has_cell};
  }
  /// Let a walk start at the cell of a node, which is kept.
  void start(KeyedCells& walk, std::uint64_t seed, std::uint32_t node, std::size_t width) const {
    const std::uint32_t slot = known_[node].slot;
    walk.start(seed, cells_[slot], box(slot, width), width);
  }
  void fetch(std::uint32_t node) const {
    if (node < known_.size()) numeric::prefetch(&known_[node]);
  }

  void keep_edge(std::uint32_t node, const KeyedEdge& edge) { at(node).edge = edge; }
  /// Keep the cell where a walk is.
  void keep(std::uint32_t node, const KeyedCells& walk, std::size_t width) {
    std::uint32_t& slot = at(node).slot;
    if (slot == nothing) {
      if (freed_.empty()) {
        freed_.push_back(static_cast<std::uint32_t>(cells_.size()));
        cells_.emplace_back();
        corners_.resize(corners_.size() + 2 * width);
      }
      slot = freed_.back();
      freed_.pop_back();
    }
    cells_[slot] = walk.here();
    float* corner = corners_.data() + 2 * width * slot;
    std::copy_n(walk.bounds().lower, width, corner);
    std::copy_n(walk.bounds().upper, width, corner + width);
  }

  /// A node has another number now.
  void move(std::uint32_t from, std::uint32_t to) {
    erase(to);
    if (from >= known_.size()) return;
    const Known moved = std::exchange(known_[from], {});
    at(to) = moved;
  }
  void erase_edge(std::uint32_t node) {
    if (node < known_.size()) known_[node].edge = {};
  }
  void erase(std::uint32_t node) {
    erase_edge(node);
    if (node < known_.size() && known_[node].slot != nothing) {
      freed_.push_back(std::exchange(known_[node].slot, nothing));
    }
  }
  void clear() noexcept {
    known_.clear();
    cells_.clear();
    corners_.clear();
    freed_.clear();
  }
  [[nodiscard]] std::size_t n_bytes() const {
    return known_.capacity() * sizeof(Known) + cells_.capacity() * sizeof(KeyedCell) +
           corners_.capacity() * sizeof(float) + freed_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t nothing = 0xFFFFFFFF;
  struct Known {
    KeyedEdge edge;
    std::uint32_t slot = nothing;  ///< of the cell
  };

  Known& at(std::uint32_t node) {
    const std::size_t n = node + std::size_t{1};
    if (n > known_.capacity()) known_.reserve(n + n / 4);
    if (n > known_.size()) known_.resize(n);
    return known_[node];
  }

  [[nodiscard]] Box box(std::uint32_t slot, std::size_t width) const {
    const float* corner = corners_.data() + 2 * width * slot;
    return {corner, corner + width};
  }

  std::vector<Known> known_;  ///< by number of the node
  std::vector<KeyedCell> cells_;
  std::vector<float> corners_;  ///< of each cell, lower and upper
  std::vector<std::uint32_t> freed_;
};

}  // namespace hedgerow::mondrian
