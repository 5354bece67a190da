// SPDX-License-Identifier: BSD-3-Clause
// Leave-one-out of a whole forest: what its trees say together of each row without that row's label, and how far off
// that is under other numbers of the label model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/leave_one_out/tree_passes.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::mondrian {

/// Leave-one-out predictions of all rows, by row number: moments of mu over the first trees. Labels of `length`
/// components have as many means, and variances between means.
struct LeftOut {
  std::vector<double> mean;     ///< mean over trees
  std::vector<double> within;   ///< mean over trees of the variance of mu, in units of gamma_1
  std::vector<double> between;  ///< variance over trees of the mean
};

/// ask(pass, tree, hear): one tree, flattened, is asked for what it says of rows without some labels.
template <label::LabelModel M, class Ask>
LeftOut leave_out(const Forest<M>& forest, std::size_t most_trees, std::size_t n_threads, Ask&& ask) {
  const std::size_t n_asked = std::min(most_trees, forest.trees.size());
  const std::size_t n = forest.rows.capacity(), length = labels_of(forest.rows, forest.model).length;
  const std::size_t together = std::max<std::size_t>(1, n_threads);
  struct Said {
    std::vector<typename LeaveOneOutOf<M>::Value> means;
    std::vector<double> variances;
  };
  LeftOut found{std::vector<double>(n * length), std::vector<double>(n), std::vector<double>(n * length)};
  std::vector<Said> said(together);
  std::vector<FlatTree> flat(together);
  std::vector<LeaveOneOutOf<M>> passes(together);
  const auto n_trees = static_cast<double>(n_asked);
  for (std::size_t begin = 0; begin < n_asked; begin += together) {  // sums in the order of the trees
    const std::size_t count = std::min(together, n_asked - begin);
    parallel::for_each_index(count, n_threads, [&](std::size_t index, std::size_t) {
      Said& own = said[index];
      own.means.resize(n * length);
      own.variances.resize(n);
      parallel::may_stop();
      flat[index].assign(forest.trees[begin + index], forest.rows, forest.growth);
      ask(passes[index], flat[index], [&](RowId row, const auto* mean, double variance) {
        std::copy_n(mean, length, own.means.data() + row * length);
        own.variances[row] = variance;
      });
    });
    for (std::size_t index = 0; index < count; ++index) {
      const auto n_before = static_cast<double>(begin + index);
      const auto& [means, variances] = said[index];
      for (std::size_t row = 0; row < n; ++row) found.within[row] += variances[row] / n_trees;
      for (std::size_t i = 0; i < n * length; ++i) {
        const double mean = means[i], gap = mean - found.mean[i];  // Welford
        found.mean[i] += gap / (n_before + 1.0);
        found.between[i] += gap * (mean - found.mean[i]) / n_trees;
      }
    }
  }
  return found;
}

template <label::LabelModel M>
LeftOut leave_one_out(const Forest<M>& forest, double centre, Groups groups, std::size_t n_asked,
                      std::size_t n_threads) {
  const auto labels = labels_of(forest.rows, forest.model);
  return leave_out(forest, n_asked, n_threads, [&](auto& pass, const FlatTree& tree, auto&& hear) {
    pass.run(tree, forest.rows, labels, smoothing_of(forest.model), centre, groups, hear);
  });
}

/// Each row as predicted without the labels of its whole block; blocks are numbered from 0, by row number. Rows of no
/// block (`none`) have zeros.
template <label::LabelModel M>
LeftOut leave_blocks_out(const Forest<M>& forest, double centre, std::span<const std::uint32_t> blocks,
                         std::uint32_t n_blocks, std::size_t n_asked, std::size_t n_threads) {
  if (blocks.size() != forest.rows.capacity()) throw std::invalid_argument("every row needs a block, or none");
  const auto labels = labels_of(forest.rows, forest.model);
  return leave_out(forest, n_asked, n_threads, [&](auto& pass, const FlatTree& tree, auto&& hear) {
    for (std::uint32_t block = 0; block < n_blocks; ++block) {
      pass.run_without(
          tree, forest.rows, labels, smoothing_of(forest.model), centre,
          [&](RowId row) { return blocks[row] == block; }, hear);
    }
  });
}

/// What each tree says of some rows without their labels: means[i * n_trees + b] of the i-th of them, and variances of
/// mu in units of gamma_1.
struct LeftOutByTree {
  std::vector<double> means, variances;
};

