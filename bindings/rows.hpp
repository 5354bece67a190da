// SPDX-License-Identifier: BSD-3-Clause
// Rows from NumPy: shapes are checked here, before pointers go into the core.
#pragma once

#include <cmath>
#include <stdexcept>

#include "arrays.hpp"
#include "hedgerow/data/batch.hpp"

namespace hedgerow::bindings {

using Features = Matrix<double>;
using Labels = Vector<double>;

inline void require_width(std::size_t found, std::size_t expected) {
  if (found != expected) throw std::invalid_argument("wrong number of columns");
}

inline data::Points points_of(std::size_t width, const Features& x) {
  require_width(x.shape(1), width);
  return {x.data(), x.shape(0)};
}

/// One row straight from the user: right width, all finite.
inline data::Points row_of(std::size_t width, const Labels& x) {
  require_width(x.shape(0), width);
  for (const double value : span_of(x)) {
    if (!std::isfinite(value)) throw std::invalid_argument("a feature is not finite");
  }
  return {x.data(), 1};
}

/// No weights: all are one.
inline data::Batch batch_of(std::size_t width, const Features& x, const Labels& y, const Labels& weights) {
  require_width(x.shape(1), width);
  if (y.shape(0) != x.shape(0) || (weights.shape(0) != 0 && weights.shape(0) != x.shape(0))) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  return {x.data(), y.data(), weights.shape(0) == 0 ? nullptr : weights.data(), x.shape(0)};
}

}  // namespace hedgerow::bindings
