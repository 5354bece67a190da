// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/cell_products.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/double_lanes.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::kernel {
namespace {

HEDGEROW_MULTIVERSION
void count_equal(const std::uint32_t* names, std::size_t n, std::uint32_t name, std::uint32_t* counts) {
  for (std::size_t j = 0; j < n; ++j) counts[j] += static_cast<std::uint32_t>(names[j] == name);
}

HEDGEROW_MULTIVERSION
void count_equal(const std::uint64_t* names, std::size_t n, std::uint64_t name, std::uint32_t* counts) {
  for (std::size_t j = 0; j < n; ++j) counts[j] += static_cast<std::uint32_t>(names[j] == name);
}

template <class Name>
void share(const Name* left, std::size_t n_left, const Name* right, std::size_t n_right, std::size_t n_trees,
           std::size_t n_threads, double* shares) {
  constexpr Name nobody = static_cast<Name>(0xFFFFFFFFU);
  const double one = 1.0 / static_cast<double>(n_trees);
  std::vector<std::vector<std::uint32_t>> counts(std::max<std::size_t>(1, n_threads));
  parallel::for_each_index(n_left, n_threads, [&](std::size_t i, std::size_t worker) {
    counts[worker].assign(n_right, 0);
    for (std::size_t m = 0; m < n_trees; ++m) {
      const Name name = left[m * n_left + i];
      if (sizeof(Name) == 4 && name == nobody) continue;
      count_equal(right + m * n_right, n_right, name, counts[worker].data());
    }
    for (std::size_t j = 0; j < n_right; ++j) shares[i * n_right + j] = one * counts[worker][j];
  });
}

template <std::size_t n_lanes>
HEDGEROW_INLINE void sum_lanes(const std::uint32_t* columns, std::size_t n, std::uint32_t nobody, const double* vectors,
                               double* sums) {
  for (std::size_t row = 0; row < n; ++row) {
    double* sum = sums + std::min(columns[row], nobody) * n_lanes;
    for (std::size_t k = 0; k < n_lanes; ++k) sum[k] += vectors[row * n_lanes + k];
  }
}

template <std::size_t n_lanes>
HEDGEROW_INLINE void add_lanes(const std::uint32_t* columns, std::size_t n, std::uint32_t nobody, const double* sums,
                               double* result) {
  for (std::size_t row = 0; row < n; ++row) {
    const double* sum = sums + std::min(columns[row], nobody) * n_lanes;
    for (std::size_t k = 0; k < n_lanes; ++k) result[row * n_lanes + k] += sum[k];
  }
}

HEDGEROW_MULTIVERSION
void sum_cells(const std::uint32_t* columns, std::size_t n, std::uint32_t nobody, const double* vectors,
               std::size_t n_lanes, double* sums) {
  if (n_lanes == 1) return sum_lanes<1>(columns, n, nobody, vectors, sums);
  sum_lanes<many_lanes>(columns, n, nobody, vectors, sums);
}

HEDGEROW_MULTIVERSION
void add_cells(const std::uint32_t* columns, std::size_t n, std::uint32_t nobody, const double* sums,
               std::size_t n_lanes, double* result) {
  if (n_lanes == 1) return add_lanes<1>(columns, n, nobody, sums, result);
  add_lanes<many_lanes>(columns, n, nobody, sums, result);
}

using Lanes = numeric::DoubleLanes;

/// Add the sum over each cell to all its rows; Value is a row's part of the vectors.
template <class Value>
HEDGEROW_INLINE void spread(const std::uint32_t* rows, const std::uint32_t* ends, std::size_t n_cells,
                            const Value* vectors, Value* result) {
  std::uint32_t begin = 0;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    Value sum{};
    for (std::uint32_t k = begin; k < ends[cell]; ++k) sum += vectors[rows[k]];
    for (std::uint32_t k = begin; k < ends[cell]; ++k) result[rows[k]] += sum;
    begin = ends[cell];
  }
}

/// So many lanes as a line of the cache has.
struct Line {
  Lanes halves[2];

  HEDGEROW_INLINE Line& operator+=(const Line& other) {
    halves[0] += other.halves[0];
    halves[1] += other.halves[1];
    return *this;
  }
};
static_assert(sizeof(Line) == many_lanes * sizeof(double));

HEDGEROW_MULTIVERSION
void spread_cells(const std::uint32_t* rows, const std::uint32_t* ends, std::size_t n_cells, const double* vectors,
                  std::size_t n_lanes, double* result) {
  if (n_lanes == 1) return spread(rows, ends, n_cells, vectors, result);
  spread(rows, ends, n_cells, reinterpret_cast<const Line*>(vectors), reinterpret_cast<Line*>(result));
}

}  // namespace

