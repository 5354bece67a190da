// SPDX-License-Identifier: BSD-3-Clause
// The hierarchical Gaussian of Lakshminarayanan, Roy and Teh (2016), section 3, with exact belief propagation.
//
//   mu_root ~ N(mu_H, phi_root),  mu_j ~ N(mu_parent, phi_j),  y ~ N(mu_leaf, sigma_y^2),
//   phi_j = gamma_1 (sigma(gamma_2 tau_j) - sigma(gamma_2 tau_parent)),   sigma the logistic function.
//
// Everything is measured in units of gamma_1, so that gamma_1 and mu_H enter in the query only. With
// Psi(t) = sigma(-gamma_2 t) - sigma(-gamma_2 lifetime), the variance still to be gained before a leaf is
// reached, phi_j = Psi(tau_parent) - Psi(tau_j) and Psi = 0 at leaves, exactly. A clock that runs down exponentially,
// Psi(t) = exp(-gamma_2 t) - exp(-gamma_2 lifetime), smooths as well, and what is said of a point that branches off can
// then be integrated over when it does so.
//
// Upwards, a node holds N(mu_j; mean, 1 / precision), the likelihood of all labels below it as a function of mu_j.
// Downwards, in smoother form (no division by phi, no subtraction of messages), with k = precision phi:
//   E mu_j = m_parent + k / (1 + k) (mean - m_parent),   V mu_j = (phi + V_parent / (1 + k)) / (1 + k),
//   Cov(mu_parent, mu_j) = V_parent / (1 + k).
#pragma once

#include <algorithm>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/numeric/exact_sum.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/exponential_kernels.hpp"

namespace hedgerow::label {

/// The clock of Lakshminarayanan, Roy and Teh (2016).
struct LogisticClock {
  static double reading(double decay) { return decay / (1.0 + decay); }
  static constexpr bool integrates_branches = false;
};
struct ExponentialClock {
  static double reading(double decay) { return decay; }
  static constexpr bool integrates_branches = true;
};

template <class Clock>
struct GaussianHierarchyBy : GaussianLabels {
  double drift_rate = 1.0;       ///< gamma_2
  double signal_to_noise = 1.0;  ///< K = gamma_1 / sigma_y^2
  double psi_at_lifetime = 0.0;  ///< sigma(-gamma_2 lifetime)

  struct Summary {
    double precision = 0.0;  ///< in units of 1 / gamma_1
    double mean = 0.0;       ///< in units of y; garbage while the precision is 0
  };
  struct Belief {
    double mean;
    double variance;  ///< of mu_j given all labels, in units of gamma_1
    double psi;       ///< Psi(tau_j)
    double coupling;  ///< 1 / (1 + k): Cov(mu_parent, mu_j) = coupling * V mu_parent
  };

  static GaussianHierarchyBy make(double drift_rate, double signal_to_noise, double lifetime) {
    return {{}, drift_rate, signal_to_noise, fading(drift_rate * lifetime)};
  }

  [[nodiscard]] [[gnu::always_inline]] double psi(double time) const {
    return fading(drift_rate * time) - psi_at_lifetime;
  }

  void add(Summary& summary, double label, double weight) const {
    const double gained = weight * signal_to_noise;
    summary.precision += gained;
    summary.mean += gained / summary.precision * (label - summary.mean);
  }

  struct Sums {
    numeric::ExactSum weight, label;
  };
  static void count(Sums& sums, double label, double weight, bool, double sign) {
    sums.weight.add(sign * weight);
    sums.label.add_product(sign * weight, label);
  }
  [[nodiscard]] Summary summary_of(const Sums& sums) const {
    const double weight = sums.weight.value();
    return {weight * signal_to_noise, sums.label.value() / weight};
  }

  using GaussianLabels::read, GaussianLabels::write;
  static constexpr bool reads_clock = true;
  static constexpr bool integrates_branches = Clock::integrates_branches;
  static constexpr bool reads_branch_clock = !integrates_branches;
  static bool is_pure(const Summary&) { return false; }
  static bool is_empty(const Summary& summary) { return summary.precision == 0.0; }
  static void write(const Summary& summary, std::vector<double>& numbers) { write_plain(summary, numbers); }
  static bool read(std::span<const double>& numbers, Summary& summary) {
    return read_plain(numbers, summary) && summary.precision >= 0.0 && is_within(summary.mean, largest_label);
  }

