// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/distance_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/double_lanes.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/search.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::kernel {
namespace {

using numeric::DoubleLanes, numeric::magnitude, numeric::n_double_lanes;

constexpr std::size_t lanes = 4 * n_double_lanes, rows_at_a_time = 256;

HEDGEROW_INLINE void fall_each(Fall fall, double* values, std::size_t n) {
  if (fall == Fall::exponential) {
    for (std::size_t k = 0; k < n; ++k) values[k] = numeric::exp_nonpositive(-values[k]);
  } else {
    for (std::size_t k = 0; k < n; ++k) values[k] = 1.0 / (1.0 + values[k]);
  }
}

/// The kernels of a row at all landmarks.
HEDGEROW_WIDEST
void kernels_of(const double* row, const double* blocks, std::size_t n_blocks, std::size_t width, Fall fall,
                double* kernels) {
  for (std::size_t block = 0; block < n_blocks; ++block) {
    DoubleLanes first{}, second{}, third{}, fourth{};  // with names they stay in registers
    for (std::size_t column = 0; column < width; ++column, blocks += lanes) {
      const DoubleLanes x = numeric::in_all_lanes(row[column]);
      const auto* landmarks = reinterpret_cast<const DoubleLanes*>(blocks);
      first += magnitude(x - landmarks[0]);
      second += magnitude(x - landmarks[1]);
      third += magnitude(x - landmarks[2]);
      fourth += magnitude(x - landmarks[3]);
    }
    const DoubleLanes distances[] = {first, second, third, fourth};
    std::memcpy(kernels + block * lanes, distances, sizeof(distances));
  }
  fall_each(fall, kernels, n_blocks * lanes);
}

HEDGEROW_WIDEST
double product(const double* kernels, const double* slopes, std::size_t n_blocks) {
  double sums[lanes] = {};
  for (std::size_t block = 0; block < n_blocks; ++block, kernels += lanes, slopes += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += kernels[k] * slopes[k];
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

/// As NumPy's `interp` has it, to the last bit; knots 0 to `last`.
double image_of(double x, const double* knots, const double* images, std::size_t last) {
  if (!(x > knots[0])) return images[0];
  if (!(x < knots[last])) return images[last];
  const std::size_t at = numeric::count_before(knots, last, [=](double knot) { return knot <= x; }) - 1;
  if (knots[at] == x) return images[at];
  const double slope = (images[at + 1] - images[at]) / (knots[at + 1] - knots[at]);
  const double from_below = slope * (x - knots[at]) + images[at];
  if (!std::isnan(from_below)) return from_below;
  const double from_above = slope * (x - knots[at + 1]) + images[at + 1];
  return std::isnan(from_above) ? images[at] : from_above;
}

}  // namespace

void between_knots(const double* rows, std::size_t n, std::size_t width, const std::uint64_t* first_knot,
                   const double* values, const double* images, double* units) {
  constexpr std::size_t block = 256;  // for so many rows the knots of a column stay in the nearest cache
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t end = std::min(n, begin + block);
    for (std::size_t d = 0; d < width; ++d) {
      const double *knots = values + first_knot[d], *image = images + first_knot[d];
      const std::size_t last = first_knot[d + 1] - first_knot[d] - 1;
      for (std::size_t i = begin; i < end; ++i) {
        units[i * width + d] = image_of(rows[i * width + d], knots, image, last);
      }
    }
  }
}

HEDGEROW_MULTIVERSION
void fall_with_distance(Fall fall, double* values, std::size_t n) { fall_each(fall, values, n); }

LandmarkSums::LandmarkSums(Fall fall, const double* landmarks, const double* slopes, std::size_t n_landmarks,
                           std::size_t width, std::size_t n_sums)
    : fall_(fall),
      width_(width),
      n_sums_(n_sums),
      n_blocks_((n_landmarks + lanes - 1) / lanes),
      blocks_(n_blocks_ * width * lanes),
      slopes_(n_sums * n_blocks_ * lanes) {
  for (std::size_t i = 0; i < n_landmarks; ++i) {
    double* first = blocks_.data() + i / lanes * width * lanes + i % lanes;
    for (std::size_t column = 0; column < width; ++column) first[column * lanes] = landmarks[i * width + column];
    for (std::size_t s = 0; s < n_sums; ++s) slopes_[s * n_blocks_ * lanes + i] = slopes[i * n_sums + s];
  }
}

void LandmarkSums::at(const double* rows, std::size_t n, std::size_t n_threads, double* sums) const {
  const std::size_t n_pieces = (n + rows_at_a_time - 1) / rows_at_a_time;
  parallel::for_each_index(n_pieces, n_threads, [&](std::size_t piece, std::size_t) {
    std::vector<double> kernels(n_blocks_ * lanes);
    for (std::size_t i = piece * rows_at_a_time; i < std::min(n, (piece + 1) * rows_at_a_time); ++i) {
      kernels_of(rows + i * width_, blocks_.data(), n_blocks_, width_, fall_, kernels.data());
      for (std::size_t s = 0; s < n_sums_; ++s) {
        sums[i * n_sums_ + s] = product(kernels.data(), slopes_.data() + s * kernels.size(), n_blocks_);
      }
    }
  });
}

}  // namespace hedgerow::kernel
