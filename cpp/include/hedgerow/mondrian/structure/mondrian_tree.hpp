// SPDX-License-Identifier: BSD-3-Clause
// A Mondrian tree: a skeleton, with a box and a label summary beside each node. This header keeps the columns
// aligned and knows how a leaf hears its rows and an inner node its children; growing, extending, forgetting and
// predicting are each in a header of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/mondrian/structure/boxes.hpp"
#include "hedgerow/mondrian/structure/keyed_cells.hpp"
#include "hedgerow/mondrian/structure/row_sets.hpp"
#include "hedgerow/mondrian/structure/rows.hpp"
#include "hedgerow/tree/tree.hpp"

namespace hedgerow::mondrian {

using tree::Node;
using tree::NodeId;
using tree::none;

/// A split time as it is kept, in single precision, never rounded past `latest`.
inline float kept_time(double time, double latest) {
  const auto kept = static_cast<float>(time);
  return static_cast<double>(kept) > latest ? std::nextafter(kept, 0.0F) : kept;
}

/// When blocks stop being split.
struct Growth {
  double min_samples_split = 2;  ///< a block of a smaller size is paused
  double lifetime = std::numeric_limits<double>::infinity();

  /// Fractional counts that add up to the threshold but for rounding have reached it.
  [[nodiscard]] bool is_light(double count) const { return count < min_samples_split * (1.0 - 1e-6); }
};

template <label::LabelModel M>
struct MondrianTree {
  using Summary = typename M::Summary;

  explicit MondrianTree(std::size_t width = 0) : boxes(width) {}

  tree::Tree shape;
  Boxes boxes;
  tree::Column<Summary> summaries;
  Crowds<M> crowds;          ///< of large leaves that have lost rows
  CellsOfNodes keyed_cells;  ///< if cuts are keyed

  static constexpr NodeId root = tree::Tree::root;
  [[nodiscard]] const Node& node(NodeId id) const { return shape.nodes[id]; }

  /// tau_j; a leaf's time is the lifetime.
  [[nodiscard]] double time(NodeId id, const Growth& growth) const {
    return node(id).is_leaf() ? growth.lifetime : static_cast<double>(node(id).time);
  }

  /// In `room` if it is not kept.
  [[nodiscard]] Box box(NodeId id, const Rows& rows, BoxRoom& room) const {
    const Node& own = node(id);
    if (own.box != none) return boxes[own.box];
    if (!is_read_from_one_row(own)) return room.around(*few_rows_below(id), rows.features.data(), boxes.width());
    const float* point = rows.row(own.first_row);
    return {point, point};
  }
  /// Of nodes that keep no box: a leaf of one row, or of many that lie on one point.
  static bool is_read_from_one_row(const Node& node) {
    return node.is_leaf() && (node.n_rows == 1 || node.n_rows > FewRows::most);
  }

  /// The rows below a node; nothing if they are many.
  [[nodiscard]] std::optional<FewRows> few_rows_below(NodeId top) const {
    FewRows few;
    std::array<NodeId, FewRows::most + 1> pending;
    std::size_t n_pending = 0;
    pending[n_pending++] = top;
    while (n_pending > 0) {
      const Node& at = node(pending[--n_pending]);
      if (at.is_leaf()) {
        if (few.n + n_pending + at.n_rows > FewRows::most) return {};
        few.rows[few.n++] = at.first_row;  // most often the only one, whose successor need not be looked up
        for (std::uint32_t k = 1; k < at.n_rows; ++k, ++few.n) few.rows[few.n] = shape.next_row[few.rows[few.n - 1]];
      } else {
        if (few.n + n_pending + 2 > FewRows::most) return {};
        pending[n_pending++] = at.right();
        pending[n_pending++] = at.left();
      }
    }
    return few;
  }

  /// A paused leaf keeps its rows, draws no split, and is grown afresh when it may split at last: its rows
  /// weigh too little (Lakshminarayanan, Roy and Teh 2016, Algorithm 2, line 2), they all lie on one point, or their
  /// labels are all equal and the model does not want such a block split (Lakshminarayanan 2016, Algorithm 5.9, line
  /// 3).
  [[nodiscard]] bool is_paused(NodeId leaf, const Rows& rows, const Growth& growth, const M& model) const {
    return is_point(leaf, rows) || growth.is_light(static_cast<double>(node(leaf).count)) ||
           (model.pauses_pure() && model.is_pure(summaries[leaf]));
  }

