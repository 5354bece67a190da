// SPDX-License-Identifier: BSD-3-Clause
// All lifetimes at once: Balog et al. (2016), section 4.1. Rows walk down all samples together to the largest lifetime,
// and each cut that parts some of them is an event: one feature becomes two. Cuts that part no rows are passed by.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "hedgerow/kernel/cell_features.hpp"

namespace hedgerow::kernel {

/// At `time`, the rows order[begin .. end) of a tree, which were in one cell, are parted at `middle`.
struct Split {
  double time;
  std::uint32_t tree, begin, middle, end;
};

class Sweep {
 public:
  /// With no splits: `grow` all trees, in order.
  Sweep(std::size_t n_points, std::size_t n_samples, std::uint64_t random_seed)
      : n_rows(n_points), n_trees(n_samples), seed(random_seed), order(n_points * n_samples) {}

  Sweep(const Points& points, std::size_t n_samples, std::uint64_t random_seed, std::size_t n_threads)
      : Sweep(points.n, n_samples, random_seed) {
    grow(points, 0, n_trees, n_threads);
  }

  /// Some trees more. How many are grown by one call changes nothing.
  void grow(const Points& points, std::size_t first, std::size_t last, std::size_t n_threads) {
    std::vector<std::vector<Split>> of_tree(last - first);
    parallel::for_each_index(last - first, n_threads, [&](std::size_t k, std::size_t) {
      const auto m = static_cast<std::uint32_t>(first + k);
      std::iota(rows_of(m), rows_of(m) + n_rows, 0U);
      grow(points, Process{seed, m}, of_tree[k]);
    });
    const auto n_before = static_cast<std::ptrdiff_t>(splits.size());
    const auto is_sooner = [](const Split& a, const Split& b) { return a.time < b.time; };
    for (const auto& part : of_tree) splits.insert(splits.end(), part.begin(), part.end());
    std::stable_sort(splits.begin() + n_before, splits.end(), is_sooner);
    std::inplace_merge(splits.begin(), splits.begin() + n_before, splits.end(), is_sooner);
  }

  std::size_t n_rows, n_trees;
  std::uint64_t seed;
  std::vector<std::uint32_t> order;  ///< of each tree: rows such that those of a cell, at any time, lie side by side
  std::vector<Split> splits;         ///< in order of time

  [[nodiscard]] const std::uint32_t* rows_of(std::size_t tree) const { return order.data() + tree * n_rows; }

  /// How many splits there are until `time`, and at it.
  [[nodiscard]] std::size_t n_until(double time) const {
    const auto after = std::upper_bound(splits.begin(), splits.end(), time,
                                        [](double t, const Split& split) { return t < split.time; });
    return static_cast<std::size_t>(after - splits.begin());
  }

 private:
  std::uint32_t* rows_of(std::size_t tree) { return order.data() + tree * n_rows; }

  struct Block {
    Cell cell;
    std::uint32_t begin, end;
  };

  void grow(const Points& points, const Process& process, std::vector<Split>& found) {
    std::uint32_t* rows = rows_of(process.tree);
    std::vector<Block> pending;
    pending.push_back({Cell(points.width), 0, static_cast<std::uint32_t>(n_rows)});
    while (!pending.empty()) {
      Block block = std::move(pending.back());
      pending.pop_back();
      const Range range = range_of(points, rows + block.begin, rows + block.end);
      if (range.lower == range.upper) continue;
      for (Cut cut = process.first_cut(block.cell); cut.time <= 1.0; cut = process.first_cut(block.cell)) {
        const bool to_right = cut.sends_right(range.lower.data());
        if (to_right == cut.sends_right(range.upper.data())) {
          block.cell.enter(cut, to_right);
          continue;
        }
        const auto middle = std::stable_partition(rows + block.begin, rows + block.end,
                                                  [&](std::uint32_t row) { return !cut.sends_right(points[row]); });
        const auto parted = static_cast<std::uint32_t>(middle - rows);
        found.push_back({cut.time, process.tree, block.begin, parted, block.end});
        pending.push_back({block.cell, parted, block.end});
        pending.back().cell.enter(cut, true);
        pending.push_back({std::move(block.cell), block.begin, parted});
        pending.back().cell.enter(cut, false);
        break;
      }
    }
  }

  static Range range_of(const Points& points, const std::uint32_t* begin, const std::uint32_t* end) {
    Range range;
    for (const std::uint32_t* row = begin; row != end; ++row) range.stretch(points[*row], points.width);
    return range;
  }
};

/// The partition at a time of the sweep: the column of each row in each tree. Of a cell that is split, the left part
/// keeps the column, and the right one gets a new one.
class Partition {
 public:
  explicit Partition(const Sweep& sweep)
      : n_columns(static_cast<std::uint32_t>(sweep.n_trees)), columns(sweep.order.size()), sweep_(&sweep) {
    for (std::uint32_t m = 0; m < sweep.n_trees; ++m) {
      std::fill_n(columns.begin() + static_cast<std::ptrdiff_t>(m * sweep.n_rows), sweep.n_rows, m);
    }
  }

  std::uint32_t n_columns;
  std::vector<std::uint32_t> columns;  ///< tree after tree

  void apply(const Split& split) {
    const std::uint32_t* rows = sweep_->rows_of(split.tree);
    std::uint32_t* of_tree = columns.data() + split.tree * sweep_->n_rows;
    for (std::uint32_t k = split.middle; k < split.end; ++k) of_tree[rows[k]] = n_columns;
    ++n_columns;
  }

 private:
  const Sweep* sweep_;
};

}  // namespace hedgerow::kernel
