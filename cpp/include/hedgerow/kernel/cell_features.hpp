// SPDX-License-Identifier: BSD-3-Clause
// The random features of Balog et al. (2016), section 3.1: M samples of a Mondrian process, and a column for each cell
// in which a learned row lies. Columns are numbered in the order in which rows met them, row before tree, so that the
// numbers do not depend on how rows were dealt to calls, nor on threads.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/kernel/cell_tree.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::kernel {

/// Rows one after another, in the units of cell.hpp.
struct Points {
  const double* values;
  std::size_t n, width;

  [[nodiscard]] const double* operator[](std::size_t row) const { return values + row * width; }
};

class CellFeatures {
 public:
  CellFeatures(std::size_t width, std::size_t n_trees, double lifetime, std::uint64_t seed)
      : width_(width), lifetime_(lifetime), seed_(seed) {
    trees.reserve(n_trees);
    for (std::uint32_t tree = 0; tree < n_trees; ++tree) trees.emplace_back(width, Process{seed, tree}, lifetime);
  }

  std::vector<CellTree> trees;
  Range range;
  std::uint32_t n_columns = 0;

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] double lifetime() const { return lifetime_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Let trees part all that lies between these points: rows to come that lie there make none of them anew.
  void reach(const Points& points, std::size_t n_threads) {
    Range next = stretched(points);
    if (next == range) return;
    trees = widened(next, n_threads);
    range = std::move(next);
  }

  /// Give a column to each cell that has none and in which one of the points lies. If memory or columns run out, all is
  /// as it was.
  void learn(const Points& points, std::size_t n_threads) {
    Range next = stretched(points);
    std::vector<CellTree> wider;  // if the range grows: trees that take the place of the others at the end
    if (!(next == range)) wider = widened(next, n_threads);
    std::vector<CellTree>& grown = wider.empty() ? trees : wider;
    std::vector<std::size_t> sizes;
    for (const CellTree& tree : grown) sizes.push_back(tree.nodes.size());
    std::vector<Met> met;
    try {
      met = meet(points, n_threads, grown, next);
    } catch (...) {
      for (std::size_t m = 0; m < grown.size(); ++m) grown[m].cut(sizes[m]);
      throw;
    }
    for (const Met& cell : met) grown[cell.tree].columns[cell.id] = n_columns++;
    if (!wider.empty()) trees.swap(wider);
    range = std::move(next);
  }

  /// columns[row * M + m]: the column of the cell of tree m in which the row lies, or `none`.
  void find(const Points& points, std::size_t n_threads, std::uint32_t* columns) const {
    for_each_column(points, n_threads, [&](std::size_t row, std::size_t m, std::uint32_t column) {
      columns[row * trees.size() + m] = column;
    });
  }

  /// As `find`, with `spare` columns for each tree in front: a cell without a column of its own has one of them, by its
  /// name.
  void transform(const Points& points, std::size_t n_threads, std::uint32_t spare, std::int32_t* columns) const {
    const std::uint32_t n_spare = spare * static_cast<std::uint32_t>(trees.size());
    for_each_column(points, n_threads, [&](std::size_t row, std::size_t m, std::uint32_t column) {
      columns[row * trees.size() + m] = static_cast<std::int32_t>(
          column != none ? n_spare + column : m * spare + trees[m].name_of(points[row]) % spare);
    });
  }

  /// names[row * M + m]: the name of the cell of tree m in which the row lies, learned or not.
  void name(const Points& points, std::size_t n_threads, std::uint64_t* names) const {
    parallel::for_each_index(points.n, n_threads, [&](std::size_t row, std::size_t) {
      if (row % between_looks == 0) parallel::may_stop();
      for (std::size_t m = 0; m < trees.size(); ++m) names[row * trees.size() + m] = trees[m].name_of(points[row]);
    });
  }

  /// Of each column: the tree that its cell is of.
  [[nodiscard]] std::vector<std::uint32_t> column_trees() const {
    std::vector<std::uint32_t> found(n_columns);
    for (std::uint32_t m = 0; m < trees.size(); ++m) {
      for (const std::uint32_t column : trees[m].columns) {
        if (column != none) found[column] = m;
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t block = 2048;  ///< rows that walk down a tree while it is in the cache
  static constexpr std::size_t abreast = 16;
  static constexpr std::size_t n_together = 16;     ///< trees whose columns are written together, a line of the cache
  static constexpr std::size_t between_looks = 64;  ///< rows, which may take a few milliseconds

  /// visit(row, tree, column) for all rows and trees; a thread takes a block of rows.
  template <class Visit>
  void for_each_column(const Points& points, std::size_t n_threads, Visit&& visit) const {
    parallel::for_each_index((points.n + block - 1) / block, n_threads, [&](std::size_t index, std::size_t) {
      const std::size_t first = index * block, last = std::min(first + block, points.n);
      std::vector<std::size_t> outside;
      for (std::size_t row = first; row < last; ++row) {
        if (!range.holds(points[row])) outside.push_back(row);
      }
      std::vector<NodeId> found(n_together * block);
      for (std::size_t m = 0; m < trees.size(); m += n_together) {
        const std::size_t end = std::min(m + n_together, trees.size());
        for (std::size_t tree = m; tree < end; ++tree) {
          find_block(trees[tree], points, first, last, outside, found.data() + (tree - m) * block);
        }
        for (std::size_t row = first; row < last; ++row) {
          if (row % between_looks == 0) parallel::may_stop();
          for (std::size_t tree = m; tree < end; ++tree) visit(row, tree, found[(tree - m) * block + row - first]);
        }
      }
    });
  }

  /// Columns of rows first .. last - 1 in one tree.
  void find_block(const CellTree& tree, const Points& points, std::size_t first, std::size_t last,
                  const std::vector<std::size_t>& outside, std::uint32_t* found) const {
    std::size_t row = first;
    for (; row + abreast <= last; row += abreast) tree.find<abreast>(points[row], width_, found + (row - first));
    for (; row < last; ++row) found[row - first] = tree.find(points[row]);
    for (row = first; row < last; ++row) found[row - first] = tree.columns[found[row - first]];
    for (const std::size_t far : outside) found[far - first] = tree.column_anywhere(points[far], range);
  }

  /// A cell that a row is the first to lie in.
  struct Met {
    std::size_t row;
    std::uint32_t tree;
    NodeId id;
  };

  [[nodiscard]] Range stretched(const Points& points) const {
    Range next = range;
    for (std::size_t row = 0; row < points.n; ++row) next.stretch(points[row], width_);
    return next;
  }

  [[nodiscard]] std::vector<CellTree> widened(const Range& next, std::size_t n_threads) const {
    std::vector<CellTree> wider(trees.size(), CellTree(0, {}, lifetime_));
    parallel::for_each_index(trees.size(), n_threads,
                             [&](std::size_t m, std::size_t) { wider[m] = trees[m].widened(range, next); });
    return wider;
  }

  /// Store the cells of all points in the trees, and return the new ones in the order of their columns.
  std::vector<Met> meet(const Points& points, std::size_t n_threads, std::vector<CellTree>& grown,
                        const Range& whole) const {
    std::vector<std::vector<Met>> of_tree(grown.size());
    parallel::for_each_index(grown.size(), n_threads, [&](std::size_t m, std::size_t) {
      CellTree& tree = grown[m];
      std::vector<std::uint32_t> rows;
      for (std::uint32_t row = 0; row < points.n; ++row) {
        if (row % between_looks == 0) parallel::may_stop();
        if (tree.columns[tree.find(points[row])] == none) rows.push_back(row);
      }
      tree.learn(
          std::move(rows), [&](std::uint32_t row) { return points[row]; }, whole,
          [&](NodeId cell, std::uint32_t row) {
            tree.columns[cell] = unnumbered;
            of_tree[m].push_back({row, static_cast<std::uint32_t>(m), cell});
          });
    });
    std::vector<Met> all;
    for (const auto& part : of_tree) all.insert(all.end(), part.begin(), part.end());
    std::stable_sort(all.begin(), all.end(), [](const Met& a, const Met& b) { return a.row < b.row; });
    if (all.size() >= (none >> 1) - n_columns) throw std::length_error("more than 2^31 features");
    return all;
  }

  std::size_t width_;
  double lifetime_;
  std::uint64_t seed_;
};

}  // namespace hedgerow::kernel
