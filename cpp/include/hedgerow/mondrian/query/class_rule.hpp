// SPDX-License-Identifier: BSD-3-Clause
// From the votes of trees to the class probabilities of a forest: the base distribution, calibration, and the share of
// the prior.
//
// Averaging over trees draws probabilities together. A power, learned from predictions of rows that were left out,
// corrects that. Let p be the mean over the trees, and u what it would be if all places weighed the same, with the base
// distribution H' and a reference r. Then
//
//   q_c  ~  p_c / u_c  r_c (u_c / r_c)^power  =  p_c (u_c / r_c)^(power - 1).
//
// A power above one moves predictions away from r = H'. One below moves them towards r, which then is a mixture: H'
// with the share that trees leave to the base distribution, and the frequencies of the classes with the rest. Both are
// H' far from the data, where p = H and u = H', so q = H there. A factor of all weights of a class is still the same
// factor in its odds: neither u nor r depends on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/label/stable_hierarchy.hpp"
#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::mondrian {

using ClassForest = Forest<label::StableHierarchy>;

/// What a query needs to know of the labels held at its time.
struct ClassQueryRule {
  bool is_empirical;    ///< H: the shares of the classes among all rows, else uniform
  double prior_weight;  ///< rows drawn from H that every prediction counts besides those it has; keeps it above zero
  double discount_rate;
  std::size_t n_classes;       ///< known to the one who asks
  double power = 1.0;          ///< see above
  double leaf_discount = 0.0;  ///< see vote.hpp

  [[nodiscard]] label::ClassQuery at(const ClassForest& forest) const {
    if (n_classes < forest.labels_seen.size()) throw std::invalid_argument("the forest knows more classes");
    return at(forest, n_classes);
  }
  [[nodiscard]] label::ClassQuery at(const ClassForest& forest, std::size_t n_known) const {
    return at(forest.labels_seen, forest.places.by_class(), n_known);
  }
  /// The same for the weight and the number of places of each class.
  [[nodiscard]] label::ClassQuery at(const std::vector<double>& seen, const std::vector<std::size_t>& places,
                                     std::size_t n_known) const {
    const double n_rows = std::accumulate(seen.begin(), seen.end(), 0.0);
    const auto n_places = static_cast<double>(std::accumulate(places.begin(), places.end(), std::size_t{0}));
    const auto k = static_cast<double>(n_known);
    label::ClassQuery query{.base = std::vector<double>(n_known, 1.0 / k),
                            .share = n_rows > 0.0 ? prior_weight / (n_rows + prior_weight) : 1.0,
                            .discount_rate = discount_rate,
                            .leaf_discount = leaf_discount,
                            .unit = n_rows > 0.0 ? n_rows / n_places : 1.0,
                            .power = power};
    const auto shares = [&](const auto& counts, double total) {
      std::vector<double> base(n_known);
      for (std::size_t c = 0; c < n_known; ++c) {
        base[c] = ((c < counts.size() ? static_cast<double>(counts[c]) : 0.0) + 1.0 / k) / (total + 1.0);
      }
      return base;
    };
    if (is_empirical) query.base = shares(seen, n_rows);
    if (power == 1.0 || n_places == 0.0) return query;
    const std::size_t n_held = std::min({n_known, seen.size(), places.size()});
    if (power < 1.0) {
      query.frequencies.assign(n_known, 0.0);
      for (std::size_t c = 0; c < n_held; ++c) query.frequencies[c] = static_cast<double>(places[c]) / n_places;
    }
    const bool is_plain =
        std::ranges::equal(seen, places, [](double weight, std::size_t n) { return weight == static_cast<double>(n); });
    if (!is_plain) {
      query.scales.assign(n_known, 1.0);
      for (std::size_t c = 0; c < n_held; ++c) {
        if (places[c] > 0 && seen[c] > 0.0) query.scales[c] = seen[c] / static_cast<double>(places[c]) / query.unit;
      }
      if (is_empirical) query.plain_base = shares(places, n_places);
    }
    return query;
  }
};

/// The mean over the trees, calibrated, in the place of the votes. Their total is above zero.
inline void calibrate(const label::ClassQuery& query, double left_to_base, double total, double* votes) {
  const std::size_t n_classes = query.base.size();
  constexpr double never = -std::numeric_limits<double>::infinity();
  double plain_total = left_to_base, highest = never;
  for (std::size_t c = 0; c < n_classes; ++c) plain_total += votes[c] / query.scale(c);
  const double share_of_base = left_to_base / plain_total;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const double mean = (votes[c] + left_to_base * query.base[c]) / total;
    const double plain = (votes[c] / query.scale(c) + left_to_base * query.plain(c)) / plain_total;
    const double reference = query.reference(c, share_of_base);
    votes[c] = mean > 0.0 && plain > 0.0 ? std::log(mean) + (query.power - 1.0) * std::log(plain / reference) : never;
    highest = std::max(highest, votes[c]);
  }
  double sum = 0.0;
  for (std::size_t c = 0; c < n_classes; ++c) sum += votes[c] = std::exp(votes[c] - highest);
  const bool is_found = sum > 0.0;  // unless weights are so far apart that nothing is left of the votes
  for (std::size_t c = 0; c < n_classes; ++c) votes[c] = is_found ? votes[c] / sum : query.base[c];
}

/// Votes become probabilities; the base distribution gets what they left to it, and its share. Returns how many votes
/// there were: one a tree, if all rows weigh the same.
inline double add_base(const label::ClassQuery& query, double left_to_base, double* votes) {
  const std::size_t n_classes = query.base.size();
  const double total = std::accumulate(votes, votes + n_classes, left_to_base);
  const bool is_calibrated = total > 0.0 && query.power != 1.0;
  if (is_calibrated) calibrate(query, left_to_base, total, votes);
  for (std::size_t c = 0; c < n_classes; ++c) {
    const double mean = is_calibrated ? votes[c]
                        : total > 0.0 ? (votes[c] + left_to_base * query.base[c]) / total
                                      : query.base[c];
    votes[c] = mean + query.share * (query.base[c] - mean);
  }
  return total;
}

}  // namespace hedgerow::mondrian
