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
#include <vector>

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::mondrian {

/// A tree as far as its labels go: nodes in preorder, the left child of node i is i + 1.
struct FlatTree {
  std::vector<double> times;         ///< of splits; leaves are at the end of time
  std::vector<std::uint32_t> right;  ///< number of the right child, 0 for a leaf
  std::vector<std::uint32_t> first;  ///< of node i's rows in `rows`: those of a leaf, none for an inner node
  std::vector<RowId> rows;

  template <label::LabelModel M>
  void assign(const MondrianTree<M>& tree, const Growth& growth) {
    times.clear();
    right.clear();
    first.clear();
    rows.clear();
    pending_.assign(tree.shape.is_empty() ? 0 : 1, {tree.root, none});
    while (!pending_.empty()) {
      const auto [id, parent] = pending_.back();
      pending_.pop_back();
      const auto own = static_cast<std::uint32_t>(times.size());
      if (parent != none) right[parent] = own;
      times.push_back(tree.time(id, growth));
      right.push_back(0);
      first.push_back(static_cast<std::uint32_t>(rows.size()));
      if (tree.node(id).is_leaf()) {
        tree.shape.for_each_row(id, [&](RowId row) { rows.push_back(row); });
      } else {
        pending_.push_back({tree.node(id).right(), own});
        pending_.push_back({tree.node(id).left(), none});
      }
    }
    first.push_back(static_cast<std::uint32_t>(rows.size()));
  }

  [[nodiscard]] std::size_t size() const { return times.size(); }
  [[nodiscard]] bool is_leaf(std::size_t node) const { return right[node] == 0; }
  [[nodiscard]] std::span<const RowId> rows_of(std::size_t node) const {
    return {rows.data() + first[node], rows.data() + first[node + 1]};
  }

 private:
  struct Pending {
    NodeId node;
    std::uint32_t parent;  ///< whose right child it is, or none
  };
  std::vector<Pending> pending_;
};

template <class Clock>
class LeaveOneOut {
 public:
  using Model = label::GaussianHierarchyBy<Clock>;

  /// hear(row, mean, variance): what the tree says of mu at each row without that row's label; the variance is in units
  /// of gamma_1 and without the noise of a label.
  template <class Hear>
  void run(const FlatTree& tree, const Rows& rows, const Model& model, double centre, Hear&& hear) {
    if (tree.size() == 0) return;
    read_clocks(tree, model);
    pass_up(tree, rows, model);
    cavities_.resize(tree.size());
    cavities_[0] = {centre, std::max(model.psi(0.0) - clocks_[0], 0.0)};
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) {
        strike_out(tree.rows_of(node), rows, model, messages_[node], cavities_[node], hear);
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        cavities_[left] = lowered(cavities_[node], lifted(right), node, left);
        cavities_[right] = lowered(cavities_[node], lifted(left), node, right);
      }
    }
  }

 private:
  using Message = typename Model::Summary;
  struct Cavity {
    double mean, variance;
  };

  void read_clocks(const FlatTree& tree, const Model& model) {
    clocks_.assign(tree.times.begin(), tree.times.end());
    model.read_clocks(clocks_.data(), clocks_.size());
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) clocks_[node] = 0.0;
    }
  }

  void pass_up(const FlatTree& tree, const Rows& rows, const Model& model) {
    messages_.resize(tree.size());
    lifted_.resize(tree.size());
    for (std::size_t node = tree.size(); node-- > 0;) {
      if (tree.is_leaf(node)) {
        messages_[node] = {};
        for (const RowId row : tree.rows_of(node)) model.add(messages_[node], rows.labels[row], rows.weight(row));
      } else {
        const std::size_t left = node + 1, right = tree.right[node];
        for (const std::size_t child : {left, right}) {
          lifted_[child] = Model::diffuse(messages_[child].precision, clocks_[node] - clocks_[child]);
        }
        messages_[node] = Model::join(lifted(left), lifted(right));
      }
    }
  }

  /// A child's message as its parent hears it.
  [[nodiscard]] Message lifted(std::size_t child) const { return {lifted_[child], messages_[child].mean}; }
  static Cavity times_message(const Cavity& cavity, const Message& message) {
    const double k = message.precision * cavity.variance, left = 1.0 / (1.0 + k);
    return {cavity.mean + k * left * (message.mean - cavity.mean), cavity.variance * left};
  }
  [[nodiscard]] Cavity lowered(const Cavity& cavity, const Message& sibling, std::size_t parent,
                               std::size_t child) const {
    Cavity at_parent = times_message(cavity, sibling);
    at_parent.variance += std::max(clocks_[parent] - clocks_[child], 0.0);
    return at_parent;
  }

  template <class Hear>
  static void strike_out(std::span<const RowId> members, const Rows& rows, const Model& model, const Message& all,
                         const Cavity& cavity, Hear& hear) {
    for (const RowId row : members) {
      Cavity left = cavity;
      if (members.size() > 1 || rows.weight(row) > 1.0) {
        const double own = std::min(rows.weight(row), 1.0) * model.signal_to_noise;
        const double others = std::max(all.precision - own, 0.0);
        if (others > 0.0) {
          left = times_message(cavity, {others, all.mean - own / others * (rows.labels[row] - all.mean)});
        }
      }
      hear(row, left.mean, left.variance);
    }
  }

  std::vector<double> clocks_;
  std::vector<Message> messages_;
  std::vector<double> lifted_;  ///< precision of each message as the parent hears it; garbage at the root
  std::vector<Cavity> cavities_;
};

