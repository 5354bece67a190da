// SPDX-License-Identifier: BSD-3-Clause
// (1 - exp(-h)) / h: the mean of exp(-t) over an interval of length h, from which all moments of truncated exponential
// waiting times are made.
#pragma once

namespace hedgerow::numeric {

/// Given exp(-h) too, which is at hand wherever this is needed; its series where the difference would cancel.
inline double mean_survival(double h, double survival) {
  if (h > 0.02) return (1.0 - survival) / h;
  return 1.0 - h / 2 * (1.0 - h / 3 * (1.0 - h / 4 * (1.0 - h / 5 * (1.0 - h / 6 * (1.0 - h / 7)))));
}

}  // namespace hedgerow::numeric
