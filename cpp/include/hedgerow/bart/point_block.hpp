// SPDX-License-Identifier: BSD-3-Clause
// What sums of trees say of a block of points. A tree says the value of its leftmost leaf and, at each inner node that
// a point reaches and leaves to the right, a step: from the leftmost leaf on the left to that on the right. Steps are
// added up by tables of 256 numbers. All steps on the way to which only one column is asked are numbers for the bins of
// that column, and go into one table. Any eight others have a bit each of a byte of the point, and go into another. So
// a point costs a lookup for each column and each eight steps of other trees, instead of a walk down each tree.
//
// Values of draws are whole numbers of a unit of at least 2^-40 (leaves/units.hpp), and so are steps: their sums are
// exact, whatever their order, as long as they are below 2^13.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/bart/point_kernels.hpp"
#include "hedgerow/bart/tree_code.hpp"

namespace hedgerow::bart {

/// Bins of some points, column by column.
struct PointBlock {
  static constexpr std::size_t most = 8192;           ///< points
  static constexpr std::size_t most_bytes = 1 << 24;  ///< or fewer, where columns are many

  std::size_t n;
  std::vector<Bin> bins;

  PointBlock(const BinnedRows& data, Points points) : n(points.n), bins(data.n_features * n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double* point = points.values + i * points.width;
      for (std::size_t d = 0; d < points.width; ++d) bins[d * n + i] = data.bin_of(d, point[d]);
    }
  }
  [[nodiscard]] const Bin* column(std::uint32_t feature) const { return bins.data() + feature * n; }
};

class SumOfTables {
 public:
  SumOfTables(const PointBlock& block, std::size_t n_features)
      : block_(block), nothing_(block.n, 0), columns_(n_features) {}

  /// What the next trees say of each point, added up.
  void sum_trees(CodeReader<float>& reader, std::size_t n_trees, double* totals) {
    if (block_.n <= most_walked) return walk_trees(reader, n_trees, totals);
    lookups_.clear();
    intervals_.clear();
    n_steps_ = 0;
    double first = 0.0;
    for (std::size_t m = 0; m < n_trees; ++m) first += read(reader, Region{}, 0);
    look_up_columns();
    if (n_steps_ % 8 != 0) look_up_steps();
    std::fill_n(totals, block_.n, first);
    add_looked_up(lookups_.data(), lookups_.size(), block_.n, totals);
  }

 private:
  /// A node's points: those between two cuts of one column, or those of a mask, whose bytes are 255.
  struct Region {
    static constexpr std::uint32_t no_feature = 0xFFFFFFFF;
    std::uint32_t feature = no_feature;
    Bin lowest = 0, highest = 0xFF;
    const std::uint8_t* mask = nullptr;

    [[nodiscard]] bool is_interval_of(std::uint32_t other) const {
      return mask == nullptr && (feature == no_feature || feature == other);
    }
  };
  struct Interval {
    std::uint32_t feature;
    Bin lowest, highest;
    double step;
  };
  /// Steps along a column alone, and the place of its table.
  struct Column {
    static constexpr std::size_t none = ~std::size_t{0};
    std::size_t n_steps = 0, lookup = none;
  };
  static constexpr std::size_t most_walked = 2;  ///< points
  static constexpr std::size_t least_steps = 5;  ///< of a table: fewer cost less as bits

  /// Points are so few that tables do not pay.
  void walk_trees(CodeReader<float>& reader, std::size_t n_trees, double* totals) {
    const CodeReader<float> start = reader;
    for (std::size_t i = 0; i < block_.n; ++i) {
      reader = start;
      totals[i] = 0.0;
      for (std::size_t m = 0; m < n_trees; ++m) totals[i] += walk(reader, i);
    }
  }
  double walk(CodeReader<float>& reader, std::size_t point) {
    if (!reader.next_is_inner()) return static_cast<double>(reader.next_value());
    const Rule rule = reader.next_rule();
    const double left = walk(reader, point), right = walk(reader, point);
    return block_.column(rule.feature)[point] <= rule.cut ? left : right;
  }

  /// Adds a subtree's steps; returns the value of its leftmost leaf.
  double read(CodeReader<float>& reader, const Region& region, std::size_t depth) {
    if (!reader.next_is_inner()) return static_cast<double>(reader.next_value());
    const Rule rule = reader.next_rule();
    const Region to_left{rule.feature, 0, rule.cut}, to_right{rule.feature, static_cast<Bin>(rule.cut + 1), 0xFF};
    const double left = read(reader, reader.is_at_inner() ? within(region, to_left, depth) : region, depth + 1);
    const double right = read(reader, reader.is_at_inner() ? within(region, to_right, depth) : region, depth + 1);
    add_step(region, to_right, right - left);
    return left;
  }

