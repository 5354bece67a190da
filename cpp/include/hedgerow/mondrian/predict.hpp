// SPDX-License-Identifier: BSD-3-Clause
// Prediction: document 002, Algorithm 5. A query point may leave the tree on any edge of its path, with the
// probability that a Mondrian process would have cut it off there; so a tree's prediction is a mixture with one
// component for each edge on which it can leave, and one for the leaf (document 000, equation 3).
// `walk` follows one point, `Descender` takes many down together; both make the same numbers in the same order for
// each point. Nothing here changes a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "hedgerow/mondrian/mondrian_tree.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/numeric/exponential_kernels.hpp"

namespace hedgerow::mondrian {

/// Everything that stays the same while a tree is asked.
template <label::LabelModel M>
struct Asking {
  const MondrianTree<M>& tree;
  const Rows& rows;
  const Growth& growth;
  const M& model;
  label::Query query;
};

/// hear(weight, Gaussian) for each component of the tree's mixture at x.
template <label::LabelModel M, class Hear>
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
      branch.clock = asking.model.clock(above + branch.expected_wait());
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
  double square = 0.0;
  void hear(double weight, const label::Gaussian& part, double centre) {
    const double shifted = part.mean - centre;
    mean += weight * shifted;
    square += weight * (part.variance + shifted * shifted);
  }
};

/// Adds the tree's mixture at each of n points (row-major, in forest units) to that point's moments. First the points
/// go down, depth first, in groups that share a node, and it is only noted where each may leave the tree; then all
/// the notes are worked off in one loop without surprises.
template <label::LabelModel M>
class Descender {
 public:
  void descend(const Asking<M>& asking, const float* points, std::size_t n, Moments* moments) {
    visited_.clear();
    n_departures_ = 0;
    arrivals_.clear();
    width_ = asking.tree.boxes.width();
    stay_.assign(n, 1.0);
    order_.resize(n);
    outside_.resize(n);
    std::iota(order_.begin(), order_.end(), 0U);
    visited_.push_back({0.0, 0.0, none, 0, {}});  // above the root
    pending_.assign(1, {asking.tree.root, 0, 0, n});
    while (!pending_.empty()) {
      const Group group = pending_.back();
      pending_.pop_back();
      pass(asking, group, points);
    }
    form_beliefs(asking);
    work_off_departures(asking, moments);
    const double centre = asking.query.centre;
    for (const auto& [point, visited] : arrivals_) {
      moments[point].hear(stay_[point], asking.model.speak(visited_[visited].belief, asking.query), centre);
    }
  }

 private:
  struct Visited {
    double above, time;
    NodeId node;
    std::uint32_t parent;  ///< its number among the visited
    typename M::Belief belief;
  };
  /// Points order_[begin .. end) are about to visit a node.
  struct Group {
    NodeId node;
    std::uint32_t parent;
    std::size_t begin, end;
  };
  struct Departure {
    std::uint32_t point, visited;
    double outside;
  };
  struct Arrival {
    std::uint32_t point, visited;
  };

  /// Array by array, because exponentials are cheaper by the dozen.
  void work_off_departures(const Asking<M>& asking, Moments* moments) {
    survivals_.resize(n_departures_);
    clocks_.resize(n_departures_);
    for (std::size_t k = 0; k < n_departures_; ++k) {
      const Visited& at = visited_[departures_[k].visited];
      survivals_[k] = -(departures_[k].outside * (at.time - at.above));
    }
    numeric::exp_nonpositive_all(survivals_.data(), n_departures_);
    for (std::size_t k = 0; k < n_departures_; ++k)
      clocks_[k] = visited_[departures_[k].visited].above + branch(k).expected_wait();
    asking.model.read_clocks(clocks_.data(), n_departures_);
    for (std::size_t k = 0; k < n_departures_; ++k) {
      const Departure& departure = departures_[k];
      const Visited& at = visited_[departure.visited];
      double& stay = stay_[departure.point];
      moments[departure.point].hear(
          stay * (1.0 - survivals_[k]),
          asking.model.speak_outside(visited_[at.parent].belief, at.belief, branch(k), asking.query),
          asking.query.centre);
      stay *= survivals_[k];
    }
  }
  [[nodiscard]] label::Branch branch(std::size_t k) const {
    const Visited& at = visited_[departures_[k].visited];
    return {at.above, at.time - at.above, departures_[k].outside, survivals_[k], clocks_[k]};
  }

