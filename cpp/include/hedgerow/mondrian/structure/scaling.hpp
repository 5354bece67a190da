// SPDX-License-Identifier: BSD-3-Clause
// The map from a user's columns to the units in which a Mondrian process lives: per column continuous, increasing
// and piecewise linear through given knots, with one slope beyond them. Range, rank and no scaling are all of
// this form. It is learned elsewhere and never changes by itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hedgerow::mondrian {

class Scaling {
 public:
  std::vector<std::uint64_t> first_knot;  ///< column d owns the knots first_knot[d] .. first_knot[d + 1] - 1
  std::vector<double> values;             ///< knots in the user's units, strictly increasing within a column
  std::vector<double> images;             ///< the same knots in forest units, increasing within a column
  std::vector<double> slopes;             ///< per column: forest units per user unit beyond the outer knots

  [[nodiscard]] std::size_t width() const { return slopes.size(); }

  [[nodiscard]] float image(std::size_t column, double value) const {
    return static_cast<float>(clamp(map(column, value, values, images, slopes[column])));
  }
  /// The inverse of `image`, as far as single precision remembers.
  [[nodiscard]] double value(std::size_t column, double image) const {
    return map(column, image, images, values, 1.0 / slopes[column]);
  }

  void scale_row(const double* raw, float* scaled) const {
    if (values.size() == width()) {  // one knot a column: straight lines
      for (std::size_t d = 0; d < width(); ++d) {
        scaled[d] = static_cast<float>(clamp(line(raw[d], values[d], images[d], slopes[d])));
      }
    } else {
      for (std::size_t d = 0; d < width(); ++d) scaled[d] = image(d, raw[d]);
    }
  }

 private:
  static constexpr double limit = 1e18;  // keeps sums over a million columns finite in single precision
  // Smaller images are 0, so that no gap is so narrow that the time until it is cut overflows single precision.
  static constexpr double least = 0x1p-64;
  static double clamp(double x) {
    const double bounded = std::min(std::max(x, -limit), limit);
    return std::abs(bounded) < least ? 0.0 : bounded;
  }

  // Differences are taken between halves, so that they stay finite for all finite doubles.
  static double line(double x, double from, double to, double slope) {
    return to + (0.5 * x - 0.5 * from) * (2.0 * slope);
  }

  /// How many of n >= 1 increasing knots are at most x. Without jumps: nobody can guess where x lies.
  static std::size_t n_up_to(double x, const double* knots, std::size_t n) {
    const double* at = knots;
    for (std::size_t half = n / 2; half > 0; n -= half, half = n / 2) {
      at += half & (std::size_t{0} - static_cast<std::size_t>(at[half - 1] <= x));  // of a choice GCC makes a jump
    }
    return static_cast<std::size_t>(at - knots) + static_cast<std::size_t>(*at <= x);
  }

  [[nodiscard]] double map(std::size_t column, double x, const std::vector<double>& from, const std::vector<double>& to,
                           double outer_slope) const {
    const std::size_t first = first_knot[column];
    const std::size_t last = first_knot[column + 1] - 1;
    if (x <= from[first] || first == last) return line(x, from[first], to[first], outer_slope);
    if (x >= from[last]) return line(x, from[last], to[last], outer_slope);
    const std::size_t k = first + n_up_to(x, from.data() + first, last - first);
    const double share = (0.5 * x - 0.5 * from[k - 1]) / (0.5 * from[k] - 0.5 * from[k - 1]);
    return (1.0 - share) * to[k - 1] + share * to[k];
  }
};

}  // namespace hedgerow::mondrian
