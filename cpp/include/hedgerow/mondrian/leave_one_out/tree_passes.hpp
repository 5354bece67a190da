// SPDX-License-Identifier: BSD-3-Clause
// Exact leave-one-out, all rows at the price of one pass up and one pass down a tree; and exact predictions of any set
// of rows without their labels, at the same price for all of the set.
//
// A Mondrian tree on n rows, with the labels of some of them struck out, has the law of a tree on the others that was
// extended by these rows' features (the self-consistency by which rows are learned online). So what the tree says of mu
// at the leaf of row i, without that row's label, is a leave-one-out prediction: no tree has to be grown for it. What
// is said at a leaf without all labels below it is the message that comes down to it, its cavity:
//   at the root            N(mu_H, phi_root),
//   at the left child      N(cavity of the node times the message of the right child, + phi_left), and mirrored,
//   in a leaf of many rows the cavity times the labels of the other rows there.
// A row is left out whole, whatever its weight, and rows that were told to be its copies go with it: half of a row that
// stays behind would give its label away.
// This is exact where a leaf exists for its row alone, that is for min_samples_split = 2 (or where rows coincide). In a
// leaf of more rows the partition is taken as it is, which the row left out has helped to shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/label/vector_hierarchy.hpp"
#include "hedgerow/mondrian/leave_one_out/flat_tree.hpp"

namespace hedgerow::mondrian {

/// Labels that are numbers, as the passes below read them.
struct NumberLabels {
  using Value = double;
  static constexpr std::size_t length = 1;
  const Rows& rows;
  const double* operator[](RowId row) const { return &rows.labels[row]; }
};
/// Labels that are vectors.
struct VectorLabels {
  using Value = float;
  std::size_t length;
  const Rows& rows;
  const label::LabelVectors& vectors;
  const float* operator[](RowId row) const { return vectors[static_cast<std::size_t>(rows.labels[row])]; }
};

// How a label model is smoothed, and what its labels are.
template <class Clock>
const label::GaussianHierarchyBy<Clock>& smoothing_of(const label::GaussianHierarchyBy<Clock>& model) {
  return model;
}
inline const label::ExponentialHierarchy& smoothing_of(const label::VectorHierarchy& model) { return model.precisions; }
template <class Clock>
NumberLabels labels_of(const Rows& rows, const label::GaussianHierarchyBy<Clock>&) {
  return {rows};
}
inline VectorLabels labels_of(const Rows& rows, const label::VectorHierarchy& model) {
  return {model.length(), rows, *model.vectors};
}

/// Rows that are left out together, by row number: those of one group. They must lie on one point. None: each row by
/// itself.
using Groups = std::span<const std::uint32_t>;

/// The two passes. How much is known where does not depend on the labels, so precisions and variances are numbers even
/// where labels are vectors.
template <class Model, class Labels>
class LeaveOneOut {
 public:
  using Value = typename Labels::Value;

  /// hear(row, mean, variance): what the tree says of mu at each row without that row's label; the variance is in units
  /// of gamma_1 and without the noise of a label. Every component of `centre` is mu_H.
  template <class Hear>
  void run(const FlatTree& tree, const Rows& rows, const Labels& labels, const Model& model, double centre,
           Groups groups, Hear&& hear) {
    both_passes(
        tree, labels, model, centre, [&](RowId row) { return rows.weight(row); },
        [&](std::size_t leaf) { strike_out(tree.rows_of(leaf), leaf, rows, labels, model, groups, hear); });
  }

  /// The same of the rows that are out, without the labels of all of these.
  template <class IsOut, class Hear>
  void run_without(const FlatTree& tree, const Rows& rows, const Labels& labels, const Model& model, double centre,
                   IsOut&& is_out, Hear&& hear) {
    both_passes(
        tree, labels, model, centre, [&](RowId row) { return is_out(row) ? 0.0 : rows.weight(row); },
        [&](std::size_t leaf) {
          const double k = precisions_[leaf] * variances_[leaf];
          label::step_towards(left_out_.data(), cavity(leaf), means_.data() + leaf * length_, k / (1.0 + k), length_);
          for (const RowId row : tree.rows_of(leaf)) {
            if (is_out(row)) hear(row, std::as_const(left_out_).data(), variances_[leaf] / (1.0 + k));
          }
        });
  }