  /// A group goes down to a leaf; where it parts, those who go right wait.
  void pass(const Asking<M>& asking, Group group, const float* points) {
    for (;;) {
      const auto [id, parent, begin, end] = group;
      if (end - begin == 1) return pass_alone(asking, id, parent, order_[begin], points);
      const Node& node = asking.tree.node(id);
      const std::uint32_t own = visit(asking, id, parent);
      make_room_for_departures(end - begin);
      const Box box = asking.tree.box(id, asking.rows);
      outside_distances(box.lower, box.upper, points, order_.data() + begin, end - begin, width_, outside_.data());
      for (std::size_t i = begin; i < end; ++i) note_departure(order_[i], own, outside_[i - begin]);
      if (node.is_leaf()) {
        for (std::size_t i = begin; i < end; ++i) arrivals_.push_back({order_[i], own});
        return;
      }
      const std::size_t middle = part(node, begin, end, points);
      if (middle == begin) {
        group = {node.right(), own, begin, end};
      } else {
        if (middle < end) pending_.push_back({node.right(), own, middle, end});
        group = {node.left(), own, begin, middle};
      }
    }
  }

  /// The same for a group of one.
  void pass_alone(const Asking<M>& asking, NodeId id, std::uint32_t parent, std::uint32_t point, const float* points) {
    const float* x = points + point * width_;
    for (;;) {
      const Node& node = asking.tree.node(id);
      parent = visit(asking, id, parent);
      make_room_for_departures(1);
      note_departure(point, parent, asking.tree.outside(id, asking.rows, x));
      if (node.is_leaf()) return arrivals_.push_back({point, parent});
      id = node.child(node.sends_right(x));
    }
  }

  /// Note a visit; returns its number among the visited.
  std::uint32_t visit(const Asking<M>& asking, NodeId id, std::uint32_t parent) {
    visited_.push_back({visited_[parent].time, asking.tree.time(id, asking.growth), id, parent, {}});
    return static_cast<std::uint32_t>(visited_.size() - 1);
  }

  /// What is believed at each visited node, parents before children.
  void form_beliefs(const Asking<M>& asking) {
    clocks_.resize(visited_.size());
    for (std::size_t k = 0; k < visited_.size(); ++k) clocks_[k] = visited_[k].time;
    asking.model.read_clocks(clocks_.data(), clocks_.size());
    visited_[0].belief = asking.model.prior(asking.query);
    for (std::size_t k = 1; k < visited_.size(); ++k) {
      Visited& at = visited_[k];
      at.belief = asking.model.infer(visited_[at.parent].belief, asking.tree.summaries[at.node], clocks_[k]);
    }
  }

  void make_room_for_departures(std::size_t n) {
    if (departures_.size() < n_departures_ + n) departures_.resize(2 * (n_departures_ + n));
  }
  void note_departure(std::uint32_t point, std::uint32_t visited, double outside) {
    departures_[n_departures_] = {point, visited, outside};
    n_departures_ += static_cast<std::size_t>(outside > 0.0);
  }

  /// Those who go left to the front, without branches; returns where those who go right begin.
  std::size_t part(const Node& node, std::size_t begin, std::size_t end, const float* points) {
    const float* column = points + node.feature;
    std::size_t middle = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t point = order_[i];
      order_[i] = order_[middle];
      order_[middle] = point;
      middle += static_cast<std::size_t>(column[point * width_] <= node.location);
    }
    return middle;
  }

  std::size_t width_ = 0;
  std::size_t n_departures_ = 0;
  std::vector<Visited> visited_;
  std::vector<Group> pending_;
  std::vector<Departure> departures_;
  std::vector<Arrival> arrivals_;
  std::vector<double> outside_;
  std::vector<double> survivals_, clocks_;  ///< per departure
  std::vector<double> stay_;                ///< per point: probability of not having left the tree yet
  std::vector<std::uint32_t> order_;
};

/// Walk down all trees at once, a level at a time, only to bring x's paths into the caches: their misses overlap,
/// where walks one after another would wait for each. Worth it for a lone point in a large forest.
template <label::LabelModel M>
void fetch_paths(const std::vector<MondrianTree<M>>& trees, const Rows& rows, const float* x) {
  struct Walker {
    const MondrianTree<M>* tree;
    NodeId id;
  };
  std::vector<Walker> walkers;
  walkers.reserve(trees.size());
  for (const auto& tree : trees) {
    if (!tree.shape.is_empty()) walkers.push_back({&tree, tree.root});
  }
  while (!walkers.empty()) {
    std::size_t n_left = 0;
    for (const Walker& walker : walkers) {
      const MondrianTree<M>& tree = *walker.tree;
      const Node& node = tree.node(walker.id);
      const float* corner = tree.box(walker.id, rows).lower;
      for (std::size_t k = 0; k < 2 * tree.boxes.width(); k += 16) __builtin_prefetch(corner + k);
      if (node.is_leaf()) continue;
      const NodeId child = node.child(node.sends_right(x));
      __builtin_prefetch(&tree.node(node.left()));
      __builtin_prefetch(&tree.summaries[node.left()]);
      walkers[n_left++] = {&tree, child};
    }
    walkers.resize(n_left);
  }
}

/// The leaf in which x falls.
template <label::LabelModel M>
NodeId leaf_of(const MondrianTree<M>& tree, const float* x) {
  NodeId id = tree.root;
  while (!tree.node(id).is_leaf()) id = tree.node(id).child(tree.node(id).sends_right(x));
  return id;
}

}  // namespace hedgerow::mondrian