SharedCells::SharedCells(const Cells& rows, std::size_t n_trees, std::size_t n_columns, std::size_t n_threads)
    : trees_(n_trees), n_alone_(rows.n, 0.0) {
  struct Scratch {
    std::vector<std::uint32_t> sizes, places;  ///< of cells: rows that were counted, and where the next one goes
  };
  std::vector<Scratch> scratch(std::max<std::size_t>(1, n_threads));
  parallel::for_each_index(n_trees, n_threads, [&](std::size_t m, std::size_t worker) {
    auto& [sizes, places] = scratch[worker];
    sizes.resize(n_columns + 1);  // one more, for those that share with nobody
    places.resize(n_columns + 1);
    const auto cell_of = [&](std::size_t row) {
      return std::min<std::size_t>(rows.columns[m * rows.n + row], n_columns);
    };
    for (std::size_t row = 0; row < rows.n; ++row) ++sizes[cell_of(row)];
    sizes[n_columns] = 0;
    Tree& tree = trees_[m];
    tree.rows.resize(rows.n);
    std::uint32_t end = 0;
    for (std::size_t row = 0; row < rows.n; ++row) {
      const std::size_t cell = cell_of(row);
      if (cell == n_columns) continue;
      const std::uint32_t size = std::exchange(sizes[cell], 0);  // nought again once its first row has been met
      if (size == 1) continue;
      if (size > 1) {
        places[cell] = end;
        tree.ends.push_back(end += size);
      }
      tree.rows[places[cell]++] = static_cast<std::uint32_t>(row);
    }
    tree.rows.resize(end);
  });
  for (std::size_t m = 0; m < n_trees; ++m) {
    for (std::size_t row = 0; row < rows.n; ++row)
      n_alone_[row] += rows.columns[m * rows.n + row] < n_columns ? 1.0 : 0.0;
    for (const std::uint32_t row : trees_[m].rows) n_alone_[row] -= 1.0;
  }
}

void SharedCells::product(const double* vectors, std::size_t n_lanes, std::size_t n_threads, double* result) const {
  constexpr std::size_t n_parts = 4;  // trees are summed in so many parts, however many threads there are
  const std::size_t size = n() * n_lanes;
  std::vector<double> sums((n_parts - 1) * size, 0.0);
  std::fill_n(result, size, 0.0);
  parallel::for_each_index(n_parts, n_threads, [&](std::size_t part, std::size_t) {
    double* own = part == 0 ? result : sums.data() + (part - 1) * size;
    for (std::size_t m = part * trees_.size() / n_parts; m < (part + 1) * trees_.size() / n_parts; ++m) {
      const Tree& tree = trees_[m];
      spread_cells(tree.rows.data(), tree.ends.data(), tree.ends.size(), vectors, n_lanes, own);
    }
  });
  const double one = 1.0 / static_cast<double>(trees_.size());
  for (std::size_t row = 0; row < n(); ++row) {
    for (std::size_t k = row * n_lanes; k < (row + 1) * n_lanes; ++k) {
      double total = result[k];
      for (std::size_t part = 0; part + 1 < n_parts; ++part) total += sums[part * size + k];
      result[k] = one * (total + n_alone_[row] * vectors[k]);
    }
  }
}

void shared_cells(const std::uint64_t* left, std::size_t n_left, const std::uint64_t* right, std::size_t n_right,
                  std::size_t n_trees, std::size_t n_threads, double* shares) {
  share(left, n_left, right, n_right, n_trees, n_threads, shares);
}

void shared_cells(const std::uint32_t* left, std::size_t n_left, const std::uint32_t* right, std::size_t n_right,
                  std::size_t n_trees, std::size_t n_threads, double* shares) {
  share(left, n_left, right, n_right, n_trees, n_threads, shares);
}

void kernel_product(const Cells& rows, const Cells& targets, std::size_t n_trees, std::size_t n_columns,
                    const double* vectors, std::size_t n_lanes, std::size_t n_threads, double* result) {
  const auto nobody = static_cast<std::uint32_t>(n_columns);
  std::vector<double> sums((n_columns + 1) * n_lanes, 0.0);  // one more, for those that share with nobody
  parallel::for_each_index(n_trees, n_threads, [&](std::size_t m, std::size_t) {
    sum_cells(rows.columns + m * rows.n, rows.n, nobody, vectors, n_lanes, sums.data());
  });
  std::fill_n(sums.end() - static_cast<std::ptrdiff_t>(n_lanes), n_lanes, 0.0);
  constexpr std::size_t block = 512;
  const double one = 1.0 / static_cast<double>(n_trees);
  parallel::for_each_index((targets.n + block - 1) / block, n_threads, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * block, size = std::min(block, targets.n - first);
    double* part = result + first * n_lanes;
    std::fill_n(part, size * n_lanes, 0.0);
    for (std::size_t m = 0; m < n_trees; ++m) {
      add_cells(targets.columns + m * targets.n + first, size, nobody, sums.data(), n_lanes, part);
    }
    for (std::size_t k = 0; k < size * n_lanes; ++k) part[k] *= one;
  });
}

void cell_gram(const Cells& rows, std::size_t n_trees, std::size_t n_columns, const double* weights, double* gram) {
  for (std::size_t k = 0; k < n_trees * rows.n; ++k) {
    if (rows.columns[k] >= n_columns) throw std::invalid_argument("a column is not there");
  }
  std::fill_n(gram, n_columns * n_columns, 0.0);
  for (std::size_t row = 0; row < rows.n; ++row) {
    for (std::size_t m = 0; m < n_trees; ++m) {
      double* line = gram + rows.columns[m * rows.n + row] * n_columns;
      for (std::size_t k = 0; k < n_trees; ++k) line[rows.columns[k * rows.n + row]] += weights[row];
    }
  }
}

void quadratic_forms(const Cells& rows, std::size_t n_trees, std::size_t n_columns, const double* matrix,
                     std::size_t n_threads, double* forms) {
  parallel::for_each_index(rows.n, n_threads, [&](std::size_t row, std::size_t) {
    double total = 0.0;
    for (std::size_t m = 0; m < n_trees; ++m) {
      const std::uint32_t column = rows.columns[m * rows.n + row];
      if (column >= n_columns) continue;
      const double* line = matrix + column * n_columns;
      for (std::size_t k = 0; k < n_trees; ++k) {
        const std::uint32_t other = rows.columns[k * rows.n + row];
        if (other < n_columns) total += line[other];
      }
    }
    forms[row] = total;
  });
}

}  // namespace hedgerow::kernel
