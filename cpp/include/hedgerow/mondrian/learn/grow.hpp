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
// A large block is read column by column, because a cut looks at one column. A block that fits in the caches is copied
// out row by row and finished there, because its leaves look at all columns of a few rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "hedgerow/mondrian/structure/loose_box.hpp"
#include "hedgerow/mondrian/structure/measure.hpp"
#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::mondrian {

/// Rows as a growing tree reads them: the value of member i in column d is values[d * column_step + i * member_step].
struct Block {
  const float* values;
  std::size_t column_step, member_step;
  const double* labels;
  const RowId* rows;  ///< the row that member i is; null where member i is row i

  [[nodiscard]] RowId row(std::uint32_t member) const { return rows == nullptr ? member : rows[member]; }
  [[nodiscard]] bool is_row_major() const { return column_step == 1; }
};

/// All features of a forest turned over, so that one column of a large block is read in one sweep.
inline std::vector<float> transposed(const Rows& rows) {
  std::vector<float> columns(rows.features.size());
  constexpr std::size_t tile = 64;
  const std::size_t n = rows.capacity(), width = rows.width();
  for (std::size_t begin = 0; begin < n; begin += tile) {
    const std::size_t end = std::min(n, begin + tile);
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t i = begin; i < end; ++i) columns[d * n + i] = rows.features[i * width + d];
    }
  }
  return columns;
}

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
    tree_ = &tree;
    setting_ = &setting;
    stream_ = &stream;
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

 private:
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
  };
  struct Cut {
    std::uint32_t feature;
    float location;
    float time;
    std::size_t middle;  ///< members [begin, middle) go left; begin if no cut came in time
  };

  static constexpr std::size_t cached_floats = 1 << 16;  // 256 kB
  static constexpr std::size_t far_ahead = 32;           // rows between asking for a value and using it

  /// Copy the rows out and finish them there.
  void grow_copied(std::span<const RowId> rows, NodeId node, double above) {
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
        made_.push_back(task.node);
        const Cut cut = sample_cut(block, members, task);
        if (cut.middle != task.begin) {
          tree_->split_leaf(task.node, cut.feature, cut.location, cut.time);
          keep_box(task.node, n > FewRows::most);
          const Node& node = tree_->node(task.node);
          const auto time = static_cast<double>(cut.time);
          waiting_.push_back({{node.right(), cut.middle, task.end, time}, loose_.mark(), cut.feature, cut.location});
          loose_.set_upper(cut.feature, cut.location);
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
    const Cut no_cut{0, 0, 0, task.begin};
    if (setting_->growth.is_light(size_of_block(block, members, task))) return no_cut;
    if (is_point(block, members, task))
      return no_cut;  // without a draw: copies draw no more than a row of their weight
    if (setting_->model.pauses_pure() && is_pure(block, members, task)) return no_cut;
    double time = task.above;
    for (;;) {
      const double rate = loose_.rate();
      if (!(rate > 0.0)) return no_cut;
      time += stream_->exponential() / rate;
      if (!(time < setting_->growth.lifetime)) return no_cut;
      const std::size_t d = loose_.side_at(stream_->uniform() * rate);
      const float location = stream_->location(loose_.lower(d), loose_.upper(d));
      const std::size_t middle = deal(block, d, location, members, task);
      if (middle != task.begin && middle != task.end) {
        return {static_cast<std::uint32_t>(d), location, kept_time(time, setting_->growth.lifetime), middle};
      }
      tighten(block, d, members, task);
    }
  }

  /// Stable partition by value <= location, without branches.
  std::size_t deal(const Block& block, std::size_t d, float location, std::vector<std::uint32_t>& members,
                   const Task& task) {
    const float* column = block.values + d * block.column_step;
    const std::size_t step = block.member_step;
    std::uint32_t* left = members.data() + task.begin;
    std::uint32_t* right = spare_.data();
    const auto deal_one = [&](std::uint32_t member) {
      const bool goes_right = column[member * step] > location;
      *left = *right = member;
      left += static_cast<std::size_t>(!goes_right);
      right += static_cast<std::size_t>(goes_right);
    };
    std::size_t i = task.begin;
    for (; i + far_ahead < task.end; ++i) {
      numeric::prefetch(column + members[i + far_ahead] * step);
      deal_one(members[i]);
    }
    for (; i < task.end; ++i) deal_one(members[i]);
    std::copy(spare_.data(), right, left);
    return static_cast<std::size_t>(left - members.data());
  }

  void tighten(const Block& block, std::size_t d, const std::vector<std::uint32_t>& members, const Task& task) {
    const float* column = block.values + d * block.column_step;
    float lower = column[members[task.begin] * block.member_step], upper = lower;
    for (std::size_t i = task.begin; i < task.end; ++i) {
      const float value = column[members[i] * block.member_step];
      lower = std::min(lower, value);
      upper = std::max(upper, value);
    }
    loose_.set_lower(d, lower);
    loose_.set_upper(d, upper);
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

  /// Do all rows lie on one point? Most often the first two tell.
  bool is_point(const Block& block, const std::vector<std::uint32_t>& members, const Task& task) const {
    const std::size_t width = setting_->rows.width();
    for (std::size_t i = task.begin + 1; i < task.end; ++i) {
      for (std::size_t d = 0; d < width; ++d) {
        const float* column = block.values + d * block.column_step;
        if (column[members[i] * block.member_step] != column[members[task.begin] * block.member_step]) return false;
      }
    }
    return true;
  }

  /// Are the labels all equal?
  static bool is_pure(const Block& block, const std::vector<std::uint32_t>& members, const Task& task) {
    const double first = block.labels[members[task.begin]];
    return std::all_of(members.begin() + static_cast<std::ptrdiff_t>(task.begin),
                       members.begin() + static_cast<std::ptrdiff_t>(task.end),
                       [&](std::uint32_t member) { return block.labels[member] == first; });
  }

  /// The block stays a leaf: give it its rows, its box and its summary.
  void settle(const Block& block, const std::vector<std::uint32_t>& members, const Task& task) {
    const Rows& rows = setting_->rows;
    typename M::Summary summary{};
    for (std::size_t i = task.begin; i < task.end; ++i) {
      const RowId row = block.row(members[i]);
      tree_->shape.push_row(task.node, row, size_of<M>(rows, row));
      tree_->hear_row(summary, block.labels[members[i]], row, rows, setting_->model);
    }
    tree_->summaries.replace(task.node, std::move(summary));
    measure_leaf(*tree_, task.node, [&](auto&& hand_on) {
      for (std::size_t i = task.begin; i < task.end; ++i) {
        hand_on(block.is_row_major() ? block.values + members[i] * rows.width() : rows.row(block.row(members[i])));
      }
    });
  }

  MondrianTree<M>* tree_ = nullptr;
  const Setting* setting_ = nullptr;
  random::Stream* stream_ = nullptr;
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
