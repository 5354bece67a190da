// SPDX-License-Identifier: BSD-3-Clause
// Online growth: Lakshminarayanan, Roy and Teh (2016), supplement, Algorithms 3 and 4 (ExtendMondrianTree,
// ExtendMondrianBlock). One row enters one tree; the result has the law of a batch tree on all rows. Cost: one path.
//
// Differs from Algorithm 4, line 2: instead of one exponential a block, one Exp(1) budget a row, spent as
// eta_j Delta_j on the way down. By lack of memory the branching time has the same law.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/learn/grow.hpp"
#include "hedgerow/mondrian/learn/settle.hpp"
#include "hedgerow/mondrian/structure/path_distances.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Extender {
 public:
  using Setting = typename Grower<M>::Setting;

  /// `distances` are those of the row from the boxes of its path, if they are known already.
  void extend(MondrianTree<M>& tree, RowId row, const Setting& setting, random::Stream stream,
              const double* distances = nullptr) {
    const float* x = setting.rows.row(row);
    path_.clear();
    path_distances_.start();
    if (tree.shape.is_empty()) return plant(tree, row, setting);
    double budget = stream.exponential();
    double above = 0.0;
    bool is_among_few = false;  // below a node that keeps no box
    for (NodeId id = tree.root;;) {
      const bool is_leaf = tree.node(id).is_leaf();
      if (is_leaf && tree.is_paused(id, setting.rows, setting.growth, setting.model)) {
        absorb(tree, id, above, row, setting, stream);
        break;
      }
      const double outside =
          distances == nullptr ? path_distances_.next(tree, id, setting.rows, x) : distances[path_.size()];
      if (outside > 0.0) {
        const double time = tree.time(id, setting.growth);
        const double hazard = outside * (time - above);
        if (hazard > budget) {
          branch_off(tree, id, std::min(above + budget / outside, time), row, setting, stream);
          break;
        }
        budget -= hazard;
      }
      if (tree.node(id).box != none) {
        if (outside > 0.0) stretch(tree, id, x);
      } else if (!std::exchange(is_among_few, true)) {
        expect_row(tree, id, setting.rows, x);
      }
      if (is_leaf) {
        settle(tree, id, row, setting);
        break;
      }
      const Node& node = tree.node(id);
      path_.push_back(id);
      above = static_cast<double>(node.time);
      id = node.child(node.sends_right(x));
    }
    tree.hear_path(path_, setting.model);
  }

 private:
  /// A paused leaf takes the row without a draw and, if it may split now, is grown afresh on all its rows.
  void absorb(MondrianTree<M>& tree, NodeId leaf, double above, RowId row, const Setting& setting,
              random::Stream& stream) {
    if (!wakes(tree, leaf, row, setting)) return;
    if (tree.node(leaf).n_rows == 2) return split_pair(tree, leaf, above, setting, stream);
    members_.clear();
    tree.shape.for_each_row(leaf, [this](RowId member) { members_.push_back(member); });
    const Box box = tree.box(leaf, setting.rows, rooms_.left);
    grower_.grow(tree, leaf, box, above, members_, nullptr, setting, stream);
  }

  /// Two rows, of which neither can be split further: the most common block by far if min_samples_split is 2.
  /// What the grower would do, draw by draw, with such a leaf: at most one cut, and any cut of its box parts the rows.
  void split_pair(MondrianTree<M>& tree, NodeId leaf, double above, const Setting& setting, random::Stream& stream) {
    const std::size_t width = setting.rows.width();
    const auto [lower, upper] = tree.box(leaf, setting.rows, rooms_.left);
    const double rate = total_side(lower, upper, width);
    const double time = above + stream.exponential() / rate;
    if (!(time < setting.growth.lifetime)) return;
    const std::size_t d = side_at(lower, upper, width, stream.uniform() * rate);
    const float location = stream.location(lower[d], upper[d]);
    part_pair(tree, leaf, static_cast<std::uint32_t>(d), location, time, setting);
  }

  /// Algorithm 4, lines 4 to 9: a new parent above `id`, split between its box and the row, and a leaf for the row.
  void branch_off(MondrianTree<M>& tree, NodeId id, double time, RowId row, const Setting& setting,
                  random::Stream& stream) {
    const float* x = setting.rows.row(row);
    const auto [lower, upper] = tree.box(id, setting.rows, rooms_.left);
    const auto gap = [x, lower = lower, upper = upper](std::size_t d) {
      return static_cast<double>(std::max(lower[d] - x[d], 0.0F)) +
             static_cast<double>(std::max(x[d] - upper[d], 0.0F));
    };
    double total = 0.0;
    for (std::size_t d = 0; d < setting.rows.width(); ++d) total += gap(d);
    double distance = stream.uniform() * total;
    std::size_t feature = 0;
    for (std::size_t d = 0; d < setting.rows.width(); ++d) {
      const double side = gap(d);
      if (side <= 0.0) continue;
      feature = d;
      if (distance < side) break;
      distance -= side;
    }
    const bool to_right = x[feature] > upper[feature];
    const float location =
        to_right ? stream.location(upper[feature], x[feature]) : stream.location(x[feature], lower[feature]);
    hang_leaf(tree, id, static_cast<std::uint32_t>(feature), location, time, to_right, row, setting, rooms_);
    path_.push_back(id);
  }

  std::vector<NodeId> path_;
  std::vector<RowId> members_;
  Grower<M> grower_;
  BoxRooms rooms_;
  PathDistances path_distances_;
};

}  // namespace hedgerow::mondrian
