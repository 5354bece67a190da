// SPDX-License-Identifier: BSD-3-Clause
// Prediction of classes: Lakshminarayanan (2016), Algorithm 5.8. A query point may leave the tree on any edge of its
// path, and the tree's prediction is the mean, over where it leaves, of what is believed there.
//
// No belief is ever written down. By equation 5.5 a node's belief is its own counts plus a share of its parent's
// belief, and by line 11 what is believed on the edge above it is its own tables plus a share of the parent's belief.
// So a prediction is a sum over the path of coefficients times sparse counts, and the coefficients are found on the way
// up from the leaf: a node pays only for the classes below it, and above the point where all shares are used up nobody
// pays at all.
//
// By that equation a leaf whose edge never ends believes nothing but its own rows: a point that lies where one row lies
// would have its class for sure. The leaf discount keeps a share of the parent's belief there. Of a leaf with c
// customers in t tables it is the share t / c of the discount, so this is also the share that is kept on its edge: what
// is believed next to the leaf's box goes over into what is believed inside.
#pragma once

#include <cstddef>
#include <vector>

#include "hedgerow/label/stable_hierarchy.hpp"
#include "hedgerow/mondrian/query/departure_probabilities.hpp"
#include "hedgerow/mondrian/query/descend.hpp"
#include "hedgerow/numeric/exponential_kernels.hpp"

namespace hedgerow::mondrian {

class Voter {
 public:
  using Model = label::StableHierarchy;

  /// n points (row-major, in forest units) go down the tree.
  void go_down(const Asking<Model>& asking, const float* points, std::size_t n) {
    descent_.go_down(asking, points, n);
    const auto& visited = descent_.visited();
    discounts_.resize(visited.size());
    for (std::size_t k = 0; k < visited.size(); ++k) {
      discounts_[k] = -(asking.query.discount_rate * (visited[k].time - visited[k].above));
    }
    numeric::exp_nonpositive_all(discounts_.data(), discounts_.size());
    const auto departures = descent_.departures();
    survivals_.resize(departures.size());
    for (std::size_t k = 0; k < departures.size(); ++k) {
      const auto& at = visited[departures[k].box];
      survivals_[k] = -(departures[k].outside * (at.time - at.above));
    }
    numeric::exp_nonpositive_all(survivals_.data(), survivals_.size());
    leaving_.work_out(departures, survivals_, n);
  }

  /// What the tree says of each point: cast(point, class, vote), any number of times to be added up, and
  /// leave(point, vote) for what is left to the base distribution. Votes are the probabilities of customers that are
  /// all alike, times what those of each class weigh in units of the query.
  template <class Cast, class Leave>
  void vote(const Asking<Model>& asking, Cast&& cast, Leave&& leave) const {
    for (const auto& [point, visited] : descent_.arrivals()) {
      const double left = climb(asking, {visited, leaving_.stay[point], leaving_.last[point]},
                                [&, id = point](label::ClassId c, double vote) { cast(id, c, vote); });
      leave(point, left);
    }
  }

  /// The same for points that are sure to stay in the tree: Gbar_leaf(x).
  template <class Cast, class Leave>
  void vote_from_leaves(const Asking<Model>& asking, Cast&& cast, Leave&& leave) const {
    for (const auto& [point, visited] : descent_.arrivals()) {
      const double left =
          climb(asking, {visited, 1.0, none}, [&, id = point](label::ClassId c, double vote) { cast(id, c, vote); });
      leave(point, left);
    }
  }

  /// The probability that the point never leaves the tree.
  [[nodiscard]] double stay(std::size_t point) const { return leaving_.stay[point]; }

 private:
  /// A coefficient that no longer changes a probability.
  static constexpr double negligible = 1e-20;

  /// On the way up: a visited node, what its belief counts, and the next edge on which the point may have left.
  struct Climber {
    std::uint32_t at;
    double coefficient;
    std::uint32_t departure;
  };

  /// From a leaf to the root; returns what the base distribution counts.
  template <class Cast>
  double climb(const Asking<Model>& asking, Climber climber, Cast&& cast) const {
    auto& [at, coefficient, departure] = climber;
    const std::uint32_t leaf = at;
    while (at != 0) {
      const bool leaves_here = departure != none && descent_.departures()[departure].box == at;
      if (coefficient < negligible && !leaves_here) {
        at = departure == none ? 0 : descent_.departures()[departure].box;
        continue;
      }
      const auto entries = asking.tree.summaries[descent_.visited()[at].node].entries();
      double customers = 0.0;
      for (const auto& entry : entries) customers += entry.count;
      const auto tables = static_cast<double>(entries.size());
      const double kept = at == leaf ? asking.query.leaf_discount : 0.0;
      const double discount = discounts_[at] + kept * (1.0 - discounts_[at]);
      const double per_customer = coefficient / customers;
      double per_table = -per_customer * discount;
      coefficient = per_customer * discount * tables;
      if (leaves_here) {
        const double expected = expected_discount(asking.query, departure);
        const double weight = leaving_.weights[departure],
                     passed_on = weight * (expected + kept * tables / customers * (1.0 - expected));
        per_table += (weight - passed_on) / tables;
        coefficient += passed_on;
        departure = leaving_.previous[departure];
      }
      for (const auto& entry : entries) {
        cast(entry.label, (per_customer * entry.count + per_table) * (Model::mean_weight(entry) / asking.query.unit));
      }
      at = descent_.visited()[at].parent;
    }
    return coefficient;
  }

  [[nodiscard]] double expected_discount(const label::ClassQuery& query, std::uint32_t departure) const {
    const auto& [point, visited, outside] = descent_.departures()[departure];
    const auto& at = descent_.visited()[visited];
    return query.expected_discount(outside, at.time - at.above, survivals_[departure], discounts_[visited]);
  }

  Descent<Model> descent_;
  std::vector<double> discounts_;  ///< d_j, per visited node
  std::vector<double> survivals_;  ///< per departure: the probability of passing its edge all the same
  Leaving leaving_;
};

}  // namespace hedgerow::mondrian
