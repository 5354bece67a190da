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

#include "hedgerow/numeric/search.hpp"

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

  /// n rows, column by column, whose knots stay in the nearest cache.
  void scale_rows(const double* raw, std::size_t n, float* scaled) const {
    if (values.size() == width()) {
      for (std::size_t i = 0; i < n; ++i) scale_row(raw + i * width(), scaled + i * width());
      return;
    }
    for (std::size_t begin = 0; begin < n; begin += rows_at_once) {
      const std::size_t first = begin * width(), n_rows = std::min(n - begin, rows_at_once);
      for (std::size_t d = 0; d < width(); ++d) scale_column(d, raw + first + d, n_rows, scaled + first + d);
    }
  }

 private:
  static constexpr std::size_t rows_at_once = 256, searches_at_once = 8;

  /// Of some rows, whose values lie a row apart.
  void scale_column(std::size_t d, const double* raw, std::size_t n, float* scaled) const {
    const std::size_t first = first_knot[d], n_knots = first_knot[d + 1] - first;
    for (std::size_t begin = 0; begin < n; begin += searches_at_once) {
      const std::size_t n_here = std::min(n - begin, searches_at_once);
      double x[searches_at_once] = {};
      for (std::size_t i = 0; i < n_here; ++i) x[i] = raw[(begin + i) * width()];
      std::size_t up_to[searches_at_once];
      numeric::count_before<searches_at_once>(values.data() + first, n_knots - 1, up_to,
                                              [&](std::size_t i, double knot) { return knot <= x[i]; });
      for (std::size_t i = 0; i < n_here; ++i) {
        const double image = map(d, x[i], values, images, slopes[d], [&] { return up_to[i]; });
        scaled[(begin + i) * width()] = static_cast<float>(clamp(image));
      }
    }
  }

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

  [[nodiscard]] double map(std::size_t column, double x, const std::vector<double>& from, const std::vector<double>& to,
                           double outer_slope) const {
    const std::size_t first = first_knot[column], last = first_knot[column + 1] - 1;
    return map(column, x, from, to, outer_slope, [&] {
      return numeric::count_before(from.data() + first, last - first, [=](double knot) { return knot <= x; });
    });
  }

  /// count() is how many knots of the column but the last are at most x.
  template <class Count>
  [[nodiscard]] double map(std::size_t column, double x, const std::vector<double>& from, const std::vector<double>& to,
                           double outer_slope, Count&& count) const {
    const std::size_t first = first_knot[column];
    const std::size_t last = first_knot[column + 1] - 1;
    if (x <= from[first] || first == last) return line(x, from[first], to[first], outer_slope);
    if (x >= from[last]) return line(x, from[last], to[last], outer_slope);
    const std::size_t k = first + count();
    const double share = (0.5 * x - 0.5 * from[k - 1]) / (0.5 * from[k] - 0.5 * from[k - 1]);
    return (1.0 - share) * to[k - 1] + share * to[k];
  }
};

}  // namespace hedgerow::mondrian
