// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/row_space.hpp"

#include "check.hpp"

namespace hedgerow::kernel {
namespace {

/// Inverse and log determinant by Gauss and Jordan, without pivots: the matrix is positive definite.
double invert(std::vector<double> matrix, std::size_t n, std::vector<double>& inverse) {
  inverse.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1.0;
  double log_determinant = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = matrix[k * n + k];
    log_determinant += std::log(pivot);
    for (std::size_t j = 0; j < n; ++j) {
      matrix[k * n + j] /= pivot;
      inverse[k * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = matrix[i * n + k];
      if (i == k) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[i * n + j] -= factor * matrix[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  return log_determinant;
}

std::vector<double> system_of(const RowSpace& rows, const std::vector<double>& roots, double ridge, std::size_t n_all) {
  const std::size_t n = rows.n(), n_trees = rows.n_trees();
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t m = 0; m < n_trees; ++m) {
        const std::uint32_t* columns = rows.partition.columns.data() + m * n_all;
        if (columns[i] == columns[j]) matrix[i * n + j] += roots[i] * roots[j] / static_cast<double>(n_trees);
      }
    }
    matrix[i * n + i] += ridge;
  }
  return matrix;
}

TEST(the_inverse_follows_every_event) {
  constexpr std::size_t n = 24, n_all = 30, n_trees = 5;
  constexpr double ridge = 0.05;
  random::Stream stream(1, random::Purpose::grow, 0, 0);
  std::vector<double> values(2 * n_all);
  for (double& value : values) value = 3.0 * stream.uniform();
  Labels labels;
  for (std::size_t i = 0; i < n_all; ++i) {
    const double root = 0.5 + stream.uniform(), label = stream.uniform();
    (i < n ? labels.scaled : labels.unseen).push_back(i < n ? root * label : label);
    (i < n ? labels.roots : labels.unseen_weights).push_back(root);
  }
  const Sweep sweep({values.data(), n_all, 2}, n_trees, 7, 1);
  RowSpace rows(sweep, labels, ridge);
  std::vector<double> inverse, fresh, left(6 * n), right(6 * n);
  rows.refresh((invert(system_of(rows, labels.roots, ridge, n_all), n, inverse), inverse.data()),
               invert(system_of(rows, labels.roots, ridge, n_all), n, inverse));
  std::size_t n_batches = 0;
  while (!rows.is_done()) {
    std::vector<Criteria> path;
    const std::size_t n_changes = rows.advance(inverse.data(), 3, left.data(), right.data(), path);
    for (std::size_t k = 0; k < n_changes; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) inverse[i * n + j] += left[k * n + i] * right[k * n + j];
      }
    }
    const double log_determinant = invert(system_of(rows, labels.roots, ridge, n_all), n, fresh);
    CHECK_NEAR(rows.log_determinant, log_determinant, 1e-9);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK_NEAR(rows.diagonal[i], fresh[i * n + i], 1e-8);
      for (std::size_t j = 0; j < n; ++j) CHECK_NEAR(inverse[i * n + j], fresh[i * n + j], 1e-8);
    }
    CHECK(rows.residual() < 1e-9);
    CHECK(!path.empty());
    CHECK(path.back().validation > 0.0);
    ++n_batches;
  }
  CHECK(n_batches > 10);
  CHECK(rows.n_done() == sweep.splits.size());
}

}  // namespace
}  // namespace hedgerow::kernel