  /// Do all rows of a leaf lie on one point?
  [[nodiscard]] bool is_point(NodeId leaf, const Rows& rows) const {
    if (node(leaf).box != none) return false;
    if (is_read_from_one_row(node(leaf))) return true;
    const FewRows few = *few_rows_below(leaf);
    const float* first = rows.row(few.rows[0]);
    return std::all_of(few.rows.begin() + 1, few.rows.begin() + few.n,
                       [&](RowId row) { return std::equal(first, first + boxes.width(), rows.row(row)); });
  }

  // The three verbs, with the columns beside the skeleton.

  void split_leaf(NodeId leaf, std::uint32_t feature, float location, float time) {
    crowds.erase(leaf);
    keyed_cells.erase_edge(leaf);
    shape.split_leaf(leaf, feature, location, time);
    summaries.resize(shape.nodes.size());
  }

  /// Returns the new leaf.
  NodeId insert_above(NodeId id, std::uint32_t feature, float location, float time, bool leaf_to_right) {
    shape.insert_above(id, feature, location, time, leaf_to_right);
    summaries.resize(shape.nodes.size());
    summaries.replace(node(id).child(!leaf_to_right), Summary(summaries[id]));
    crowds.move(id, node(id).child(!leaf_to_right));
    keyed_cells.move(id, node(id).child(!leaf_to_right));
    return node(id).child(leaf_to_right);
  }

  void contract(NodeId parent, bool right_vanishes) {
    boxes.release(node(parent).box);
    boxes.release(node(node(parent).child(right_vanishes)).box);
    summaries.replace(parent, Summary(summaries[node(parent).child(!right_vanishes)]));
    crowds.erase(node(parent).child(right_vanishes));
    crowds.move(node(parent).child(!right_vanishes), parent);
    keyed_cells.move(node(parent).child(!right_vanishes), parent);
    keyed_cells.erase_edge(parent);  // it is longer now
    keyed_cells.erase_edge(node(parent).child(right_vanishes));
    for (const bool side : {false, true}) summaries.replace(node(parent).child(side), {});
    shape.contract(parent, right_vanishes);
  }

  void join_leaves(NodeId parent) {
    boxes.release(node(node(parent).left()).box);
    boxes.release(node(node(parent).right()).box);
    for (const bool side : {false, true}) {
      crowds.erase(node(parent).child(side));
      keyed_cells.erase_edge(node(parent).child(side));
      summaries.replace(node(parent).child(side), {});
    }
    shape.join_leaves(parent);
    keyed_cells.erase(parent);
  }

  // Summaries.

  [[nodiscard]] Summary said_by_rows(NodeId leaf, const Rows& rows, const M& model) const {
    if (rows.are_a_set) return said_by_set(shape, leaf, rows, model).summary;
    Summary summary{};
    shape.for_each_row(leaf, [&](RowId row) { hear_row<M>(summary, rows.labels[row], row, rows, model); });
    return summary;
  }
  void hear_rows(NodeId leaf, const Rows& rows, const M& model) {
    summaries.replace(leaf, said_by_rows(leaf, rows, model));
  }
  /// The size and the summary of a leaf that has changed, from the set of its rows.
  void hear_set(NodeId leaf, const Rows& rows, const M& model) {
    if (node(leaf).n_rows == 1) return;  // whose order cannot show
    const auto for_each_row = [&](auto&& count) { shape.for_each_row(leaf, count); };
    Said<M> said = node(leaf).n_rows > Crowds<M>::few
                       ? Said<M>::by_crowd(crowds.of(leaf, rows, model, for_each_row), model)
                       : said_by_set(shape, leaf, rows, model);
    shape.nodes.edit(leaf).count = static_cast<float>(said.size);
    summaries.replace(leaf, std::move(said.summary));
  }

