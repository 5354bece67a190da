// SPDX-License-Identifier: BSD-3-Clause
// Where on an edge a query point branches off, when time is measured by a clock that runs down exponentially.
//
// The wait t until the branch is exponential with rate eta, given that it is shorter than the edge D; the share of the
// edge that has passed by then is f = (1 - exp(-g t)) / (1 - exp(-g D)). With h = eta D, x = g D, s = exp(-h) and
// phi(h) = (1 - exp(-h)) / h,
//   E f = (phi(h) / phi(x) - s) / ((h + x) phi(h)),
// and since 1 - exp(-2 g t) is the same with 2 g, writing q = 1 - exp(-x),
//   E f^2 = (2 E f - (2 - q) E f') / q,   f' the share for 2 g.
#pragma once

#include <algorithm>
#include <cmath>

#include "hedgerow/numeric/mean_survival.hpp"

namespace hedgerow::label {

/// First two moments of the share of an edge that has passed, by the clock, when a query point branches off.
struct ShareOfEdge {
  double mean;
  double square;
};

/// E f, where decay = exp(-x). Where h and x are both tiny the difference cancels and its limit is taken.
inline double mean_share(double h, double x, double survival, double decay) {
  if (h + x < 1e-4) return 0.5 + (x - h) / 12.0;
  const double phi = numeric::mean_survival(h, survival);
  return (phi / numeric::mean_survival(x, decay) - survival) / ((h + x) * phi);
}

/// outside = eta, elapsed = D, survival = exp(-eta D), decay = exp(-g D), rate = g.
inline ShareOfEdge share_of_edge(double outside, double elapsed, double survival, double decay, double rate) {
  if (!std::isfinite((outside + 2.0 * rate) * elapsed)) {  // an edge without end, or as good as
    const double mean = rate / (outside + rate);
    return {mean, std::max(mean * (2.0 * rate / (outside + 2.0 * rate)), mean * mean)};
  }
  const double h = outside * elapsed, x = rate * elapsed;
  const double mean = mean_share(h, x, survival, decay);
  const double q = x * numeric::mean_survival(x, decay);
  if (q < 1e-5) {  // the clock hardly moves: shares are those of plain time
    if (h < 0.05) return {mean, std::max(1.0 / 3 - h / 12 * (1.0 - h / 30), mean * mean)};
    const double gone = survival / (1.0 - survival);
    return {mean, std::max(2.0 / (h * h) - gone * (1.0 + 2.0 / h), mean * mean)};
  }
  const double square = (2.0 * mean - (2.0 - q) * mean_share(h, 2.0 * x, survival, decay * decay)) / q;
  return {mean, std::max(square, mean * mean)};
}

}  // namespace hedgerow::label