template <class Clock>
LeftOutByTree leave_one_out_by_tree(const Forest<label::GaussianHierarchyBy<Clock>>& forest, double centre,
                                    Groups groups, std::span<const RowId> wanted, std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size();
  LeftOutByTree found{std::vector<double>(wanted.size() * n_trees), std::vector<double>(wanted.size() * n_trees)};
  std::vector<std::uint32_t> place(forest.rows.capacity(), none);
  for (std::size_t i = 0; i < wanted.size(); ++i) place[wanted[i]] = static_cast<std::uint32_t>(i);
  std::vector<FlatTree> flat(std::max<std::size_t>(1, n_threads));
  std::vector<LeaveOneOutOf<label::GaussianHierarchyBy<Clock>>> passes(flat.size());
  parallel::for_each_index(n_trees, n_threads, [&](std::size_t b, std::size_t worker) {
    parallel::may_stop();
    flat[worker].assign(forest.trees[b], forest.rows, forest.growth);
    passes[worker].run(flat[worker], forest.rows, NumberLabels{forest.rows}, forest.model, centre, groups,
                       [&](RowId row, const double* mean, double variance) {
                         if (place[row] == none) return;
                         found.means[place[row] * n_trees + b] = *mean;
                         found.variances[place[row] * n_trees + b] = variance;
                       });
  });
  return found;
}

/// What trees say, from the centre, added up.
struct Sums {
  double sum = 0.0, squares = 0.0;
  void hear(double value) {
    sum += value;
    squares += value * value;
  }
};

/// The search for smoothing: a few trees, flattened once, asked again and again for their leave-one-out error. The
/// forest must outlive it and not change.
template <label::LabelModel M>
class SmoothingProblem {
 public:
  SmoothingProblem(const Forest<M>& forest, std::size_t n_trees, std::vector<std::uint32_t> groups)
      : rows_(forest.rows),
        groups_(std::move(groups)),
        model_(forest.model),
        lifetime_(forest.growth.lifetime),
        n_grown_(static_cast<double>(forest.trees.size())),
        trees_(std::min(n_trees, forest.trees.size())) {
    for (std::size_t b = 0; b < trees_.size(); ++b) {
      parallel::may_stop();
      trees_[b].assign(forest.trees[b], forest.rows, forest.growth);
    }
  }

  /// Mean over the rows of |label - leave-one-out mean|^2 under these numbers of the model, as all trees of the forest
  /// would have it: of what so few trees differ by, more trees would average most out.
  [[nodiscard]] double mean_square(double drift_rate, double signal_to_noise, double centre) {
    using Smoothing = std::decay_t<decltype(smoothing_of(model_))>;
    const auto labels = labels_of(rows_, model_);
    const std::size_t length = labels.length;
    said_.assign(rows_.capacity() * length, {});
    for (const FlatTree& tree : trees_) {
      parallel::may_stop();
      pass_.run(tree, rows_, labels, Smoothing::make(drift_rate, signal_to_noise, lifetime_), centre, groups_,
                [&](RowId row, const auto* mean, double) {
                  for (std::size_t k = 0; k < length; ++k) said_[row * length + k].hear(mean[k] - centre);
                });
    }
    double squares = 0.0, weight = 0.0;
    const auto n = static_cast<double>(trees_.size());
    const double averaged_out = n > 1.0 ? (1.0 - n / n_grown_) / (n * (n - 1.0)) : 0.0;
    rows_.for_each([&](RowId row) {
      for (std::size_t k = 0; k < length; ++k) {
        const Sums& said = said_[row * length + k];
        const double mean = said.sum / n, miss = labels[row][k] - centre - mean;
        const double apart = std::max(said.squares - n * mean * mean, 0.0);
        squares += rows_.weight(row) * (miss * miss - averaged_out * apart);
      }
      weight += rows_.weight(row);
    });
    return squares / weight;
  }

 private:
  const Rows& rows_;
  std::vector<std::uint32_t> groups_;  ///< rows left out together
  const M& model_;
  double lifetime_;
  double n_grown_;  ///< trees of the forest
  std::vector<FlatTree> trees_;
  std::vector<Sums> said_;  ///< by row number and component
  LeaveOneOutOf<M> pass_;
};

}  // namespace hedgerow::mondrian
