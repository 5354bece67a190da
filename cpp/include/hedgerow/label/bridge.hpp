// SPDX-License-Identifier: BSD-3-Clause
// Where on an edge a query point branches off, when time is measured by a clock that runs down exponentially.
//
// The wait t until the branch is exponential with rate eta, given that it is shorter than the edge D; the share of the
// edge that has passed by then is f = (1 - exp(-g t)) / (1 - exp(-g D)). With h = eta D, x = g D, s = exp(-h) and
// phi(h) = (1 - exp(-h)) / h,
//   E f = (1 / phi(x) - s / phi(h)) / (h + x),
// and since 1 - exp(-2 g t) is the same with 2 g, writing q = 1 - exp(-x),
//   E f^2 = (2 E f - (2 - q) E f') / q,   f' the share for 2 g.
// Without jumps, so that a loop over many can be done in lanes; what is not chosen may be infinite or no number.
#pragma once

#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/mean_survival.hpp"

namespace hedgerow::label {

/// First two moments of the share of an edge that has passed, by the clock, when a query point branches off.
struct ShareOfEdge {
  double mean;
  double square;
};

/// E f from kept = 1 / phi(x) and lost = s / phi(h). Where h and x are both tiny the difference cancels and its limit
/// is taken.
[[gnu::always_inline]] inline double mean_share(double h, double x, double kept, double lost) {
  const double direct = (kept - lost) / (h + x);
  return h + x < 1e-4 ? 0.5 + (x - h) * (1.0 / 12) : direct;
}

/// What the clock makes of an edge: the same for all points that may leave on it.
struct EdgeByClock {
  double elapsed;     ///< D
  double length;      ///< the same, unless the edge is without end: then so long that the clock has run down
  double run;         ///< x = g D, D the length
  double kept;        ///< 1 / phi(x)
  double kept_twice;  ///< 1 / phi(2 x)
  double passed;      ///< q
};

/// elapsed = D, rate = g.
[[gnu::always_inline]] inline EdgeByClock edge_by_clock(double elapsed, double rate) {
  // Times are numbers of single precision, or infinite, and so are distances: these have finite products.
  const double length = 2.0 * rate * elapsed < 1e200 ? elapsed : 1000.0 / rate;
  const double decay = numeric::exp_nonpositive(-(rate * length)), x = rate * length;
  return {elapsed,
          length,
          x,
          numeric::inverse_mean_survival(x, decay),
          numeric::inverse_mean_survival(2.0 * x, decay * decay),
          x > numeric::small_wait ? 1.0 - decay : x * numeric::mean_survival_series(x)};
}

/// outside = eta, survival = exp(-eta D).
[[gnu::always_inline]] inline ShareOfEdge share_of_edge(const EdgeByClock& edge, double outside, double survival) {
  const double h = outside * edge.length, q = edge.passed;
  const double passed = survival * numeric::inverse_mean_survival(h, survival);
  const double lost = survival == 0.0 ? 0.0 : passed;
  const double mean = mean_share(h, edge.run, edge.kept, lost);
  const double twice = mean_share(h, 2.0 * edge.run, edge.kept_twice, lost);
  const double by_clock = (2.0 * mean - (2.0 - q) * twice) / q;
  const double near = 1.0 / 3 - h * (1.0 / 12) * (1.0 - h * (1.0 / 30));
  const double wait = 1.0 / h;
  const double far = wait * (2.0 * wait - lost * (1.0 + 2.0 * wait));
  const double by_time = h < 0.05 ? near : far;         // by plain time
  const double square = q < 1e-5 ? by_time : by_clock;  // where the clock hardly moves
  return {mean, square < mean * mean ? mean * mean : square};
}

/// outside = eta, elapsed = D, survival = exp(-eta D), rate = g.
[[gnu::always_inline]] inline ShareOfEdge share_of_edge(double outside, double elapsed, double survival, double rate) {
  return share_of_edge(edge_by_clock(elapsed, rate), outside, survival);
}

}  // namespace hedgerow::label