  [[nodiscard]] double clock(double time) const { return psi(time); }
  void read_clocks(double* times, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) times[i] *= -drift_rate;
    numeric::exp_nonpositive_all(times, n);
    for (std::size_t i = 0; i < n; ++i) times[i] = Clock::reading(times[i]) - psi_at_lifetime;
  }

  [[nodiscard]] Summary merge(const Summary& left, double left_psi, const Summary& right, double right_psi,
                              double own_psi) const {
    return join({diffuse(left.precision, own_psi - left_psi), left.mean},
                {diffuse(right.precision, own_psi - right_psi), right.mean});
  }
  /// The same of messages as they arrive.
  static Summary join(const Summary& from_left, const Summary& from_right) {
    const double total = from_left.precision + from_right.precision;
    return {total, from_left.mean + from_right.precision / total * (from_right.mean - from_left.mean)};
  }

  [[nodiscard]] Belief prior(Query query) const { return {query.centre, 0.0, psi(0.0), 1.0}; }

  [[nodiscard]] Belief infer(const Belief& parent, const Summary& heard, double own_psi) const {
    const double drift = std::max(parent.psi - own_psi, 0.0);
    const double k = heard.precision * drift;
    const double coupling = 1.0 / (1.0 + k);
    return {parent.mean + k * coupling * (heard.mean - parent.mean), (drift + parent.variance * coupling) * coupling,
            own_psi, coupling};
  }

  [[nodiscard]] Gaussian speak(const Belief& belief, Query query) const {
    return {belief.mean, query.doubt(belief.variance) + query.noise};
  }

  /// Document 000, section 3.3: "the predictive mean at that node is the posterior of the parent of the new node".
  /// That parent sits on the edge where the point branches off, a share f of the way by the clock; given both ends of
  /// the edge it is a Brownian bridge in Psi, and the new leaf below it gains another Psi.
  [[nodiscard]] Gaussian speak_outside(const Belief& parent, const Belief& own, const Branch& branch,
                                       Query query) const {
    const double drift = parent.psi - own.psi;
    const ShareOfEdge f = share_passed(parent, own, branch);
    const double gap = own.mean - parent.mean, shared = parent.variance * own.coupling;
    const double variance = parent.variance + 2.0 * f.mean * (shared - parent.variance) +
                            f.square * (parent.variance + own.variance - 2.0 * shared) + (f.mean - f.square) * drift +
                            (parent.psi - f.mean * drift);
    return {parent.mean + f.mean * gap, query.doubt(variance) + query.noise + (f.square - f.mean * f.mean) * gap * gap};
  }

  /// The precision of a message after the drift of an edge.
  static double diffuse(double precision, double drift) { return precision / (1.0 + precision * std::max(drift, 0.0)); }

 private:
  /// The clock's reading at x >= 0.
  [[gnu::always_inline]] static double fading(double x) { return Clock::reading(numeric::exp_nonpositive(-x)); }
  /// Integrated over the time of the branch, or taken at its expectation.
  [[nodiscard]] static ShareOfEdge share_passed([[maybe_unused]] const Belief& parent,
                                                [[maybe_unused]] const Belief& own, const Branch& branch) {
    if constexpr (integrates_branches) {
      return branch.share;
    } else {
      const double drift = parent.psi - own.psi;
      const double left = std::clamp(branch.clock, own.psi, parent.psi);
      const double f = drift > 0.0 ? (parent.psi - left) / drift : 1.0;
      return {f, f * f};
    }
  }
};
using GaussianHierarchy = GaussianHierarchyBy<LogisticClock>;
using ExponentialHierarchy = GaussianHierarchyBy<ExponentialClock>;
static_assert(GaussianModel<GaussianHierarchy> && IntegratesBranches<ExponentialHierarchy>);

}  // namespace hedgerow::label
