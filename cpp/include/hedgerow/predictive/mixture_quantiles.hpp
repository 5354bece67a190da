// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of a mixture of Gaussians, many of one mixture. Halley's method between brackets: the quantile lies between
// the smallest and the largest quantile of a component. Where a step leads outside, the bracket is halved.
#pragma once

#include <cstddef>
#include <vector>

#include "hedgerow/predictive/normal_mixture.hpp"

namespace hedgerow::predictive {

class MixtureQuantiles {
 public:
  /// The mixture to be asked about from now on.
  void ask(const NormalMixture& mixture);

  /// The y below which lies probability q, where z is the same quantile of the standard normal.
  [[nodiscard]] double at(double q, double z) const;

 private:
  struct Bracket {
    double low, high;
  };
  [[nodiscard]] Bracket bracket(double z) const;

  std::size_t n_ = 0;                                   ///< components, filled up with weightless ones to whole lanes
  std::vector<double> weights_, means_, inverse_stds_;  ///< of the components
  double mean_ = 0.0, std_ = 0.0;                       ///< of the mixture
  double narrowest_ = 0.0;                              ///< standard deviation of a component
};

}  // namespace hedgerow::predictive
