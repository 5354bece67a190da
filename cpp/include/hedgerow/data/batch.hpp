// SPDX-License-Identifier: BSD-3-Clause
// Rows as the caller holds them. Nothing is copied.
#pragma once

#include <cstddef>

namespace hedgerow::data {

/// Rows to be learned: n of them, row-major features, labels, and weights, or null if all are one.
struct Batch {
  const double* features;
  const double* labels;
  const double* weights;
  std::size_t n;

  [[nodiscard]] double weight(std::size_t i) const { return weights == nullptr ? 1.0 : weights[i]; }
};

/// Points to be asked about: n of them, row-major.
struct Points {
  const double* features;
  std::size_t n;
};

}  // namespace hedgerow::data
