// SPDX-License-Identifier: BSD-3-Clause
// Kernels that fall with the distance between two rows, added up over the columns: exp(-d), the Laplace kernel, or
// 1 / (1 + d). Sums of kernels at landmarks are worked out without a matrix of distances. The bits of a row do not
// depend on the rows beside it, on the number of threads or on how wide the machine's vectors are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hedgerow::kernel {

enum class Fall { exponential, rational };

/// Rows (row-major) in other units: column by column on straight lines between knots, beyond them as at the nearest.
/// Column d owns the knots first_knot[d] .. first_knot[d + 1] - 1, at least one; values rise.
void between_knots(const double* rows, std::size_t n, std::size_t width, const std::uint64_t* first_knot,
                   const double* values, const double* images, double* units);

/// values[i], a distance, becomes the kernel at that distance.
void fall_with_distance(Fall fall, double* values, std::size_t n);

/// f(x) = the sum over landmarks of slope times the kernel of x and the landmark, for several slopes a landmark.
class LandmarkSums {
 public:
  /// Landmarks and slopes are row-major: a row of columns, and of slopes, for each landmark.
  LandmarkSums(Fall fall, const double* landmarks, const double* slopes, std::size_t n_landmarks, std::size_t width,
               std::size_t n_sums);

  /// sums[i * n_sums + s] at each of n rows.
  void at(const double* rows, std::size_t n, std::size_t n_threads, double* sums) const;

 private:
  Fall fall_;
  std::size_t width_, n_sums_, n_blocks_;
  std::vector<double> blocks_;  ///< landmarks in blocks as wide as vectors, column by column, the last one filled up
  std::vector<double> slopes_;  ///< sum by sum; none for what fills the last block
};

}  // namespace hedgerow::kernel
