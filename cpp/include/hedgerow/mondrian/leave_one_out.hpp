// SPDX-License-Identifier: BSD-3-Clause
// Exact leave-one-out, all rows at the price of one pass up and one pass down a tree.
//
// A Mondrian tree on n rows, with the label of row i struck out, has the law of a tree on the n - 1 others that was
// extended by x_i (the self-consistency by which rows are learned online). So what the tree says of mu at the leaf of
// row i, without that row's label, is a leave-one-out prediction: no tree has to be grown for it. What is said at a
// leaf without all labels below it is the message that comes down to it, its cavity:
//   at the root            N(mu_H, phi_root),
//   at the left child      N(cavity of the node times the message of the right child, + phi_left), and mirrored,
//   in a leaf of many rows the cavity times the labels of the other rows there.
// A row of weight w is w equal rows, of which one is struck out.
// This is exact where a leaf exists for its row alone, that is for min_samples_split = 2 (or where rows coincide). In a
// leaf of more rows the partition is taken as it is, which the row left out has helped to shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/label/vector_hierarchy.hpp"
#include "hedgerow/mondrian/flat_tree.hpp"

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
           Hear&& hear) {
    if (tree.size() == 0) return;
    const std::size_t n = labels.length;
    read_clocks(tree, model);
    pass_up(tree, rows, labels, model);
    variances_.resize(tree.size());
    cavities_.resize(tree.size() * n);
    left_out_.resize(n);
    variances_[0] = std::max(model.psi(0.0) - clocks_[0], 0.0);
    std::fill_n(cavities_.data(), n, static_cast<Value>(centre));
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) {
        strike_out(tree.rows_of(node), node, rows, labels, model, hear);
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        lower_cavity(node, left, right, n);
        lower_cavity(node, right, left, n);
      }
    }
  }

 private:
  void read_clocks(const FlatTree& tree, const Model& model) {
    clocks_.assign(tree.times.begin(), tree.times.end());
    model.read_clocks(clocks_.data(), clocks_.size());
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) clocks_[node] = 0.0;
    }
  }

  void pass_up(const FlatTree& tree, const Rows& rows, const Labels& labels, const Model& model) {
    const std::size_t n = labels.length;
    precisions_.resize(tree.size());
    lifted_.resize(tree.size());
    means_.resize(tree.size() * n);
    for (std::size_t node = tree.size(); node-- > 0;) {
      Value* const mean = means_.data() + node * n;
      if (tree.is_leaf(node)) {
        double total = 0.0;
        for (const RowId row : tree.rows_of(node)) {
          const double gained = rows.weight(row) * model.signal_to_noise;
          total += gained;
          label::step_towards(mean, total == gained ? labels[row] : mean, labels[row], gained / total, n);
        }
        precisions_[node] = total;
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        for (const std::size_t child : {left, right}) {
          lifted_[child] = Model::diffuse(precisions_[child], clocks_[node] - clocks_[child]);
        }
        precisions_[node] = lifted_[left] + lifted_[right];
        label::step_towards(mean, means_.data() + left * n, means_.data() + right * n,
                            lifted_[right] / precisions_[node], n);
      }
    }
  }

  /// The cavity of a child: its parent's, times what the parent hears from the child's sibling.
  void lower_cavity(std::size_t parent, std::size_t child, std::size_t sibling, std::size_t n) {
    const double k = lifted_[sibling] * variances_[parent], left = 1.0 / (1.0 + k);
    label::step_towards(cavities_.data() + child * n, cavities_.data() + parent * n, means_.data() + sibling * n,
                        k * left, n);
    variances_[child] = variances_[parent] * left + std::max(clocks_[parent] - clocks_[child], 0.0);
  }

  template <class Hear>
  void strike_out(std::span<const RowId> members, std::size_t leaf, const Rows& rows, const Labels& labels,
                  const Model& model, Hear& hear) {
    const std::size_t n = labels.length;
    const Value* const cavity = cavities_.data() + leaf * n;
    for (const RowId row : members) {
      const Value* mean = cavity;
      double variance = variances_[leaf];
      if (members.size() > 1 || rows.weight(row) > 1.0) {
        const double own = std::min(rows.weight(row), 1.0) * model.signal_to_noise;
        const double others = std::max(precisions_[leaf] - own, 0.0);
        if (others > 0.0) {
          Value* const without = left_out_.data();
          label::step_towards(without, means_.data() + leaf * n, labels[row], -own / others, n);
          const double k = others * variance;
          label::step_towards(without, cavity, without, k / (1.0 + k), n);
          variance /= 1.0 + k;
          mean = without;
        }
      }
      hear(row, mean, variance);
    }
  }

  std::vector<double> clocks_;
  std::vector<double> precisions_;  ///< of what is heard from below each node
  std::vector<double> lifted_;      ///< the same as the parent hears it; garbage at the root
  std::vector<double> variances_;   ///< of the cavities
  std::vector<Value> means_;        ///< of what is heard from below each node
  std::vector<Value> cavities_;     ///< means of what is said above each node without it
  std::vector<Value> left_out_;     ///< of one row
};
template <class M>
using LeaveOneOutOf = LeaveOneOut<std::decay_t<decltype(smoothing_of(std::declval<M>()))>,
                                  decltype(labels_of(std::declval<const Rows&>(), std::declval<M>()))>;

}  // namespace hedgerow::mondrian
