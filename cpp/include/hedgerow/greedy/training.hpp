// SPDX-License-Identifier: BSD-3-Clause
// Growing a forest whose predictions of its own rows are honest. Rows are in folds, and every tree leaves one fold out;
// a round grows one tree for each fold. What the trees without a row's fold predict of it has not seen its label. How
// much the means of nodes are shrunk is chosen by the error of these predictions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/greedy/forest.hpp"
#include "hedgerow/greedy/grow_tree.hpp"
#include "hedgerow/greedy/node_means.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::greedy {

struct TrainingRows {
  Points points;
  std::vector<double> labels;        ///< row by row, about zero
  std::vector<double> weights;       ///< of each row; one on average
  std::vector<std::uint32_t> folds;  ///< of each row
  std::size_t n_outputs, n_folds;
};

class Training {
 public:
  static constexpr std::array<double, 5> shrinkages{0.0, 1.0, 4.0, 16.0, 64.0};
  static constexpr std::size_t most_labels = 4;  ///< more outputs than this are projected onto so many, in each tree

  Training(TrainingRows rows, std::size_t min_leaf, std::uint64_t seed, std::size_t n_threads)
      : Training(BinnedRows(rows.points, n_threads), std::move(rows), min_leaf, seed) {}

  [[nodiscard]] std::size_t n_outputs() const { return rows_.n_outputs; }
  [[nodiscard]] std::size_t n_rounds() const { return n_rounds_; }

  /// One more tree without each fold. Trees of a round leave out different rows, so threads do not meet.
  void grow_round(std::size_t n_threads) {
    const std::size_t first = forest_.trees.size();
    std::vector<Tree> grown(rows_.n_folds);
    std::vector<NodeMeans> means(rows_.n_folds);
    std::vector<std::vector<double>> gains(rows_.n_folds, std::vector<double>(bins_.width));
    parallel::for_each_index(rows_.n_folds, n_threads, [&](std::size_t fold, std::size_t) {
      means[fold] = grow(grown[fold], fold, static_cast<std::uint32_t>(first + fold), gains[fold]);
      predict_left_out(grown[fold], means[fold], fold);
    });
    for (std::size_t fold = 0; fold < rows_.n_folds; ++fold) {
      forest_.trees.push_back(std::move(grown[fold]));
      means_.push_back(std::move(means[fold]));
      for (std::size_t d = 0; d < bins_.width; ++d) forest_.gains[d] += gains[fold][d];
    }
    ++n_rounds_;
  }