  /// The part of a region on one side of a cut. Masks of a depth are used again by the next node there.
  Region within(const Region& region, const Region& side, std::size_t depth) {
    if (region.is_interval_of(side.feature)) {
      const Bin lowest = std::max(region.lowest, side.lowest), highest = std::min(region.highest, side.highest);
      return lowest <= highest ? Region{side.feature, lowest, highest}
                               : Region{side.feature, 0xFF, 0xFF, nothing_.data()};
    }
    while (masks_.size() <= depth) masks_.emplace_back(block_.n);
    find_both(bytes_of(region), bytes_of(side), block_.n, masks_[depth].data());
    return {side.feature, 0xFF, 0xFF, masks_[depth].data()};
  }

  [[nodiscard]] ByteRange bytes_of(const Region& region) const {
    const auto* bytes = region.mask != nullptr ? region.mask : block_.column(region.feature);
    return {bytes, region.lowest, static_cast<std::uint8_t>(region.highest - region.lowest)};
  }

  void add_step(const Region& region, const Region& side, double step) {
    if (region.is_interval_of(side.feature)) {
      const Region part = within(region, side, 0);
      if (part.mask != nullptr) return;
      intervals_.push_back({part.feature, part.lowest, part.highest, step});
      ++columns_[part.feature].n_steps;
    } else {
      mark(bytes_of(region), bytes_of(side), step);
    }
  }

  /// The next bit of a point's bytes: is it in both ranges?
  void mark(ByteRange one, ByteRange other, double step) {
    const std::size_t group = n_steps_ / 8, bit = n_steps_ % 8;
    if (marked_.size() <= group) marked_.emplace_back(block_.n);
    if (bit == 0) std::ranges::fill(marked_[group], std::uint8_t{0});
    mark_both(one, other, static_cast<std::uint8_t>(1U << bit), block_.n, marked_[group].data());
    steps_[bit] = step;
    ++n_steps_;
    if (bit == 7) look_up_steps();
  }

  /// A table for the last bits: of each byte, the sum of the steps whose bits it has.
  void look_up_steps() {
    const std::size_t n_bits = (n_steps_ - 1) % 8 + 1;
    lookups_.emplace_back().bytes = marked_[(n_steps_ - 1) / 8].data();
    auto& table = lookups_.back().table;
    for (std::size_t bit = 0; bit < n_bits; ++bit) {
      const std::size_t half = std::size_t{1} << bit;
      for (std::size_t byte = 0; byte < half; ++byte) table[half + byte] = table[byte] + steps_[bit];
    }
  }

  /// Steps along columns, after all others: in a table of the column or, if it has few, as bits.
  void look_up_columns() {
    for (const Interval& interval : intervals_) {
      Column& column = columns_[interval.feature];
      if (column.n_steps < least_steps) {
        const ByteRange range = bytes_of(Region{interval.feature, interval.lowest, interval.highest});
        mark(range, range, interval.step);
        continue;
      }
      if (column.lookup == Column::none) {
        column.lookup = lookups_.size();
        lookups_.emplace_back().bytes = block_.column(interval.feature);
      }
      auto& table = lookups_[column.lookup].table;  // differences for now
      table[interval.lowest] += interval.step;
      if (interval.highest < 0xFF) table[interval.highest + 1U] -= interval.step;
    }
    for (const Interval& interval : intervals_) {
      Column& column = columns_[interval.feature];
      if (column.lookup != Column::none) add_up(lookups_[column.lookup].table);
      column = {};
    }
  }

  /// Running sums: of four parts side by side, which need not wait for each other.
  static void add_up(std::array<double, 256>& table) {
    constexpr std::size_t part = 64;
    for (std::size_t i = 1; i < part; ++i) {
      for (std::size_t begin = 0; begin < table.size(); begin += part) table[begin + i] += table[begin + i - 1];
    }
    for (std::size_t begin = part; begin < table.size(); begin += part) {
      const double before = table[begin - 1];
      for (std::size_t i = 0; i < part; ++i) table[begin + i] += before;
    }
  }

  const PointBlock& block_;
  std::vector<std::uint8_t> nothing_;              ///< a mask without points
  std::vector<std::vector<std::uint8_t>> masks_;   ///< of nodes, by depth
  std::vector<std::vector<std::uint8_t>> marked_;  ///< bytes of points, a bit a step
  std::array<double, 8> steps_{};                  ///< of the last of these bytes
  std::size_t n_steps_ = 0;
  std::vector<Interval> intervals_;
  std::vector<Column> columns_;
  std::vector<Lookup> lookups_;
};

}  // namespace hedgerow::bart
