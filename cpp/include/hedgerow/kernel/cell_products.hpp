// SPDX-License-Identifier: BSD-3-Clause
// Products with the Mondrian kernel k_M: how often two rows share a cell (Balog et al. 2016, section 3.1). A partition
// is given as columns[m * n + row], tree after tree; a row whose column is `none` shares its cell with nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hedgerow::kernel {

/// shares[i * n_right + j] = the share of trees in which row i of the left and row j of the right have equal names.
void shared_cells(const std::uint64_t* left, std::size_t n_left, const std::uint64_t* right, std::size_t n_right,
                  std::size_t n_trees, std::size_t n_threads, double* shares);
void shared_cells(const std::uint32_t* left, std::size_t n_left, const std::uint32_t* right, std::size_t n_right,
                  std::size_t n_trees, std::size_t n_threads, double* shares);

/// Vectors are multiplied one at a time or as many as fill a line of the cache.
inline constexpr std::size_t many_lanes = 8;

/// result = K vectors, for one vector or many_lanes of them lying row by row, without forming K: sums over cells, then
/// sums over trees. K has a row for each of the targets, which need not be those that the vectors belong to.
struct Cells {
  const std::uint32_t* columns;
  std::size_t n;
};
void kernel_product(const Cells& rows, const Cells& targets, std::size_t n_trees, std::size_t n_columns,
                    const double* vectors, std::size_t n_lanes, std::size_t n_threads, double* result);

/// A partition in the order in which products want it: of each tree the rows that share their cell, cell after cell. A
/// row that is alone in its cell only meets itself, so that of those it is enough to know how many there are.
class SharedCells {
 public:
  SharedCells(const Cells& rows, std::size_t n_trees, std::size_t n_columns, std::size_t n_threads);

  [[nodiscard]] std::size_t n() const { return n_alone_.size(); }

  /// As `kernel_product`, for targets that are the rows themselves.
  void product(const double* vectors, std::size_t n_lanes, std::size_t n_threads, double* result) const;

 private:
  struct Tree {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> ends;  ///< where among them the rows of each cell end
  };

  std::vector<Tree> trees_;
  std::vector<double> n_alone_;  ///< of each row: trees in which it is alone
};

/// gram[c * n_columns + d] = the weight of rows that lie both in cell c and in cell d: M times the covariance of
/// features.
void cell_gram(const Cells& rows, std::size_t n_trees, std::size_t n_columns, const double* weights, double* gram);

/// forms[row] = the sum of matrix[c * n_columns + d] over all pairs of cells c, d of the row.
void quadratic_forms(const Cells& rows, std::size_t n_trees, std::size_t n_columns, const double* matrix,
                     std::size_t n_threads, double* forms);

}  // namespace hedgerow::kernel
