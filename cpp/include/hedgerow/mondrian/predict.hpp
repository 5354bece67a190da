// SPDX-License-Identifier: BSD-3-Clause
// Prediction: document 002, Algorithm 5. A query point may leave the tree on any edge of its path, with the
// probability that a Mondrian process would have cut it off there; so a tree's prediction is a mixture with one
// component for each edge on which it can leave, and one for the leaf (document 000, equation 3).
// `walk` follows one point, `Descender` takes many down together; both make the same numbers in the same order for
// each point. Nothing here changes a tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "hedgerow/mondrian/departures.hpp"
#include "hedgerow/mondrian/mondrian_tree.hpp"
#include "hedgerow/numeric/exponential.hpp"

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
/// the notes are worked off in loops without surprises.
template <label::LabelModel M>
class Descender {
 public:
  void descend(const Asking<M>& asking, const float* points, std::size_t n, Moments* moments) {
    visited_.clear();
    arrivals_.clear();
    n_departures_ = 0;
    width_ = asking.tree.boxes.width();
    stay_.assign(n, 1.0);
    for (auto& order : orders_) order.resize(n);
    std::iota(orders_[0].begin(), orders_[0].end(), 0U);
    visited_.push_back({0.0, none, 0});  // above the root
    pending_.assign(1, {asking.tree.root, 0, 0, static_cast<std::uint32_t>(n), 0});
    while (!pending_.empty()) {
      const Group group = pending_.back();
      pending_.pop_back();
      pass(asking, group, points);
    }
    form_beliefs(asking);
    for (std::size_t begin = 0; begin < n_departures_; begin += Branches::most) {
      work_off_departures(asking, begin, std::min(n_departures_, begin + Branches::most), moments);
    }
    const double centre = asking.query.centre;
    for (const auto& [point, visited] : arrivals_) {
      moments[point].hear(stay_[point], asking.model.speak(beliefs_[visited], asking.query), centre);
    }
  }

 private:
  struct Visited {
    double time;
    NodeId node;
    std::uint32_t parent;  ///< its number among the visited
  };
  /// Points orders_[side][begin .. end) are about to visit a node.
  struct Group {
    NodeId node;
    std::uint32_t parent;
    std::uint32_t begin, end;
    std::uint32_t side;
  };
  struct Arrival {
    std::uint32_t point, visited;
  };

  /// Array by array, because exponentials and divisions are cheaper by the dozen.
  void work_off_departures(const Asking<M>& asking, std::size_t begin, std::size_t end, Moments* moments) {
    const std::size_t n = end - begin;
    const Departure* departures = departures_.data() + begin;
    for (std::size_t k = 0; k < n; ++k) {
      const Visited& at = visited_[departures[k].box];
      branches_.outside[k] = departures[k].outside;
      branches_.above[k] = visited_[at.parent].time;
      branches_.elapsed[k] = at.time - branches_.above[k];
    }
    expect_branches(branches_, n);
    asking.model.read_clocks(branches_.clock, n);
    for (std::size_t k = 0; k < n; ++k) {
      const auto [point, visited, outside] = departures[k];
      double& stay = stay_[point];
      moments[point].hear(
          stay * (1.0 - branches_.survival[k]),
          asking.model.speak_outside(beliefs_[visited_[visited].parent], beliefs_[visited], branches_[k], asking.query),
          asking.query.centre);
      stay *= branches_.survival[k];
    }
  }

  /// A group goes down to a leaf; where it parts, those who go right wait.
  void pass(const Asking<M>& asking, Group group, const float* points) {
    for (;;) {
      const auto [id, parent, begin, end, side] = group;
      const std::uint32_t* order = orders_[side].data();
      if (end - begin == 1) return pass_alone(asking, id, parent, order[begin], points);
      const Node& node = asking.tree.node(id);
      const std::uint32_t own = visit(asking, id, parent);
      const Box box = asking.tree.box(id, asking.rows);
      make_room_for_departures(end - begin);
      const bool is_leaf = node.is_leaf();  // from which nobody goes right
      const Passage passage{box.lower,
                            box.upper,
                            points,
                            width_,
                            own,
                            is_leaf ? 0 : node.feature,
                            is_leaf ? std::numeric_limits<float>::infinity() : node.location};
      const Passed passed = pass_box(passage, order + begin, end - begin, orders_[1 - side].data() + begin,
                                     departures_.data() + n_departures_);
      n_departures_ += passed.n_departures;
      if (is_leaf) {
        for (std::size_t i = begin; i < end; ++i) arrivals_.push_back({order[i], own});
        return;
      }
      const std::uint32_t middle = begin + static_cast<std::uint32_t>(passed.n_left);
      if (middle == begin) {
        group = {node.right(), own, begin, end, 1 - side};
      } else {
        if (middle < end) pending_.push_back({node.right(), own, middle, end, 1 - side});
        group = {node.left(), own, begin, middle, 1 - side};
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
      departures_[n_departures_] = {point, parent, asking.tree.outside(id, asking.rows, x)};
      n_departures_ += static_cast<std::size_t>(departures_[n_departures_].outside > 0.0);
      if (node.is_leaf()) return arrivals_.push_back({point, parent});
      id = node.child(node.sends_right(x));
    }
  }

  /// Note a visit; returns its number among the visited.
  std::uint32_t visit(const Asking<M>& asking, NodeId id, std::uint32_t parent) {
    visited_.push_back({asking.tree.time(id, asking.growth), id, parent});
    return static_cast<std::uint32_t>(visited_.size() - 1);
  }

  /// What is believed at each visited node, parents before children.
  void form_beliefs(const Asking<M>& asking) {
    const std::size_t n = visited_.size();
    if (clocks_.size() < n) clocks_.resize(2 * n);
    if (beliefs_.size() < n) beliefs_.resize(2 * n);
    for (std::size_t k = 0; k < n; ++k) clocks_[k] = visited_[k].time;
    asking.model.read_clocks(clocks_.data(), n);
    beliefs_[0] = asking.model.prior(asking.query);
    for (std::size_t k = 1; k < n; ++k) {
      const Visited& at = visited_[k];
      beliefs_[k] = asking.model.infer(beliefs_[at.parent], asking.tree.summaries[at.node], clocks_[k]);
    }
  }

  void make_room_for_departures(std::size_t n) {
    if (departures_.size() < n_departures_ + n) departures_.resize(2 * (n_departures_ + n));
  }

  std::size_t width_ = 0;
  std::size_t n_departures_ = 0;
  std::vector<Visited> visited_;
  std::vector<Group> pending_;
  std::vector<Departure> departures_;
  std::vector<Arrival> arrivals_;
  std::vector<double> clocks_;                        ///< per visited node
  std::vector<typename M::Belief> beliefs_;           ///< per visited node
  std::vector<double> stay_;                          ///< per point: probability of not having left the tree yet
  std::array<std::vector<std::uint32_t>, 2> orders_;  ///< points in groups; the parts of a group lie in the other one
  Branches branches_;
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
