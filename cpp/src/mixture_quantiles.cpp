// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/predictive/mixture_quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/normal_tail.hpp"

namespace hedgerow::predictive {
namespace {

constexpr std::size_t n_lanes = 4;

/// At one place: probability below it, the density there and its slope, the latter two without 1 / sqrt(2 pi).
struct Place {
  double below, density, slope;
};

/// Sums in lanes, added up at the end, so that their order is the same on every machine.
HEDGEROW_MULTIVERSION
void look_at(const double* weights, const double* means, const double* inverse_stds, std::size_t n, double y,
             Place* place) {
  double below[n_lanes] = {}, density[n_lanes] = {}, slope[n_lanes] = {};
  for (std::size_t k = 0; k < n; k += n_lanes) {
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      const double weight = weights[k + lane], inverse = inverse_stds[k + lane];
      const double z = (y - means[k + lane]) * inverse, size = z < 0.0 ? -z : z;
      const double bell = numeric::exp_nonpositive(-0.5 * z * z);
      const double tail = numeric::normal_tail(size, bell);
      const double high = weight * inverse * bell;
      below[lane] += weight * (z < 0.0 ? tail : 1.0 - tail);
      density[lane] += high;
      slope[lane] -= high * inverse * z;
    }
  }
  const auto sum = [](const double* lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
  *place = {sum(below), sum(density), sum(slope)};
}

}  // namespace

void MixtureQuantiles::ask(const NormalMixture& mixture) {
  const std::size_t n = mixture.weights.size();
  n_ = (n + n_lanes - 1) / n_lanes * n_lanes;
  weights_.assign(mixture.weights.begin(), mixture.weights.end());
  means_.assign(mixture.means.begin(), mixture.means.end());
  inverse_stds_.resize(n);
  double widest_inverse = 0.0;
  mean_ = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    inverse_stds_[k] = 1.0 / std::sqrt(mixture.variances[k]);
    widest_inverse = std::max(widest_inverse, inverse_stds_[k]);
    mean_ += weights_[k] * means_[k];
  }
  double variance = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double gap = means_[k] - mean_;
    variance += weights_[k] * (mixture.variances[k] + gap * gap);
  }
  std_ = std::sqrt(variance);
  narrowest_ = 1.0 / widest_inverse;
  weights_.resize(n_, 0.0);  // a copy of the first component that weighs nothing
  means_.resize(n_, means_[0]);
  inverse_stds_.resize(n_, inverse_stds_[0]);
}

MixtureQuantiles::Bracket MixtureQuantiles::bracket(double z) const {
  Bracket found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < n_; ++k) {
    const double own = means_[k] + z / inverse_stds_[k];
    found.low = std::min(found.low, own);
    found.high = std::max(found.high, own);
  }
  return found;
}

double MixtureQuantiles::at(double q, double z) const {
  if (std::isinf(z)) return z;
  auto [low, high] = bracket(z);
  if (!(low <= high)) return std::numeric_limits<double>::quiet_NaN();  // a mean or a variance is none
  const double range = high - low;
  double y = std::clamp(mean_ + z * std_, low, high);  // the quantile, were the mixture one Gaussian
  for (int step = 0; step < 200; ++step) {
    Place place;
    look_at(weights_.data(), means_.data(), inverse_stds_.data(), n_, y, &place);
    (place.below < q ? low : high) = y;
    // Newton's step, in which the density lacks its constant, and how much of it the bend of the curve takes.
    const double newton = (place.below - q) / place.density * std::sqrt(2.0 * std::numbers::pi);
    const double bend = 0.5 * newton * (place.slope / place.density);
    double next = y - newton / (std::abs(bend) < 0.5 ? 1.0 - bend : 1.0);
    const bool is_inside = next > low && next < high;
    if (!is_inside) next = 0.5 * low + 0.5 * high;
    const double moved = std::abs(next - y), scale = std::max(std::abs(y), range);
    // What is left after a step of Halley's is of third order in it, by the narrowest component's measure at most.
    const double share = moved / narrowest_;
    if (next == y || moved <= 1e-14 * scale) return next;
    if (is_inside && share < 0.1 && moved * (share * share + bend * bend) <= 1e-15 * scale) return next;
    y = next;
  }
  return y;
}

}  // namespace hedgerow::predictive