  /// The model's clock at a node; a leaf is at the end of time.
  [[nodiscard]] double clock(NodeId id, const M& model) const {
    return node(id).is_leaf() ? 0.0 : model.clock(static_cast<double>(node(id).time));
  }

  [[nodiscard]] Summary said_by_children(NodeId id, const M& model) const {
    const NodeId left = node(id).left(), right = node(id).right();
    return model.merge(summaries[left], clock(left, model), summaries[right], clock(right, model), clock(id, model));
  }
  void hear_children(NodeId id, const M& model) { summaries.replace(id, said_by_children(id, model)); }

  /// All nodes of a path from the root hear their children, the last node first. Where that changes nothing, nothing
  /// changes further up.
  void hear_path(std::span<const NodeId> path, const M& model) {
    if (path.empty()) return;
    NodeId below = node(path.back()).left();  // the child whose clock is known already
    double clock_below = clock(below, model);
    for (; !path.empty(); path = path.first(path.size() - std::min(path.size(), clocks_at_once))) {
      const auto part = path.last(std::min(path.size(), clocks_at_once));
      const PathClocks clocks = read_clocks(part, below, model);
      for (std::size_t i = part.size(); i-- > 0;) {
        const double own = clocks[2 * i], beside = clocks[2 * i + 1];
        const NodeId left = node(part[i]).left(), right = node(part[i]).right();
        if constexpr (M::summaries_settle) {
          if (model.is_merge(summaries[part[i]], summaries[left], summaries[right])) return;
        }
        summaries.replace(part[i], below == left
                                       ? model.merge(summaries[left], clock_below, summaries[right], beside, own)
                                       : model.merge(summaries[left], beside, summaries[right], clock_below, own));
        below = part[i];
        clock_below = own;
      }
    }
  }

  /// f(leaf) for leaves and g(inner node) for inner nodes, children before parents.
  template <class Leaf, class Inner>
  void bottom_up(Leaf&& f, Inner&& g) const {
    std::vector<NodeId> order;
    append_preorder(shape, root, order);
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (node(*id).is_leaf()) {
        f(*id);
      } else {
        g(*id);
      }
    }
  }

  /// All summaries anew, from the rows up. Needed when the model's own numbers have changed.
  void hear_everything(const Rows& rows, const M& model) {
    crowds.clear();
    bottom_up([&](NodeId id) { hear_rows(id, rows, model); }, [&](NodeId id) { hear_children(id, model); });
  }

  void clear() {
    shape.clear();
    boxes.clear();
    summaries.clear();
    crowds.clear();
    keyed_cells.clear();
  }

  // Changes that can be taken back.

  void record(bool are_many) {
    shape.record(are_many);
    boxes.record(are_many);
    summaries.record(are_many);
  }
  void keep() noexcept {
    shape.keep();
    boxes.keep();
    summaries.keep();
  }
  void undo() noexcept {
    shape.undo();
    boxes.undo();
    summaries.undo();
    crowds.clear();
    keyed_cells.clear();
  }

 private:
  static constexpr std::size_t clocks_at_once = 16;
  using PathClocks = std::array<double, 2 * clocks_at_once>;

  /// Of each node of a part of a path, and of its child beside the path, where `below` follows the part; cheaper many
  /// at once.
  [[nodiscard]] PathClocks read_clocks(std::span<const NodeId> part, NodeId below, const M& model) const {
    PathClocks clocks{};
    if constexpr (M::reads_clock) {
      const auto beside = [&](std::size_t i) -> const Node& {
        return node(sibling(part[i], i + 1 < part.size() ? part[i + 1] : below));
      };
      for (std::size_t i = 0; i < part.size(); ++i) {
        clocks[2 * i] = static_cast<double>(node(part[i]).time);
        clocks[2 * i + 1] = static_cast<double>(beside(i).time);  // a leaf has none, but what is there does no harm
      }
      model.read_clocks(clocks.data(), 2 * part.size());
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (beside(i).is_leaf()) clocks[2 * i + 1] = 0.0;
      }
    }
    return clocks;
  }

  /// The other child of `parent`.
  [[nodiscard]] NodeId sibling(NodeId parent, NodeId child) const { return 2 * node(parent).left() + 1 - child; }
};

}  // namespace hedgerow::mondrian
