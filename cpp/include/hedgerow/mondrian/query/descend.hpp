// SPDX-License-Identifier: BSD-3-Clause
// How query points go down a tree, whatever its label model: which nodes they visit, on which edges each may leave the
// tree and with what probability (Lakshminarayanan, Roy and Teh 2016, supplement, Algorithm 5, lines 4 to 8), and in
// which leaf each arrives. Nothing here changes a tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/query/small_subtree.hpp"
#include "hedgerow/mondrian/structure/mondrian_tree.hpp"
#include "hedgerow/mondrian/structure/path_distances.hpp"
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

  /// All n points (row-major, in forest units). Visited number 0 is above the root, the others parents before children;
  /// departures of each point are in the order of its path.
  void go_down(const Asking<M>& asking, const float* points, std::size_t n) {
    go_down(asking, points, n, std::numeric_limits<std::size_t>::max(), [] {});
  }

  /// The same; whenever there are many departures, settle() is called, and departures and arrivals begin anew. Those of
  /// departures are at nodes visited since.
  template <class Settle>
  void go_down(const Asking<M>& asking, const float* points, std::size_t n, std::size_t many, Settle&& settle) {
    const auto settle_many = [&] {
      if (n_departures_ < many) return;
      settle();
      n_departures_ = 0;
      arrivals_.clear();
    };
    visited_.clear();
    n_departures_ = 0;
    arrivals_.clear();
    small_.clear();
    lone_.clear();
    width_ = asking.tree.boxes.width();
    for (auto& order : orders_) order.resize(n);
    std::iota(orders_[0].begin(), orders_[0].end(), 0U);
    visited_.push_back({0.0, 0.0, none, 0});
    pending_.assign(1, {asking.tree.root, 0, 0, static_cast<std::uint32_t>(n), 0});
    while (!pending_.empty()) {
      const Group group = pending_.back();
      pending_.pop_back();
      pass(asking, group, points, settle_many);
    }
    pass_small(asking, points, settle_many);
    pass_alone(asking, points, settle_many);
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

  /// A point without a group.
  struct Walker {
    NodeId id;
    std::uint32_t parent, point;
    bool is_near;  ///< memory is on its way
    PathDistances distances;
  };
  static constexpr std::size_t at_once = 12;
  static constexpr std::size_t ahead = 4;
  static constexpr std::uint32_t few_points = 4;     // for fewer it does not pay to make a box
  static constexpr std::size_t nodes_in_a_line = 3;  // of a cache

  /// A group goes down to a leaf; where it parts, those who go right wait.
  template <class Settle>
  void pass(const Asking<M>& asking, Group group, const float* points, Settle&& settle) {
    for (;;) {
      settle();
      const auto [id, parent, begin, end, side] = group;
      const std::uint32_t* order = orders_[side].data();
      const Node& node = asking.tree.node(id);
      if (end - begin == 1 || (end - begin < few_points && node.box == none)) {
        for (std::uint32_t i = begin; i < end; ++i) lone_.push_back({id, parent, order[i], false, {}});
        return;
      }
      if (node.box == none && !node.is_leaf()) return small_.push_back(group);
      const std::uint32_t own = visit(asking, id, parent);
      const Box box = asking.tree.box(id, asking.rows, room_);
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

  /// Groups at nodes of few rows go on together, too; what is needed of a subtree is fetched in two steps, while others
  /// are looked at.
  template <class Settle>
  void pass_small(const Asking<M>& asking, const float* points, Settle&& settle) {
    for (std::size_t i = 0; i < small_.size() + 2 * ahead; ++i) {
      settle();
      SmallSubtree& subtree = subtrees_[i % ahead];
      if (i >= 2 * ahead) pass_subtree_of(asking, small_[i - 2 * ahead], subtree, points);
      if (i >= ahead && i - ahead < small_.size()) subtree.look_up(asking.tree, small_[i - ahead].node, asking.rows);
      if (i < small_.size()) fetch_below(asking.tree, asking.tree.node(small_[i].node));
    }
  }

  void pass_subtree_of(const Asking<M>& asking, const Group& group, SmallSubtree& subtree, const float* points) {
    subtree.make_boxes(asking.tree, asking.rows);
    subtree[0].box = visit(asking, group.node, group.parent);
    for (std::size_t k = 1; k < subtree.size(); ++k) {
      subtree[k].box = visit(asking, subtree.id(k), subtree[subtree.parent(k)].box);
    }
    const std::size_t n = group.end - group.begin, n_arrived = arrivals_.size();
    make_room_for_departures(n * FewRows::most);
    arrivals_.resize(n_arrived + n);
    n_departures_ += pass_subtree(subtree.nodes(), points, width_, orders_[group.side].data() + group.begin, n,
                                  departures_.data() + n_departures_, arrivals_.data() + n_arrived);
  }

  /// Points that are alone go on a few at a time, a step each in turn: the memory that one waits for comes while the
  /// others are looked at.
  template <class Settle>
  void pass_alone(const Asking<M>& asking, const float* points, Settle&& settle) {
    std::array<Walker, at_once> walking;
    std::size_t n_walking = 0, next = 0;
    for (;;) {
      settle();
      for (; n_walking < at_once && next < lone_.size(); ++n_walking) {
        walking[n_walking] = lone_[next++];
      }
      if (n_walking == 0) return;
      for (std::size_t k = 0; k < n_walking;) {
        if (step(asking, walking[k], points)) {
          ++k;
        } else {
          walking[k] = walking[--n_walking];
        }
      }
    }
  }

  /// False at the end of the way.
  bool step(const Asking<M>& asking, Walker& walker, const float* points) {
    const float* x = points + walker.point * width_;
    const Node& node = asking.tree.node(walker.id);
    if (!walker.is_near) {
      walker.distances.approach(asking.tree, walker.id, asking.rows, x);
      return walker.is_near = true;
    }
    walker.parent = visit(asking, walker.id, walker.parent);
    make_room_for_departures(1);
    const double outside = walker.distances.here(asking.tree, walker.id, asking.rows, x);
    departures_[n_departures_] = {walker.point, walker.parent, outside};
    n_departures_ += static_cast<std::size_t>(outside > 0.0);
    if (node.is_leaf()) {
      arrivals_.push_back({walker.point, walker.parent});
      return false;
    }
    walker.id = node.child(node.sends_right(x));
    walker.is_near = false;
    fetch_below(asking.tree, asking.tree.node(walker.id));
    return true;
  }

  /// The children of a node and, if its rows are few, what follows them: most often the rest of its subtree.
  static void fetch_below(const MondrianTree<M>& tree, const Node& node) {
    if (node.is_leaf()) return;
    const std::size_t n = node.box == none ? FewRows::most + 2 : 1, first = node.left();
    const std::size_t last = std::min(first + n, tree.shape.nodes.size());
    for (std::size_t id = first; id < last; id += nodes_in_a_line) numeric::prefetch(&tree.shape.nodes[id]);
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
  BoxRoom room_;
  std::vector<Visited> visited_;
  std::vector<Group> pending_;
  std::vector<Group> small_;  ///< at nodes of few rows
  std::array<SmallSubtree, ahead> subtrees_;
  std::vector<Walker> lone_;
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
  const std::size_t width = rows.width();
  const auto fetch = [](const float* first, std::size_t n) {
    for (std::size_t k = 0; k < n; k += 16) numeric::prefetch(first + k);
  };
  while (!walkers.empty()) {
    std::size_t n_left = 0;
    for (const Walker& walker : walkers) {
      const MondrianTree<M>& tree = *walker.tree;
      const Node& node = tree.node(walker.id);
      if (node.box == none) {
        const std::optional<FewRows> few = tree.few_rows_below(walker.id);
        for (std::size_t i = 0; few && i < few->n; ++i) fetch(rows.row(few->rows[i]), width);
      } else {
        fetch(tree.boxes[node.box].lower, 2 * width);
      }
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
