// SPDX-License-Identifier: BSD-3-Clause
// (1 - exp(-h)) / h: the mean of exp(-t) over an interval of length h, from which all moments of truncated exponential
// waiting times are made.
#pragma once

namespace hedgerow::numeric {

/// Below this the difference cancels, and its series is summed.
inline constexpr double small_wait = 0.02;

[[gnu::always_inline]] inline double mean_survival_series(double h) {
  return 1.0 - h * (1.0 / 2 - h * (1.0 / 6 - h * (1.0 / 24 - h * (1.0 / 120 - h * (1.0 / 720 - h * (1.0 / 5040))))));
}

/// Given exp(-h) too, which is at hand wherever this is needed.
inline double mean_survival(double h, double survival) {
  return h > small_wait ? (1.0 - survival) / h : mean_survival_series(h);
}

/// Its inverse, without jumps.
[[gnu::always_inline]] inline double inverse_mean_survival(double h, double survival) {
  return (h > small_wait ? h : 1.0) / (h > small_wait ? 1.0 - survival : mean_survival_series(h));
}

}  // namespace hedgerow::numeric
