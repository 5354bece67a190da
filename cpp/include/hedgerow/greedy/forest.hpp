// SPDX-License-Identifier: BSD-3-Clause
// A forest of greedy trees over binned columns: its mean, and the variance between trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hedgerow/greedy/tree.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/posterior_tree/binned_rows.hpp"

namespace hedgerow::greedy {

using posterior_tree::Points;

struct Forest {
  std::size_t n_outputs = 1;
  std::vector<std::vector<double>> cuts;  ///< of each column, rising; a value in bin b is at most cuts[b]
  std::vector<Tree> trees;
  std::vector<double> gains;  ///< of each column: what its cuts took off the squares

  [[nodiscard]] std::size_t width() const { return cuts.size(); }
};

/// Row by row: of each output the mean, and the variance between trees.
struct ForestMoments {
  std::vector<double> means, variances;
};

/// Sums of what trees predict of some rows, about zero; labels are about their mean.
struct TreeSums {
  std::vector<double> sums, squares;

  explicit TreeSums(std::size_t n = 0) : sums(n), squares(n) {}

  void add(std::size_t at, double predicted) {
    sums[at] += predicted;
    squares[at] += predicted * predicted;
  }

  [[nodiscard]] double mean(std::size_t at, std::size_t n_trees) const {
    return sums[at] / static_cast<double>(std::max<std::size_t>(n_trees, 1));
  }
  [[nodiscard]] double variance(std::size_t at, std::size_t n_trees) const {
    if (n_trees < 2) return 0.0;
    const double about = squares[at] - sums[at] * mean(at, n_trees);
    return std::max(about, 0.0) / static_cast<double>(n_trees - 1);
  }
};

inline ForestMoments predict(const Forest& forest, Points points, std::size_t n_threads) {
  const std::size_t width = forest.width(), n_outputs = forest.n_outputs, n_trees = forest.trees.size();
  // Every tree is fetched once for as many points as have bins that stay in the caches beside it.
  const std::size_t most =
      std::clamp<std::size_t>((std::size_t{1} << 19) / std::max<std::size_t>(width, 1), 512, 16384);
  const std::size_t block =
      std::clamp<std::size_t>((points.n + n_threads - 1) / std::max<std::size_t>(n_threads, 1), 1, most);
  ForestMoments found{std::vector<double>(points.n * n_outputs), std::vector<double>(points.n * n_outputs)};
  parallel::for_each_index((points.n + block - 1) / block, n_threads, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * block, n = std::min(block, points.n - first);
    std::vector<Bin> bins(n * width);
    for (std::size_t i = 0; i < n; ++i) {
      const double* const row = points.values + (first + i) * width;
      for (std::size_t d = 0; d < width; ++d) {
        bins[i * width + d] = posterior_tree::bin_among(forest.cuts[d], row[d]);
      }
    }
    TreeSums sums(n * n_outputs);
    std::vector<NodeId> leaves(n + 1);
    for (const Tree& tree : forest.trees) {
      tree.find_all(bins.data(), width, n, leaves.data());
      for (std::size_t i = 0; i < n; ++i) {
        const float* const values = tree.values.data() + tree.nodes[leaves[i]].code * n_outputs;
        for (std::size_t k = 0; k < n_outputs; ++k) sums.add(i * n_outputs + k, static_cast<double>(values[k]));
      }
    }
    for (std::size_t at = 0; at < n * n_outputs; ++at) {
      found.means[first * n_outputs + at] = sums.mean(at, n_trees);
      found.variances[first * n_outputs + at] = sums.variance(at, n_trees);
    }
  });
  return found;
}

}  // namespace hedgerow::greedy