/// Leave-one-out predictions of all rows, by row number: moments of mu over the first trees.
struct LeftOut {
  std::vector<double> mean;     ///< mean over trees
  std::vector<double> within;   ///< mean over trees of the variance of mu, in units of gamma_1
  std::vector<double> between;  ///< variance over trees of the mean
};

template <class Clock>
LeftOut leave_one_out(const Forest<label::GaussianHierarchyBy<Clock>>& forest, label::Query query, std::size_t n_asked,
                      std::size_t n_threads) {
  struct Said {
    double mean = 0.0, variance = 0.0;
  };
  const std::size_t n = forest.rows.capacity();
  const std::size_t together = std::max<std::size_t>(1, n_threads);
  LeftOut found;
  for (auto* part : {&found.mean, &found.within, &found.between}) part->assign(n, 0.0);
  std::vector<std::vector<Said>> said(together, std::vector<Said>(n));
  std::vector<FlatTree> flat(together);
  std::vector<LeaveOneOut<Clock>> passes(together);
  const auto n_trees = static_cast<double>(n_asked);
  for (std::size_t begin = 0; begin < n_asked; begin += together) {  // sums in the order of the trees
    const std::size_t count = std::min(together, n_asked - begin);
    parallel::for_each_index(count, n_threads, [&](std::size_t index, std::size_t) {
      flat[index].assign(forest.trees[begin + index], forest.growth);
      passes[index].run(flat[index], forest.rows, forest.model, query.centre,
                        [&](RowId row, double mean, double variance) { said[index][row] = {mean, variance}; });
    });
    for (std::size_t index = 0; index < count; ++index) {
      const auto n_before = static_cast<double>(begin + index);
      for (std::size_t row = 0; row < n; ++row) {
        const auto& [mean, variance] = said[index][row];
        found.within[row] += variance / n_trees;
        const double gap = mean - found.mean[row];  // Welford
        found.mean[row] += gap / (n_before + 1.0);
        found.between[row] += gap * (mean - found.mean[row]) / n_trees;
      }
    }
  }
  return found;
}

/// What each tree says of some rows without their labels: means[i * n_trees + b] of the i-th of them, and variances of
/// mu in units of gamma_1.
struct LeftOutByTree {
  std::vector<double> means, variances;
};

template <class Clock>
LeftOutByTree leave_one_out_by_tree(const Forest<label::GaussianHierarchyBy<Clock>>& forest, label::Query query,
                                    std::span<const RowId> wanted, std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size();
  LeftOutByTree found{std::vector<double>(wanted.size() * n_trees), std::vector<double>(wanted.size() * n_trees)};
  std::vector<std::uint32_t> place(forest.rows.capacity(), none);
  for (std::size_t i = 0; i < wanted.size(); ++i) place[wanted[i]] = static_cast<std::uint32_t>(i);
  std::vector<FlatTree> flat(std::max<std::size_t>(1, n_threads));
  std::vector<LeaveOneOut<Clock>> passes(flat.size());
  parallel::for_each_index(n_trees, n_threads, [&](std::size_t b, std::size_t worker) {
    flat[worker].assign(forest.trees[b], forest.growth);
    passes[worker].run(flat[worker], forest.rows, forest.model, query.centre,
                       [&](RowId row, double mean, double variance) {
                         if (place[row] == none) return;
                         found.means[place[row] * n_trees + b] = mean;
                         found.variances[place[row] * n_trees + b] = variance;
                       });
  });
  return found;
}

/// The search for smoothing: a few trees, flattened once, asked again and again for their leave-one-out error. The
/// forest must outlive it and not change.
template <class Clock>
class SmoothingProblem {
 public:
  SmoothingProblem(const Forest<label::GaussianHierarchyBy<Clock>>& forest, std::size_t n_trees)
      : rows_(forest.rows),
        lifetime_(forest.growth.lifetime),
        n_grown_(static_cast<double>(forest.trees.size())),
        trees_(std::min(n_trees, forest.trees.size())) {
    for (std::size_t b = 0; b < trees_.size(); ++b) trees_[b].assign(forest.trees[b], forest.growth);
  }

  /// Mean over the rows of (label - leave-one-out mean)^2 under these numbers of the model, as all trees of the forest
  /// would have it: of what so few trees differ by, more trees would average most out.
  [[nodiscard]] double mean_square(double drift_rate, double signal_to_noise, double centre) {
    const auto model = label::GaussianHierarchyBy<Clock>::make(drift_rate, signal_to_noise, lifetime_);
    said_.assign(rows_.capacity(), {});
    for (const FlatTree& tree : trees_) {
      pass_.run(tree, rows_, model, centre, [&](RowId row, double mean, double) {
        said_[row].sum += mean - centre;
        said_[row].squares += (mean - centre) * (mean - centre);
      });
    }
    double squares = 0.0, weight = 0.0;
    const auto n = static_cast<double>(trees_.size());
    const double averaged_out = n > 1.0 ? (1.0 - n / n_grown_) / (n * (n - 1.0)) : 0.0;
    rows_.for_each([&](RowId row) {
      const double mean = said_[row].sum / n, miss = rows_.labels[row] - centre - mean;
      const double apart = std::max(said_[row].squares - n * mean * mean, 0.0);
      squares += rows_.weight(row) * (miss * miss - averaged_out * apart);
      weight += rows_.weight(row);
    });
    return squares / weight;
  }

 private:
  const Rows& rows_;
  struct Said {
    double sum = 0.0, squares = 0.0;
  };

  double lifetime_;
  double n_grown_;  ///< trees of the forest
  std::vector<FlatTree> trees_;
  std::vector<Said> said_;  ///< by row number: what the trees say, from the centre
  LeaveOneOut<Clock> pass_;
};

}  // namespace hedgerow::mondrian
