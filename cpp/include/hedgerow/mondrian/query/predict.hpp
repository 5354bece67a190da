// SPDX-License-Identifier: BSD-3-Clause
// Prediction of real labels at many points of one tree: Lakshminarayanan, Roy and Teh (2016), supplement, Algorithm 5,
// as in `walk.hpp`. The points go down together, and each hears the same numbers in the same order as if it walked
// alone. Nothing here changes a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/query/descend.hpp"

namespace hedgerow::mondrian {

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
  Moments& operator+=(const Moments& other) {
    mean += other.mean;
    square += other.square;
    within += other.within;
    return *this;
  }
};

/// Tells the components of the tree's mixture at each of n points (row-major, in forest units).
template <label::GaussianModel M>
class Descender {
 public:
  /// hear(point, weight, Gaussian) for each component; those of a point come in the order of its path.
  template <class Hear>
  void descend(const Asking<M>& asking, const float* points, std::size_t n, Hear&& hear) {
    stay_.assign(n, 1.0);
    n_believed_ = 0;
    descent_.go_down(asking, points, n, many, [&] { settle(asking, hear); });
    settle(asking, hear);
  }

 private:
  static constexpr std::size_t many = 2048;  // what is noted of so many stays in near caches

  /// Work off what has been noted since the last time.
  template <class Hear>
  void settle(const Asking<M>& asking, Hear&& hear) {
    form_beliefs(asking);
    const std::span<const Departure> all = descent_.departures();
    for (std::size_t begin = 0; begin < all.size(); begin += Branches::most) {
      work_off(asking, all.subspan(begin, std::min(all.size() - begin, Branches::most)), hear);
    }
    for (const auto& [point, visited] : descent_.arrivals()) {
      hear(point, stay_[point], asking.model.speak(beliefs_[visited], asking.query));
    }
  }

  /// What is believed at each node visited since the last time, parents before children.
  void form_beliefs(const Asking<M>& asking) {
    const auto& visited = descent_.visited();
    const std::size_t n = visited.size();
    if (beliefs_.size() < n) beliefs_.resize(2 * n);
    first_ = n_believed_;
    clocks_.resize(n - first_);
    for (std::size_t k = first_; k < n; ++k) clocks_[k - first_] = visited[k].time;
    asking.model.read_clocks(clocks_.data(), n - first_);
    if (first_ == 0) beliefs_[0] = asking.model.prior(asking.query);
    for (std::size_t k = std::max<std::size_t>(first_, 1); k < n; ++k) {
      beliefs_[k] =
          asking.model.infer(beliefs_[visited[k].parent], asking.tree.summaries[visited[k].node], clocks_[k - first_]);
    }
    n_believed_ = n;
    if constexpr (label::IntegratesBranches<M>) measure_edges_above(asking.model.drift_rate);
  }

  /// Of each node visited since the last time.
  void measure_edges_above(double rate) {
    const auto& visited = descent_.visited();
    edges_.resize(visited.size() - first_);
    for (std::size_t begin = 0; begin < edges_.size(); begin += Branches::most) {
      const std::size_t n = std::min(edges_.size() - begin, Branches::most);
      for (std::size_t k = 0; k < n; ++k) {
        const auto& at = visited[first_ + begin + k];
        branches_.elapsed[k] = at.time - at.above;
      }
      measure_edges(branches_, n, rate);
      for (std::size_t k = 0; k < n; ++k) edges_[begin + k] = branches_.edge(k);
    }
  }

  template <class Hear>
  void work_off(const Asking<M>& asking, std::span<const Departure> departures, Hear&& hear) {
    const std::size_t n = departures.size();
    if constexpr (label::IntegratesBranches<M>) {
      for (std::size_t k = 0; k < n; ++k) {
        branches_.outside[k] = departures[k].outside;
        branches_.set_edge(k, edges_[departures[k].box - first_]);
      }
      integrate_on_edges(branches_, n);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const auto& at = descent_.visited()[departures[k].box];
        branches_.outside[k] = departures[k].outside;
        branches_.above[k] = at.above;
        branches_.elapsed[k] = at.time - at.above;
      }
      work_out(asking.model, branches_, n);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t point = departures[k].point, visited = departures[k].box;
      speak_on_edge(asking.model, beliefs_[descent_.visited()[visited].parent], beliefs_[visited], branches_[k],
                    asking.query, stay_[point] * (1.0 - branches_.survival[k]),
                    [&](double weight, const label::Gaussian& part) { hear(point, weight, part); });
      stay_[point] *= branches_.survival[k];
    }
  }

  Descent<M> descent_;
  std::vector<typename M::Belief> beliefs_;  ///< per visited node
  std::size_t n_believed_ = 0;               ///< how many of these have been formed
  std::size_t first_ = 0;                    ///< of the nodes visited since the last time, as for what follows
  std::vector<double> clocks_;
  std::vector<label::EdgeByClock> edges_;
  std::vector<double> stay_;  ///< per point: probability of not having left the tree yet
  Branches branches_{};
};

}  // namespace hedgerow::mondrian