 private:
  template <class Weight, class AtLeaf>
  void both_passes(const FlatTree& tree, const Labels& labels, const Model& model, double centre, Weight&& weight,
                   AtLeaf&& at_leaf) {
    if (tree.size() == 0) return;
    length_ = labels.length;
    read_clocks(tree, model);
    pass_up(tree, labels, model, weight);
    variances_.resize(tree.size());
    cavities_.resize(tree.size() * length_);
    left_out_.resize(length_);
    variances_[0] = std::max(model.psi(0.0) - clocks_[0], 0.0);
    std::fill_n(cavities_.data(), length_, static_cast<Value>(centre));
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) {
        at_leaf(node);
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        lower_cavity(node, left, right);
        lower_cavity(node, right, left);
      }
    }
  }

  void read_clocks(const FlatTree& tree, const Model& model) {
    clocks_.assign(tree.times.begin(), tree.times.end());
    model.read_clocks(clocks_.data(), clocks_.size());
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) clocks_[node] = 0.0;
    }
  }

  /// Of a node without labels the precision is 0 and the mean is 0.
  template <class Weight>
  void pass_up(const FlatTree& tree, const Labels& labels, const Model& model, Weight&& weight) {
    const std::size_t n = length_;
    precisions_.resize(tree.size());
    lifted_.resize(tree.size());
    means_.resize(tree.size() * n);
    for (std::size_t node = tree.size(); node-- > 0;) {
      Value* const mean = means_.data() + node * n;
      double total = 0.0;
      if (tree.is_leaf(node)) {
        for (const RowId row : tree.rows_of(node)) {
          const double gained = weight(row) * model.signal_to_noise;
          if (gained == 0.0) continue;
          total += gained;
          label::step_towards(mean, total == gained ? labels[row] : mean, labels[row], gained / total, n);
        }
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        for (const std::size_t child : {left, right}) {
          lifted_[child] = Model::diffuse(precisions_[child], clocks_[node] - clocks_[child]);
        }
        total = lifted_[left] + lifted_[right];
        if (total > 0.0) {
          label::step_towards(mean, means_.data() + left * n, means_.data() + right * n, lifted_[right] / total, n);
        }
      }
      if (total == 0.0) std::fill_n(mean, n, Value{0});
      precisions_[node] = total;
    }
  }

  /// The cavity of a child: its parent's, times what the parent hears from the child's sibling.
  void lower_cavity(std::size_t parent, std::size_t child, std::size_t sibling) {
    const double k = lifted_[sibling] * variances_[parent], left = 1.0 / (1.0 + k);
    label::step_towards(cavities_.data() + child * length_, cavity(parent), means_.data() + sibling * length_, k * left,
                        length_);
    variances_[child] = variances_[parent] * left + std::max(clocks_[parent] - clocks_[child], 0.0);
  }
  [[nodiscard]] const Value* cavity(std::size_t node) const { return cavities_.data() + node * length_; }

  template <class Hear>
  void strike_out(std::span<const RowId> members, std::size_t leaf, const Rows& rows, const Labels& labels,
                  const Model& model, Groups groups, Hear& hear) {
    if (members.size() == 1) return hear(members[0], cavity(leaf), variances_[leaf]);
    together_.assign(members.begin(), members.end());
    if (!groups.empty()) {
      std::ranges::stable_sort(together_, {}, [&](RowId row) { return groups[row]; });
    }
    for (std::size_t begin = 0, end = 0; begin < together_.size(); begin = end) {
      const auto goes_with_first = [&](RowId row) {
        return !groups.empty() && groups[row] == groups[together_[begin]];
      };
      for (end = begin + 1; end < together_.size() && goes_with_first(together_[end]);) ++end;
      leave_out({together_.data() + begin, end - begin}, members.size() == end - begin, leaf, rows, labels, model,
                hear);
    }
  }

  /// All that are left out lie in one leaf, and are all of its rows or not.
  template <class Hear>
  void leave_out(std::span<const RowId> out, bool are_all, std::size_t leaf, const Rows& rows, const Labels& labels,
                 const Model& model, Hear& hear) {
    double left = are_all ? 0.0 : precisions_[leaf], variance = variances_[leaf];
    Value* const without = left_out_.data();
    std::copy_n(means_.data() + leaf * length_, length_, without);
    if (!are_all) {
      for (const RowId row : out) {
        const double own = rows.weight(row) * model.signal_to_noise;
        left = std::max(left - own, 0.0);
        if (left > 0.0) label::step_towards(without, without, labels[row], -own / left, length_);
      }
    }
    const double k = left * variance;
    label::step_towards(without, cavity(leaf), without, k / (1.0 + k), length_);
    for (const RowId row : out) hear(row, std::as_const(left_out_).data(), variance / (1.0 + k));
  }

  std::size_t length_ = 0;  ///< of a label
  std::vector<double> clocks_;
  std::vector<double> precisions_;  ///< of what is heard from below each node
  std::vector<double> lifted_;      ///< the same as the parent hears it; garbage at the root
  std::vector<double> variances_;   ///< of the cavities
  std::vector<Value> means_;        ///< of what is heard from below each node
  std::vector<Value> cavities_;     ///< means of what is said above each node without it
  std::vector<Value> left_out_;     ///< of one row
  std::vector<RowId> together_;     ///< the rows of one leaf, those of a group next to each other
};
template <class M>
using LeaveOneOutOf = LeaveOneOut<std::decay_t<decltype(smoothing_of(std::declval<M>()))>,
                                  decltype(labels_of(std::declval<const Rows&>(), std::declval<M>()))>;

}  // namespace hedgerow::mondrian
