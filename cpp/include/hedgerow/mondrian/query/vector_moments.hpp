// SPDX-License-Identifier: BSD-3-Clause
// Means of vectors with the doubt about them. As for numbers, a point outside all rows keeps the mean of the nearest
// point of the rows' box, and is as doubtful as it is where it lies.
#pragma once

#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/query/ask_vectors.hpp"

namespace hedgerow::mondrian {

/// Of n points, vectors of `length` components each.
struct VectorMoments {
  VectorMoments(std::size_t n, std::size_t length)
      : mean(n * length), within(n), between(n * length), added(n), length_(length) {}

  std::vector<double> mean;     ///< mean over trees
  std::vector<double> within;   ///< mean over trees of the variance of mu, in units of gamma_1
  std::vector<double> between;  ///< variance over trees of the mean
  std::vector<double> added;    ///< what gaps between rows add

  /// What the next tree, of so many, says of n points from `begin` on.
  void hear(std::size_t begin, std::size_t n, std::size_t tree, std::size_t n_trees, const double* means,
            const double* variances) {
    const auto before = static_cast<double>(tree), all = static_cast<double>(n_trees);
    for (std::size_t i = 0; i < n; ++i) within[begin + i] += variances[i] / all;
    for (std::size_t i = 0; i < n * length_; ++i) {
      double& own = mean[begin * length_ + i];
      const double gap = means[i] - own;  // Welford
      own += gap / (before + 1.0);
      between[begin * length_ + i] += gap * (means[i] - own) / all;
    }
  }

 private:
  std::size_t length_;
};

/// Asks one tree after another; one a thread.
class VectorAsker {
 public:
  using Model = label::VectorHierarchy;

  void ask(const Asking<Model>& asking, const float* points, const Outsiders& outsiders, std::size_t n, double* means,
           double* variances) {
    averager_.average(asking, points, n, means, variances);
    if (outsiders.index.empty()) return;
    const std::size_t length = asking.model.length();
    entered_.resize(outsiders.index.size() * length);
    averager_.average(asking, outsiders.entries.data(), outsiders.index.size(), entered_.data());
    for (std::size_t k = 0; k < outsiders.index.size(); ++k) {
      std::copy_n(entered_.data() + k * length, length, means + outsiders.index[k] * length);
    }
  }

 private:
  VectorAverager averager_;
  std::vector<double> entered_;
};

inline VectorMoments predict_vector_moments(const VectorForest& forest, const Points& points, std::size_t n_threads) {
  const std::size_t length = forest.model.length(), n_trees = forest.trees.size();
  VectorMoments found(points.n, length);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    VectorAsker asker;
    std::vector<double> means(n * length), variances(n);
    const Outsiders outsiders(forest, scaled, n);
    if (n == 1) fetch_paths(forest.trees, forest.rows, scaled);
    for (std::size_t b = 0; b < n_trees; ++b) {
      asker.ask({forest.trees[b], forest.rows, forest.growth, forest.model, {}}, scaled, outsiders, n, means.data(),
                variances.data());
      found.hear(begin, n, b, n_trees, means.data(), variances.data());
    }
    for (std::size_t i = begin; i < begin + n; ++i) {
      found.added[i] = forest.gaps.added(points.features + i * forest.rows.width());
    }
  });
  return found;
}

/// The same of each row of the batch just before the forest learns it. Before the first row the mean is zero, and the
/// variance all that there is.
inline VectorMoments predict_vector_moments_then_learn(VectorForest& forest, const Batch& batch,
                                                       std::size_t n_threads) {
  const std::size_t length = forest.model.length(), n_trees = forest.trees.size();
  const std::size_t width = forest.rows.width();
  VectorMoments found(batch.n, length);
  std::vector<VectorAsker> askers(std::max<std::size_t>(1, n_threads));
  std::vector<std::vector<double>> means(n_trees, std::vector<double>(batch.n * length));
  std::vector<std::vector<double>> variances(n_trees, std::vector<double>(batch.n, forest.model.clock(0.0)));
  forest.learn(
      batch, n_threads, [&](std::size_t i) { found.added[i] = forest.gaps.added(batch.features + i * width); },
      [&](std::size_t b, RowId row, std::size_t i, std::size_t worker) -> const double* {
        const auto& tree = forest.trees[b];
        if (tree.shape.is_empty()) return nullptr;
        const float* const x = forest.rows.row(row);
        askers[worker].ask({tree, forest.rows, forest.growth, forest.model, {}}, x, Outsiders(tree, forest.rows, x, 1),
                           1, means[b].data() + i * length, variances[b].data() + i);
        return nullptr;
      });
  for (std::size_t b = 0; b < n_trees; ++b) {
    found.hear(0, batch.n, b, n_trees, means[b].data(), variances[b].data());
  }
  return found;
}

}  // namespace hedgerow::mondrian
