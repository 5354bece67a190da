// SPDX-License-Identifier: BSD-3-Clause
// How large errors are where: an online forest that learns the size of each error, so that what an error is measured in
// follows noise that varies (normalised conformal prediction: Papadopoulos, Vovk and Gammerman 2011; Johansson et
// al. 2014). Trees that split on means do not see noise that depends on other features than the mean does. A row is
// asked before it is learned, so no factor knows the error that it is held against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "hedgerow/online/forest.hpp"

namespace hedgerow::online {

using ErrorSizes = Forest<NoMore>;

/// An error of so many standard deviations counts as no larger: one outlier should not widen a region for long.
inline constexpr double largest_error = 5.0;
/// Nor does a region ever become a point.
inline constexpr double smallest_factor = 0.01;

/// The size of an error in standard deviations, in a unit in which that of a Gaussian has mean 1.
inline double error_size(double error) { return std::sqrt(0.5 * std::numbers::pi) * std::min(error, largest_error); }

/// Sizes are kept in these units, one a row: none for sizes in standard deviations, or the standard deviations
/// themselves for sizes in the unit of the labels.
struct SizeUnits {
  const double* values = nullptr;

  [[nodiscard]] double operator[](std::size_t i) const { return values == nullptr ? 1.0 : values[i]; }
};

namespace detail {

/// By how much the standard deviation of a row is off, as the mean over trees has it.
inline double factor_of(double sum, std::size_t n_trees, double unit) {
  return std::clamp(sum / static_cast<double>(n_trees) / unit, smallest_factor, error_size(largest_error));
}
inline double factor_of(const Answers& said, std::size_t i, std::size_t n_trees, double unit) {
  double sum = 0.0;
  for (std::size_t b = 0; b < n_trees; ++b) sum += said.means[i * n_trees + b];
  return factor_of(sum, n_trees, unit);
}

}  // namespace detail

/// The factor of each row; 1 while few sizes are known.
inline std::vector<double> error_factors(const ErrorSizes& sizes, const double* features, const SizeUnits& units,
                                         std::size_t n, std::size_t n_threads) {
  std::vector<double> factors(n, 1.0);
  if (!sizes.is_warm(sizes.arrivals)) return factors;
  const Answers said = sizes.predict(features, n, n_threads);
  for (std::size_t i = 0; i < n; ++i) factors[i] = detail::factor_of(said, i, sizes.slots.size(), units[i]);
  return factors;
}

/// The factor of each row just before its error is learned. The labels of the batch are errors, in standard deviations.
inline std::vector<double> factor_then_learn(ErrorSizes& sizes, const Batch& errors, const SizeUnits& units,
                                             std::size_t n_threads) {
  const std::uint64_t n_before = sizes.arrivals;
  std::vector<double> learned(errors.n), factors(errors.n, 1.0);
  for (std::size_t i = 0; i < errors.n; ++i) learned[i] = error_size(errors.labels[i]) * units[i];
  const Answers said = sizes.predict_then_learn({errors.features, learned.data(), errors.weights, errors.n}, n_threads);
  for (std::size_t i = 0; i < errors.n; ++i) {
    if (sizes.is_warm(n_before + i)) factors[i] = detail::factor_of(said, i, sizes.slots.size(), units[i]);
  }
  return factors;
}

/// The same row by row, for errors in standard deviations. What it needs besides the forest's memory is made before.
class SizeStream {
 public:
  void make_room(const ErrorSizes& sizes, std::size_t n) {
    x_.resize(sizes.growth.width);
    sizes.make_room(search_, n);
  }

  double factor_then_learn(ErrorSizes& sizes, const double* features, double error, double weight) {
    const Arrival arrival = sizes.announce(features, error_size(error), weight, x_.data(), z_);
    double sum = 0.0;
    for (auto& slot : sizes.slots) {
      label::Gaussian said{};
      slot.learn(arrival, sizes.growth, search_, said);
      sum += said.mean;
    }
    return sizes.is_warm(arrival.number) ? detail::factor_of(sum, sizes.slots.size(), 1.0) : 1.0;
  }

 private:
  SplitSearch search_;
  std::vector<float> x_;
  std::vector<double> z_;  ///< leaves are not linear
};

}  // namespace hedgerow::online
