// SPDX-License-Identifier: BSD-3-Clause
// What a query needs to know of the labels held at its time: the two numbers of `label::Query`, either fixed or
// following the labels' mean and variance as rows come and go.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hedgerow/label/running_moments.hpp"

namespace hedgerow::mondrian {

struct QueryRule {
  double centre;             ///< NaN to follow the mean of the labels
  double variance;           ///< NaN to follow the variance of the labels
  double share;              ///< the query's variance per variance of the labels
  double origin;             ///< what was subtracted from the user's labels
  double noise_share = 0.0;  ///< the variance of a label about its leaf's mean, per variance of the query
  double spread = 1.0;       ///< see `label::Query`
  bool keeps_mean = false;   ///< see `label::Query`, as for what follows
  double near = 1.0;
  double far = 0.0;
  double most = std::numeric_limits<double>::infinity();

  [[nodiscard]] label::Query at(const label::RunningMoments::Summary& seen) const {
    const double mean = seen.weight > 0.0 ? seen.mean : -origin;  // without labels, 0 to the user
    const double scale = std::isnan(variance) ? share * variance_of(seen, mean) : variance;
    return {std::isnan(centre) ? mean : centre, scale, scale * noise_share, spread, keeps_mean, near, far, most};
  }

 private:
  /// Less than two labels say nothing of a spread: their own magnitude must do. Labels that do not vary have the
  /// variance that rounding would give them.
  [[nodiscard]] double variance_of(const label::RunningMoments::Summary& seen, double mean) const {
    const double magnitude = std::abs(origin + mean);
    if (seen.weight < 2.0) return magnitude > 0.0 ? magnitude * magnitude : 1.0;
    const double rounding = 0x1p-52 * magnitude;
    return std::max({seen.squares / seen.weight, rounding * rounding, 1e-300});
  }
};

}  // namespace hedgerow::mondrian
