// SPDX-License-Identifier: BSD-3-Clause
// Batch growth: Lakshminarayanan, Roy and Teh (2016), Algorithm 2 (SampleMondrianBlock), on all rows of a tree or of
// one leaf.
//
// The law is that of Algorithm 2; the work is not. Algorithm 2 takes the minimum and maximum of every column in
// every block, O(n D). Here a block is known to lie in a loose box, cut at rate |loose box|, and a cut is kept iff
// rows lie on both its sides. Cuts of the loose box that fall within the rows' own box arrive at rate |own box| and
// are uniform on it, so the first kept cut has the law of lines 3 to 6 (thinning of a Poisson process). A refused cut
// costs a look at one column, after which that side of the loose box is tight. Own boxes are joined bottom-up.
//
// With keyed cuts, a block lies in a cell too, which tells its next cut: see keyed_cells.hpp. The loose box then only
// tells which of these cuts separate no rows without a look at them.
//
// A large block is read column by column, because a cut looks at one column. A block that fits in the caches is copied
// out row by row and finished there, because its leaves look at all columns of a few rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "hedgerow/mondrian/learn/block.hpp"
#include "hedgerow/mondrian/structure/keyed_cells.hpp"
#include "hedgerow/mondrian/structure/loose_box.hpp"
#include "hedgerow/mondrian/structure/measure.hpp"
#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/parallel/may_stop.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Grower {
 public:
  /// Everything that stays the same while a tree grows.
  struct Setting {
    const Rows& rows;
    const Growth& growth;
    const M& model;
  };

  /// Are these so many rows that growth should start from `transposed(rows)`?
  static bool wants_columns(std::size_t n_rows, std::size_t width) { return n_rows * width > cached_floats; }

  /// Grow `leaf`, whose rows are `members` in `box`, from the time its parent was split.
  /// On return the subtree has its boxes and summaries. `columns` is `transposed(rows)`, or null for few rows.
  void grow(MondrianTree<M>& tree, NodeId leaf, const Box& box, double above, std::span<const RowId> members,
            const float* columns, const Setting& setting, random::Stream& stream) {
    stream_ = &stream;
    cells_ = nullptr;
    grow_leaf(tree, leaf, box, above, members, columns, setting);
  }
  /// The same with the cuts of a cell that holds the rows; it is another when this returns.
  void grow(MondrianTree<M>& tree, NodeId leaf, const Box& box, std::span<const RowId> members, const float* columns,
            const Setting& setting, KeyedCells& cells) {
    cells_ = &cells;
    grow_leaf(tree, leaf, box, cells.here().time, members, columns, setting);
  }

 private:
  void grow_leaf(MondrianTree<M>& tree, NodeId leaf, const Box& box, double above, std::span<const RowId> members,
                 const float* columns, const Setting& setting) {
    tree_ = &tree;
    setting_ = &setting;
    loose_.start(box.lower, box.upper, setting.rows.width());
    made_.clear();
    const std::uint32_t slot = tree.node(leaf).box;
    Node empty = Node::leaf();
    empty.box = slot;
    tree.shape.nodes.edit(leaf) = empty;
    tree.crowds.erase(leaf);
    if (columns == nullptr) {
      grow_copied(members, leaf, above);
    } else {
      members_.assign(members.begin(), members.end());
      spare_.resize(members.size());
      grow_block({columns, setting.rows.capacity(), 1, setting.rows.labels.data(), nullptr}, members_,
                 {leaf, 0, members.size(), above});
    }
    for (auto id = made_.rbegin(); id != made_.rend(); ++id) {
      if (tree.node(*id).is_leaf()) continue;
      if (tree.node(*id).box != none) measure_children(tree, *id, setting.rows, rooms_);
      tree.hear_children(*id, setting.model);
    }
  }

  /// A block still to be grown: members [begin, end) belong to `node`, whose parent was split at `above`.
  struct Task {
    NodeId node;
    std::size_t begin, end;
    double above;
  };
  /// A right-hand block that waits for its left-hand sibling, and how to recover its loose box.
  struct Waiting {
    Task task;
    std::size_t mark;
    std::uint32_t feature;
    float location;
    KeyedCells::Mark cell{};  ///< of both blocks together, if cuts are keyed,
    double time = 0.0;        ///< and when they were cut
  };
  struct Cut {
    std::uint32_t feature;
    float location;
    float time;
    std::size_t middle;  ///< members [begin, middle) go left; begin if no cut came in time
    double exact_time;
  };

  static constexpr std::size_t cached_floats = 1 << 16;  // 256 kB

  /// Copy the rows out and finish them there.
  void grow_copied(std::span<const RowId> rows, NodeId node, double above) {
    parallel::may_stop();
    const Rows& source = setting_->rows;
    const std::size_t n = rows.size(), width = source.width();
    copied_rows_.assign(rows.begin(), rows.end());
    copied_values_.resize(n * width);
    copied_labels_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + far_ahead < n) {
        numeric::prefetch(source.row(rows[i + far_ahead]));
        numeric::prefetch(&source.labels[rows[i + far_ahead]]);
      }
      std::copy_n(source.row(rows[i]), width, copied_values_.data() + i * width);
      copied_labels_[i] = source.labels[rows[i]];
    }
    copied_members_.resize(n);
    std::iota(copied_members_.begin(), copied_members_.end(), 0U);
    if (spare_.size() < n) spare_.resize(n);
    grow_block({copied_values_.data(), 1, width, copied_labels_.data(), copied_rows_.data()}, copied_members_,
               {node, 0, n, above});
  }

  void grow_block(const Block& block, std::vector<std::uint32_t>& members, Task task) {
    const std::size_t ground = waiting_.size();
    for (;;) {
      const std::size_t n = task.end - task.begin;
      if (!block.is_row_major() && n * setting_->rows.width() <= cached_floats) {
        const std::size_t mark = loose_.mark();
        grow_copied({members.data() + task.begin, n}, task.node, task.above);
        loose_.rewind(mark);
      } else {
        if (!block.is_row_major()) parallel::may_stop();
        made_.push_back(task.node);
        const Cut cut = sample_cut(block, members, task);
        if (cut.middle != task.begin) {
          tree_->split_leaf(task.node, cut.feature, cut.location, cut.time);
          keep_box(task.node, n > FewRows::most);
          const Node& node = tree_->node(task.node);
          const auto time = static_cast<double>(cut.time);
          waiting_.push_back({{node.right(), cut.middle, task.end, time}, loose_.mark(), cut.feature, cut.location});
          loose_.set_upper(cut.feature, cut.location);
          if (cells_ != nullptr) {
            waiting_.back().cell = cells_->mark();
            waiting_.back().time = cut.exact_time;
            cells_->enter({cut.feature, cut.location, cut.exact_time}, false);
          }
          task = {node.left(), task.begin, cut.middle, time};
          continue;
        }
        settle(block, members, task);
      }
      if (waiting_.size() == ground) return;
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      loose_.rewind(next.mark);
      loose_.set_lower(next.feature, next.location);
      if (cells_ != nullptr) {
        cells_->rewind(next.cell);
        cells_->enter({next.feature, next.location, next.time}, true);
      }
      task = next.task;
    }
  }

  /// A box is kept for the node, or none.
  void keep_box(NodeId id, bool is_kept) {
    const std::uint32_t slot = tree_->node(id).box;
    if (is_kept == (slot != none)) return;
    tree_->boxes.release(slot);
    tree_->shape.nodes.edit(id).box = is_kept ? tree_->boxes.new_slot() : none;
  }

  /// The first cut that separates the block's rows, and the rows dealt to its sides.
  Cut sample_cut(const Block& block, std::vector<std::uint32_t>& members, const Task& task) {
    const Cut no_cut{0, 0, 0, task.begin, 0};
    if (setting_->growth.is_light(size_of_block(block, members, task))) return no_cut;
    const auto part = part_of(members, task);
    if (lie_on_one_point(block, part, setting_->rows.width()))
      return no_cut;  // without a draw: copies draw no more than a row of their weight
    if (setting_->model.pauses_pure() && have_one_label(block, part)) return no_cut;
    return cells_ == nullptr ? sample_free_cut(block, members, task) : find_keyed_cut(block, members, task);
  }

  Cut sample_free_cut(const Block& block, std::vector<std::uint32_t>& members, const Task& task) {
    const Cut no_cut{0, 0, 0, task.begin, 0};
    double time = task.above;
    for (;;) {
      const double rate = loose_.rate();
      if (!(rate > 0.0)) return no_cut;
      time += stream_->exponential() / rate;
      if (!(time < setting_->growth.lifetime)) return no_cut;
      const std::size_t d = loose_.side_at(stream_->uniform() * rate);
      const float location = stream_->location(loose_.lower(d), loose_.upper(d));
      const std::size_t middle = deal_out(block, d, location, members, task);
      if (middle != task.begin && middle != task.end) {
        return {static_cast<std::uint32_t>(d), location, kept_time(time, setting_->growth.lifetime), middle, time};
      }
      tighten(block, d, members, task);
    }
  }

  Cut find_keyed_cut(const Block& block, std::vector<std::uint32_t>& members, const Task& task) {
    const double lifetime = setting_->growth.lifetime;
    for (KeyedCut cut = cells_->next(); cut.time < lifetime; cut = cells_->next()) {
      const std::size_t d = cut.feature;
      bool lies_right = cut.location < loose_.lower(d);
      if (!lies_right && cut.location < loose_.upper(d)) {
        const std::size_t middle = deal_out(block, d, cut.location, members, task);
        if (middle != task.begin && middle != task.end) {
          return {cut.feature, cut.location, kept_time(cut.time, lifetime), middle, cut.time};
        }
        lies_right = middle == task.begin;
        tighten(block, d, members, task);
      }
      cells_->enter(cut, lies_right);
    }
    return {0, 0, 0, task.begin, 0};
  }

  /// Members of the task to the left of a cut first; how many they are, from the first of all.
  std::size_t deal_out(const Block& block, std::size_t d, float location, std::vector<std::uint32_t>& members,
                       const Task& task) {
    return task.begin + deal(block, d, location, part_of(members, task), spare_.data());
  }

  void tighten(const Block& block, std::size_t d, std::vector<std::uint32_t>& members, const Task& task) {
    const auto [lower, upper] = range_of(block, d, part_of(members, task));
    loose_.set_lower(d, lower);
    loose_.set_upper(d, upper);
  }

  static std::span<std::uint32_t> part_of(std::vector<std::uint32_t>& members, const Task& task) {
    return std::span(members).subspan(task.begin, task.end - task.begin);
  }

  double size_of_block(const Block& block, const std::vector<std::uint32_t>& members, const Task& task) const {
    const Rows& rows = setting_->rows;
    if (M::counts_places ? rows.repeated.empty() : rows.weights.empty()) {
      return static_cast<double>(task.end - task.begin);
    }
    double size = 0.0;
    for (std::size_t i = task.begin; i < task.end; ++i) size += size_of<M>(rows, block.row(members[i]));
    return size;
  }

  /// The block stays a leaf: give it its rows, its box and its summary.
  void settle(const Block& block, const std::vector<std::uint32_t>& members, const Task& task) {
    const Rows& rows = setting_->rows;
    typename M::Summary summary{};
    for (std::size_t i = task.begin; i < task.end; ++i) {
      const RowId row = block.row(members[i]);
      tree_->shape.push_row(task.node, row, size_of<M>(rows, row));
      hear_row<M>(summary, block.labels[members[i]], row, rows, setting_->model);
    }
    tree_->summaries.replace(task.node, std::move(summary));
    if (rows.are_a_set) tree_->hear_set(task.node, rows, setting_->model);
    measure_leaf(*tree_, task.node, [&](auto&& hand_on) {
      for (std::size_t i = task.begin; i < task.end; ++i) {
        hand_on(block.is_row_major() ? block.values + members[i] * rows.width() : rows.row(block.row(members[i])));
      }
    });
  }

  MondrianTree<M>* tree_ = nullptr;
  const Setting* setting_ = nullptr;
  random::Stream* stream_ = nullptr;
  KeyedCells* cells_ = nullptr;  ///< if cuts are keyed
  LooseBox loose_;
  BoxRooms rooms_;
  std::vector<NodeId> made_;  ///< parents before children
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> members_, spare_, copied_members_;
  std::vector<RowId> copied_rows_;
  std::vector<float> copied_values_;
  std::vector<double> copied_labels_;
};

}  // namespace hedgerow::mondrian
