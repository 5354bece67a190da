// SPDX-License-Identifier: BSD-3-Clause
// What a Mondrian tree asks of a label model. Summaries are stored, one a node, and say what was heard from below.
// Beliefs travel: a query carries one down from the root, so that nothing stored is ever stale and an update
// changes one path only. Structure code may use these verbs and nothing else of a label model.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/label/bridge.hpp"

namespace hedgerow::label {

/// One component of a prediction.
struct Gaussian {
  double mean;
  double variance;
};

/// Numbers that only queries need, and that may change from query to query without touching a summary.
struct Query {
  double centre;        ///< what is predicted without data; moments are accumulated about it
  double variance;      ///< the scale of all variances
  double noise = 0.0;   ///< the variance of a label about its leaf's mean
  double spread = 1.0;  ///< of the components' means about the mean of the mixture: 1 for the mixture as it is
  /// Outside the data, say the mean of the nearest point within, and count the difference as a standard deviation?
  bool keeps_mean = false;
  // How much the variance of mu counts beyond what leaving out one row at a time can tell.
  double near = 1.0;                                      ///< in units of `variance`: as far as rows have neighbours
  double far = 0.0;                                       ///< how much steeper it counts from there on
  double most = std::numeric_limits<double>::infinity();  ///< it counts at most as this much

  /// What the variance of mu, in units of `variance`, adds to that of a label.
  [[nodiscard]] double doubt(double variance_of_mu) const {
    return std::min(variance * variance_of_mu + far * std::max(variance_of_mu - near, 0.0), most);
  }
  /// A variance after so much was added to it; but none grows beyond what it is without evidence.
  [[nodiscard]] double widened(double variance_before, double added) const {
    return std::min(variance_before + added, std::max(variance_before, most + noise));
  }
};

/// A query point that leaves the tree on the edge above a node: x branches off `outside` per unit of time.
struct Branch {
  double above;         ///< time of the parent's split, where the edge begins
  double elapsed;       ///< Delta_j, length of the edge; may be infinite
  double outside;       ///< eta_j(x) > 0
  double survival;      ///< exp(-eta Delta), the probability of passing the edge
  double clock;         ///< the model's clock at the expected time of the branch, if it reads it
  ShareOfEdge share{};  ///< passed until the branch, if the model integrates over when that is
  double early = 0.0;   ///< if it reads clocks, at the quartiles of the time of the branch too
  double late = 0.0;

  /// Mean waiting time until the branch, given that it happens on the edge: a truncated exponential,
  /// 1 / eta - Delta s / (1 - s) with s = exp(-eta Delta), or its series in eta Delta where that would cancel.
  [[nodiscard]] double expected_wait() const { return expected_wait(outside, elapsed, survival); }

  /// Without jumps, so that a loop over many can be done in lanes; what is not chosen may be infinite or no number.
  [[nodiscard]] [[gnu::always_inline]] static double expected_wait(double outside, double elapsed, double survival) {
    const double h = outside * elapsed;
    const double series = elapsed * (0.5 - h * (1.0 / 12 - h * h * (1.0 / 720 - h * h * (1.0 / 30240))));
    const double cut_off = elapsed * survival / (1.0 - survival);
    const double direct = 1.0 / outside - (survival == 0.0 ? 0.0 : cut_off);  // 0 also on the edge without end
    return h < 0.02 ? series : direct;
  }

