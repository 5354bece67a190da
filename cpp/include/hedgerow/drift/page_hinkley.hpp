// SPDX-License-Identifier: BSD-3-Clause
// The Page-Hinkley test for a mean that goes up: how far the sum of deviations from the running mean has risen above
// its lowest point. Three numbers of memory; quicker than ADWIN, and blind to slow change.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hedgerow::drift {

struct PageHinkley {
  static constexpr double tolerance = 0.005;          ///< a rise of the mean by less is ignored
  static constexpr std::uint64_t least_numbers = 30;  ///< before that nothing is said

  explicit PageHinkley(double alarm = 20.0) : threshold(alarm) {}

  double threshold;
  double mean = 0.0;
  double deviation = 0.0;
  double lowest = 0.0;
  std::uint64_t n_updates = 0;

  /// Take a number from [0, 1]. Has the mean gone up?
  bool update(double number) {
    ++n_updates;
    mean += (number - mean) / static_cast<double>(n_updates);
    deviation += number - mean - tolerance;
    lowest = std::min(lowest, deviation);
    return n_updates >= least_numbers && deviation - lowest > threshold;
  }
};

}  // namespace hedgerow::drift
