// SPDX-License-Identifier: BSD-3-Clause
// The Mondrian process of Balog et al. (2016), section 2.2, as a pure function: which cut a cell meets, when and where,
// is drawn from a stream that is named by the cell itself. Nothing has to be remembered and nobody has to ask first:
// whoever walks down to a point, whenever, meets the same cuts. So rows may come in any order and queries need leave no
// trace.
//
// Coordinates are in units of one over the largest lifetime, which therefore is 1. The process runs on a box that
// reaches 2^32 such units to every side; Python brings rows into it (decision 28).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/random/stream.hpp"

namespace hedgerow::kernel {

/// Half the side of the box on which the process runs; points lie inside.
inline constexpr double reach = 0x1p32;

/// Where a cell is cut in two; points with x[feature] <= location lie to the left.
struct Cut {
  double time = 0.0;
  double location = 0.0;
  std::uint32_t feature = 0;

  [[nodiscard]] bool sends_right(const double* x) const { return x[feature] > location; }
};

/// A block of a partition: its name, when it came to be, and where it lies.
class Cell {
 public:
  explicit Cell(std::size_t width = 0) : lower(width, -reach), upper(width, reach) {}

  std::uint64_t name = 1;  ///< of the way that leads here from the whole box; no two cells of a tree share it
  double time = 0.0;
  std::vector<double> lower, upper;

  [[nodiscard]] bool holds(const double* x) const {
    for (std::size_t d = 0; d < lower.size(); ++d) {
      if (!(lower[d] < x[d] && x[d] <= upper[d])) return false;
    }
    return true;
  }

  /// Become one of the two parts.
  void enter(const Cut& cut, bool to_right) {
    name = mixed(2 * name + static_cast<std::uint64_t>(to_right));
    time = cut.time;
    (to_right ? lower : upper)[cut.feature] = cut.location;
  }

 private:
  /// The finaliser of SplitMix64: one to one, and every bit depends on every bit.
  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits + 0x9E3779B97F4A7C15U);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }
};

/// One of the M independent samples.
struct Process {
  std::uint64_t seed;
  std::uint32_t tree;

  /// The first cut of `cell`: after Exp(linear dimension), in a dimension chosen in proportion to its side, uniform
  /// along it. A cell without extent is never cut.
  [[nodiscard]] Cut first_cut(const Cell& cell) const {
    random::Stream stream(seed, random::Purpose::cut, tree, cell.name >> 8);
    const std::size_t width = cell.lower.size();
    double total = 0.0;
    for (std::size_t d = 0; d < width; ++d) total += side(cell, d);
    Cut cut{cell.time + stream.exponential() / total};
    double distance = stream.uniform() * total;
    for (std::size_t d = 0; d < width; ++d) {
      if (side(cell, d) <= 0.0) continue;
      cut.feature = static_cast<std::uint32_t>(d);
      if (distance < side(cell, d)) break;
      distance -= side(cell, d);
    }
    cut.location = cell.lower[cut.feature] + stream.uniform() * side(cell, cut.feature);
    return cut;
  }

 private:
  static double side(const Cell& cell, std::size_t d) { return std::max(cell.upper[d] - cell.lower[d], 0.0); }
};

/// The smallest box that holds some points.
struct Range {
  std::vector<double> lower, upper;

  bool operator==(const Range&) const = default;

  [[nodiscard]] bool holds(const double* x) const {
    for (std::size_t d = 0; d < lower.size(); ++d) {
      if (!(lower[d] <= x[d] && x[d] <= upper[d])) return false;
    }
    return !lower.empty();
  }

  void stretch(const double* x, std::size_t width) {
    if (lower.empty()) {
      lower.assign(x, x + width);
      upper.assign(x, x + width);
    }
    for (std::size_t d = 0; d < width; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  }

  /// Whether a cut of `cell` parts the range as far as it lies in the cell; and if not, on which side that lies.
  [[nodiscard]] bool is_parted(const Cell& cell, const Cut& cut) const {
    return !lies_right(cell, cut) && cut.location < std::min(upper[cut.feature], cell.upper[cut.feature]);
  }
  [[nodiscard]] bool lies_right(const Cell& cell, const Cut& cut) const {
    return std::max(lower[cut.feature], cell.lower[cut.feature]) > cut.location;
  }
};

}  // namespace hedgerow::kernel
