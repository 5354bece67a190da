// SPDX-License-Identifier: BSD-3-Clause
// How query points go down a tree, whatever its label model: which nodes they visit, on which edges each may leave the
// tree and with what probability (Lakshminarayanan, Roy and Teh 2016, supplement, Algorithm 5, lines 4 to 8), and in
// which leaf each arrives. Nothing here changes a tree.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/structure/mondrian_tree.hpp"
#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

/// Everything that stays the same while a tree is asked.
template <label::LabelModel M>
struct Asking {
  const MondrianTree<M>& tree;
  const Rows& rows;
  const Growth& growth;
  const M& model;
  const typename M::Query& query;
};

/// Many points go down together, depth first, in groups that share a node; it is only noted where each may leave.
/// What is said there is for the label model to work out, in loops without surprises.
template <label::LabelModel M>
class Descent {
 public:
  struct Visited {
    double above, time;
    NodeId node;
    std::uint32_t parent;  ///< its number among the visited
  };
  struct Arrival {
    std::uint32_t point, visited;
  };

  /// All n points (row-major, in forest units). Visited number 0 is above the root, the others parents before children;
  /// departures of each point are in the order of its path.
  void go_down(const Asking<M>& asking, const float* points, std::size_t n) {
    visited_.clear();
    n_departures_ = 0;
    arrivals_.clear();
    width_ = asking.tree.boxes.width();
    for (auto& order : orders_) order.resize(n);
    std::iota(orders_[0].begin(), orders_[0].end(), 0U);
    visited_.push_back({0.0, 0.0, none, 0});
    pending_.assign(1, {asking.tree.root, 0, 0, static_cast<std::uint32_t>(n), 0});
    while (!pending_.empty()) {
      const Group group = pending_.back();
      pending_.pop_back();
      pass(asking, group, points);
    }
  }

  [[nodiscard]] const std::vector<Visited>& visited() const { return visited_; }
  [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// Their boxes are those of visited nodes, by number.
  [[nodiscard]] std::span<const Departure> departures() const { return {departures_.data(), n_departures_}; }

 private:
  /// Points orders_[side][begin .. end) are about to visit a node.
  struct Group {
    NodeId node;
    std::uint32_t parent;
    std::uint32_t begin, end;
    std::uint32_t side;
  };

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
    visited_.push_back({visited_[parent].time, asking.tree.time(id, asking.growth), id, parent});
    return static_cast<std::uint32_t>(visited_.size() - 1);
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
  std::array<std::vector<std::uint32_t>, 2> orders_;  ///< points in groups; the parts of a group lie in the other one
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
      for (std::size_t k = 0; k < 2 * tree.boxes.width(); k += 16) numeric::prefetch(corner + k);
      if (node.is_leaf()) continue;
      const NodeId child = node.child(node.sends_right(x));
      numeric::prefetch(&tree.node(node.left()));
      numeric::prefetch(&tree.summaries[node.left()]);
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