  /// The wait that is not exceeded with this probability: -log(1 - p (1 - s)) / eta, or its series.
  [[nodiscard]] [[gnu::always_inline]] static double wait_quantile(double probability, double outside, double elapsed,
                                                                   double survival) {
    const double h = outside * elapsed;
    const double series = probability * elapsed * (1.0 - 0.5 * h * (1.0 - probability));
    const double direct = -std::log1p(-probability * (1.0 - survival)) / outside;
    return h < 1e-6 ? series : direct;
  }
};

/// A label, with its weight, arrives at a leaf, and if places are counted with whether it is the first at its place.
template <class M>
concept HearsRows = requires(const M model, typename M::Summary& summary, double number, bool is_first) {
  model.add(summary, number, number);
} || requires(const M model, typename M::Summary& summary, double number, bool is_first) {
  model.add(summary, number, number, is_first);
};

/// What a leaf of many rows keeps besides its summary: sums without rounding, from which a row can be taken without a
/// look at the others.
template <class M>
concept SumsRows =
    std::copyable<typename M::Sums> && requires(const M model, typename M::Sums& sums, double number, bool is_first) {
      // a label, with its weight and whether it is the first at its place, comes (1) or leaves (-1)
      model.count(sums, number, number, is_first, number);
      { model.summary_of(std::as_const(sums)) } -> std::same_as<typename M::Summary>;
    };

/// What trees and forests ask, whatever is predicted.
template <class M>
concept LabelModel = HearsRows<M> && SumsRows<M> && std::copyable<M> && std::copyable<typename M::Summary> &&
                     std::copyable<typename M::Seen> && std::copyable<typename M::SeenSums> &&
                     requires(const M model, typename M::Summary& summary, const typename M::Summary& heard,
                              typename M::Seen& seen, typename M::SeenSums& sums, double number, double* numbers,
                              std::size_t size, std::vector<double>& written, std::span<const double>& rest) {
                       // how far a time is from the end, in the model's own measure: 0 at the lifetime, where leaves
                       // are
                       { model.clock(number) } -> std::same_as<double>;
                       model.read_clocks(numbers, size);  // the same for an array of times, in place
                       // an inner node, at the last clock, hears two children, at theirs
                       { model.merge(heard, number, heard, number, number) } -> std::same_as<typename M::Summary>;
                       // does the clock ever say anything but 0?
                       { M::reads_clock } -> std::convertible_to<bool>;
                       // does a merge often change nothing, so that it pays to look?
                       { M::summaries_settle } -> std::convertible_to<bool>;
                       // do equal rows count once, in leaves and in the size of a block?
                       { M::counts_places } -> std::convertible_to<bool>;
                       // do labels follow from the order in which rows came, and not from what these are?
                       { M::labels_tell_order } -> std::convertible_to<bool>;
                       // are blocks of equal labels paused, and are the labels heard all equal?
                       { model.pauses_pure() } -> std::same_as<bool>;
                       { model.is_pure(heard) } -> std::same_as<bool>;
                       { model.is_empty(heard) } -> std::same_as<bool>;
                       // a label comes to the forest, or leaves it
                       model.see(seen, number, number);
                       model.unsee(seen, number, number);
                       // the same with its sign, in sums without rounding
                       model.count_seen(sums, number, number, number);
                       { model.seen_of(std::as_const(sums)) } -> std::same_as<typename M::Seen>;
                       // to numbers and back: from a file that nobody vouches for
                       { model.is_label(number) } -> std::same_as<bool>;
                       model.write(heard, written);
                       model.write(std::as_const(seen), written);
                       { model.read(rest, summary) } -> std::same_as<bool>;
                       { model.read(std::as_const(written), seen) } -> std::same_as<bool>;
                       // is such a label among those counted?
                       { model.has_seen(std::as_const(seen), number) } -> std::same_as<bool>;
                     };

/// What a query asks of a model whose predictions are Gaussians.
template <class M>
concept GaussianModel = LabelModel<M> && std::copyable<typename M::Belief> &&
                        requires(const M model, const typename M::Summary& heard, const typename M::Belief& belief,
                                 const Branch& branch, Query query, double number) {
                          // what a branch must bring along: at most one of these
                          { M::reads_branch_clock } -> std::convertible_to<bool>;
                          { M::integrates_branches } -> std::convertible_to<bool>;
                          { model.prior(query) } -> std::same_as<typename M::Belief>;  // above the root
                          // the query steps down to a node at this clock
                          { model.infer(belief, heard, number) } -> std::same_as<typename M::Belief>;
                          { model.speak(belief, query) } -> std::same_as<Gaussian>;  // from inside a leaf
                          // from a would-be branch between a parent's belief and its child's
                          { model.speak_outside(belief, belief, branch, query) } -> std::same_as<Gaussian>;
                        };

/// Whose clock runs down exponentially at this rate.
template <class M>
concept IntegratesBranches = GaussianModel<M> && M::integrates_branches && requires(const M model) {
  { model.drift_rate } -> std::convertible_to<double>;
};

}  // namespace hedgerow::label