  /// The shrinkage with the smallest error of what is predicted of rows without their fold.
  [[nodiscard]] std::size_t best_shrinkage() const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t which = 0; which < shrinkages.size(); ++which) {
      double error = 0.0;
      for (std::size_t row = 0; row < bins_.n_rows; ++row) {
        for (std::size_t at = row * rows_.n_outputs; at < (row + 1) * rows_.n_outputs; ++at) {
          const double miss = rows_.labels[at] - left_out_[which].mean(at, n_rounds());
          error += rows_.weights[row] * miss * miss;
        }
      }
      if (error < least) least = error, best = which;
    }
    return best;
  }

  [[nodiscard]] ForestMoments left_out(std::size_t which) const {
    const std::size_t n = rows_.labels.size();
    ForestMoments found{std::vector<double>(n), std::vector<double>(n)};
    for (std::size_t at = 0; at < n; ++at) {
      found.means[at] = left_out_[which].mean(at, n_rounds());
      found.variances[at] = left_out_[which].variance(at, n_rounds());
    }
    return found;
  }

  /// The forest, which is handed over.
  [[nodiscard]] Forest finish(std::size_t which, std::size_t n_threads) {
    parallel::for_each_index(forest_.trees.size(), n_threads, [&](std::size_t t, std::size_t) {
      forest_.trees[t].values = means_[t].leaf_values(forest_.trees[t].nodes, shrinkages[which]);
      means_[t] = NodeMeans();
    });
    return std::move(forest_);
  }

 private:
  Training(const BinnedRows& data, TrainingRows rows, std::size_t min_leaf, std::uint64_t seed)
      : bins_(data),
        units_(data.positions.begin(), data.positions.end()),
        rows_(std::move(rows)),
        min_leaf_(min_leaf),
        seed_(seed) {
    has_weights_ = std::ranges::any_of(rows_.weights, [](double weight) { return weight != 1.0; });
    if (bins_.width > most_features) throw std::length_error("more than 2^24 columns");
    if (rows_.n_folds < 2) throw std::invalid_argument("fewer than two folds");
    std::vector<std::size_t> n_rows(rows_.n_folds);
    for (const std::uint32_t fold : rows_.folds) {
      if (fold >= rows_.n_folds) throw std::invalid_argument("a fold that there is not");
      ++n_rows[fold];
    }
    if (std::ranges::count(n_rows, 0) > 0) throw std::invalid_argument("a fold without rows");
    forest_.n_outputs = rows_.n_outputs;
    forest_.cuts = data.cuts;
    forest_.gains.assign(bins_.width, 0.0);
    of_fold_.resize(rows_.n_folds);
    for (RowId row = 0; row < bins_.n_rows; ++row) of_fold_[rows_.folds[row]].push_back(row);
    for (TreeSums& sums : left_out_) sums = TreeSums(bins_.n_rows * rows_.n_outputs);
  }

  /// Grows a tree without a fold, and returns the means of its nodes.
  [[nodiscard]] NodeMeans grow(Tree& tree, std::size_t fold, std::uint32_t number, std::vector<double>& gains) const {
    const auto of = [&]<std::size_t n_labels>() {
      return has_weights_ ? grow<n_labels, true>(tree, fold, number, gains)
                          : grow<n_labels, false>(tree, fold, number, gains);
    };
    switch (std::min(rows_.n_outputs, most_labels)) {
      case 1:
        return of.template operator()<1>();
      case 2:
        return of.template operator()<2>();
      case 3:
        return of.template operator()<3>();
      default:
        return of.template operator()<most_labels>();
    }
  }

  template <std::size_t n_labels, bool has_weights>
  [[nodiscard]] NodeMeans grow(Tree& tree, std::size_t fold, std::uint32_t number, std::vector<double>& gains) const {
    using Grower = TreeGrower<n_labels, has_weights>;
    const std::size_t n_outputs = rows_.n_outputs;
    random::Stream stream(seed_, random::Purpose::greedy_cut, number, 0);
    // Joly, Geurts and Wehenkel (2014): random projections of many outputs tell rows apart nearly as well as all.
    std::vector<double> directions(n_outputs > n_labels ? n_outputs * n_labels : 0);
    for (double& one : directions) one = random::draw_normal(stream);
    std::vector<RowId> rows;
    std::vector<typename Grower::Numbers> numbers;
    for (RowId row = 0; row < bins_.n_rows; ++row) {
      if (rows_.folds[row] == fold || rows_.weights[row] == 0.0) continue;  // what weighs nothing says nothing
      rows.push_back(row);
      const double* const own = rows_.labels.data() + row * n_outputs;
      auto& all = numbers.emplace_back();
      for (std::size_t k = 0; k < n_labels; ++k) {
        double label = directions.empty() ? own[k] : 0.0;
        for (std::size_t j = 0; j < directions.size() / n_labels; ++j) label += own[j] * directions[k * n_outputs + j];
        all[k] = static_cast<float>(label);
      }
      if constexpr (has_weights) all[n_labels] = static_cast<float>(rows_.weights[row]);
    }
    Grower grower(bins_, units_, std::move(rows), std::move(numbers), min_leaf_, random::SplitMix(stream));
    auto grown = std::move(grower).grow(gains);
    tree.nodes = std::move(grown.nodes);
    const auto label = [&](std::size_t i, std::size_t k) { return rows_.labels[grown.rows[i] * n_outputs + k]; };
    return {tree.nodes, grown.leaves, n_outputs, label, [&](std::size_t i) { return rows_.weights[grown.rows[i]]; }};
  }

  /// Tells the fold that was left out what the tree predicts of it.
  void predict_left_out(const Tree& tree, const NodeMeans& means, std::size_t fold) {
    const std::vector<RowId>& rows = of_fold_[fold];
    const std::size_t n_outputs = rows_.n_outputs;
    std::vector<NodeId> leaves;
    for (const RowId row : rows) leaves.push_back(tree.find(bins_[row]));
    std::vector<float> predicted;
    for (std::size_t which = 0; which < shrinkages.size(); ++which) {
      means.shrink(tree.nodes, shrinkages[which], predicted);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        for (std::size_t k = 0; k < n_outputs; ++k) {
          const float own = predicted[leaves[i] * n_outputs + k];
          left_out_[which].add(rows[i] * n_outputs + k, static_cast<double>(own));
        }
      }
    }
  }

  RowBins bins_;
  std::vector<CutUnits> units_;
  TrainingRows rows_;
  std::size_t min_leaf_;
  bool has_weights_ = false;
  std::uint64_t seed_;
  std::size_t n_rounds_ = 0;  ///< which is known after the forest is handed over, too
  Forest forest_;
  std::vector<NodeMeans> means_;                      ///< of each tree
  std::vector<std::vector<RowId>> of_fold_;           ///< rows of each fold
  std::array<TreeSums, shrinkages.size()> left_out_;  ///< of each shrinkage, over the trees without a row's fold
};

}  // namespace hedgerow::greedy
