// SPDX-License-Identifier: BSD-3-Clause
// Prediction of real labels: document 002, Algorithm 5. A query point may leave the tree on any edge of its path, with
// the probability that a Mondrian process would have cut it off there; so a tree's prediction is a mixture with one
// component for each edge on which it can leave, and one for the leaf (document 000, equation 3).
// `walk` follows one point, `Descender` takes many down together; both make the same numbers in the same order for
// each point. Nothing here changes a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hedgerow/mondrian/departures.hpp"
#include "hedgerow/mondrian/descend.hpp"
#include "hedgerow/numeric/exponential.hpp"

namespace hedgerow::mondrian {

/// hear(weight, Gaussian) for each component of the tree's mixture at x.
template <label::GaussianModel M, class Hear>
void walk(const Asking<M>& asking, const float* x, Hear&& hear) {
  double stay = 1.0;  // probability of not having left the tree yet
  double above = 0.0;
  auto parent = asking.model.prior(asking.query);
  for (NodeId id = asking.tree.root;;) {
    const Node& node = asking.tree.node(id);
    const double time = asking.tree.time(id, asking.growth);
    const auto own = asking.model.infer(parent, asking.tree.summaries[id], asking.tree.clock(id, asking.model));
    const double outside = asking.tree.outside(id, asking.rows, x);
    if (outside > 0.0) {
      label::Branch branch{above, time - above, outside, numeric::exp_nonpositive(-(outside * (time - above))), 0.0};
      if constexpr (M::reads_branch_clock) branch.clock = asking.model.clock(above + branch.expected_wait());
      if constexpr (label::IntegratesBranches<M>) {
        branch.share = label::share_of_edge(outside, branch.elapsed, branch.survival, asking.model.drift_rate);
      }
      hear(stay * (1.0 - branch.survival), asking.model.speak_outside(parent, own, branch, asking.query));
      stay *= branch.survival;
    }
    if (node.is_leaf()) return hear(stay, asking.model.speak(own, asking.query));
    id = node.child(node.sends_right(x));
    above = time;
    parent = own;
  }
}

/// The first two moments of a mixture about a centre, as they are added up.
struct Moments {
  double mean = 0.0;
  double square = 0.0;  ///< of the components' means
  double within = 0.0;  ///< the components' own variance
  void hear(double weight, const label::Gaussian& part, double centre) {
    const double shifted = part.mean - centre;
    mean += weight * shifted;
    square += weight * (shifted * shifted);
    within += weight * part.variance;
  }
};

/// Adds the tree's mixture at each of n points (row-major, in forest units) to that point's moments.
template <label::GaussianModel M>
class Descender {
 public:
  void descend(const Asking<M>& asking, const float* points, std::size_t n, Moments* moments) {
    descent_.go_down(asking, points, n);
    form_beliefs(asking);
    stay_.assign(n, 1.0);
    const std::span<const Departure> all = descent_.departures();
    for (std::size_t begin = 0; begin < all.size(); begin += Branches::most) {
      work_off(asking, all.subspan(begin, std::min(all.size() - begin, Branches::most)), moments);
    }
    const double centre = asking.query.centre;
    for (const auto& [point, visited] : descent_.arrivals()) {
      moments[point].hear(stay_[point], asking.model.speak(beliefs_[visited], asking.query), centre);
    }
  }

 private:
  /// What is believed at each visited node, parents before children.
  void form_beliefs(const Asking<M>& asking) {
    const auto& visited = descent_.visited();
    const std::size_t n = visited.size();
    if (clocks_.size() < n) clocks_.resize(2 * n);
    if (beliefs_.size() < n) beliefs_.resize(2 * n);
    for (std::size_t k = 0; k < n; ++k) clocks_[k] = visited[k].time;
    asking.model.read_clocks(clocks_.data(), n);
    beliefs_[0] = asking.model.prior(asking.query);
    for (std::size_t k = 1; k < n; ++k) {
      beliefs_[k] = asking.model.infer(beliefs_[visited[k].parent], asking.tree.summaries[visited[k].node], clocks_[k]);
    }
  }

  /// Array by array, because exponentials and divisions are cheaper by the dozen.
  void work_off(const Asking<M>& asking, std::span<const Departure> departures, Moments* moments) {
    const std::size_t n = departures.size();
    for (std::size_t k = 0; k < n; ++k) {
      const auto& at = descent_.visited()[departures[k].box];
      branches_.outside[k] = departures[k].outside;
      branches_.above[k] = at.above;
      branches_.elapsed[k] = at.time - at.above;
    }
    if constexpr (M::reads_branch_clock) {
      expect_branches(branches_, n);
      asking.model.read_clocks(branches_.clock, n);
    } else if constexpr (label::IntegratesBranches<M>) {
      integrate_branches(branches_, n, asking.model.drift_rate);
    } else {
      survive_branches(branches_, n);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const auto [point, visited, outside] = departures[k];
      const auto said = asking.model.speak_outside(beliefs_[descent_.visited()[visited].parent], beliefs_[visited],
                                                   branches_[k], asking.query);
      moments[point].hear(stay_[point] * (1.0 - branches_.survival[k]), said, asking.query.centre);
      stay_[point] *= branches_.survival[k];
    }
  }

  Descent<M> descent_;
  std::vector<typename M::Belief> beliefs_;  ///< per visited node
  std::vector<double> clocks_;               ///< per visited node
  std::vector<double> stay_;                 ///< per point: probability of not having left the tree yet
  Branches branches_{};
};

}  // namespace hedgerow::mondrian
