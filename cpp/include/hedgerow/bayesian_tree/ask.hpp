// SPDX-License-Identifier: BSD-3-Clause
// Predictions of a sample of trees: each tree predicts what the leaf of a point does, and trees are averaged by weight,
// in their order, so that the number of threads changes nothing.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hedgerow/bayesian_tree/tree_sample.hpp"
#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::bayesian_tree {

/// f(point, tree, leaf): some points at a time go through all trees, because a tree then stays in the cache.
template <class Function>
void for_each_leaf(const TreeSample& sample, Points points, std::size_t n_threads, Function&& f) {
  constexpr std::size_t at_once = 64;
  parallel::for_each_index((points.n + at_once - 1) / at_once, n_threads, [&](std::size_t group, std::size_t) {
    const std::size_t end = std::min(points.n, (group + 1) * at_once);
    for (std::size_t t = 0; t < sample.n_trees(); ++t) {
      const auto tree = sample.tree(t);
      for (std::size_t i = group * at_once; i < end; ++i) f(i, t, find_leaf(tree, points.values + i * points.width));
    }
  });
}

/// Probability of each class at each point, (c_k + alpha / K) / (n + alpha) in a leaf: `found` has a row a point.
inline void ask_classes(const TreeSample& sample, const label::DirichletMultinomial& model, Points points,
                        std::size_t n_threads, double* found) {
  const std::size_t n_classes = model.n_classes();
  std::vector<double> totals(sample.n_leaves(), model.concentration());
  for (std::size_t l = 0; l < totals.size(); ++l) {
    const auto numbers = sample.leaf(l);
    for (std::size_t i = 1; i < numbers.size(); i += 2) totals[l] += numbers[i];
  }
  std::fill(found, found + points.n * n_classes, 0.0);
  std::vector<double> spread(points.n, 0.0);  // the part that all classes get
  for_each_leaf(sample, points, n_threads, [&](std::size_t point, std::size_t t, std::uint32_t leaf) {
    const double scale = sample.weights[t] / totals[leaf];
    const auto numbers = sample.leaf(leaf);
    spread[point] += scale * model.share();
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      found[point * n_classes + static_cast<std::size_t>(numbers[i])] += scale * numbers[i + 1];
    }
  });
  for (std::size_t i = 0; i < points.n * n_classes; ++i) found[i] += spread[i / n_classes];
}

/// The different leaves of a point, in rising order, and the weight of the trees that have it there.
using WeightedLeaves = std::vector<std::pair<std::uint32_t, double>>;

inline std::vector<WeightedLeaves> ask_leaves(const TreeSample& sample, Points points, std::size_t n_threads) {
  std::vector<WeightedLeaves> found(points.n);
  for_each_leaf(sample, points, n_threads, [&](std::size_t point, std::size_t t, std::uint32_t leaf) {
    found[point].push_back({leaf, sample.weights[t]});
    if (t + 1 < sample.n_trees()) return;
    auto& leaves = found[point];
    std::ranges::stable_sort(leaves, {}, &std::pair<std::uint32_t, double>::first);
    std::size_t last = 0;
    for (std::size_t i = 1; i < leaves.size(); ++i) {
      if (leaves[i].first == leaves[last].first) {
        leaves[last].second += leaves[i].second;
      } else {
        leaves[++last] = leaves[i];
      }
    }
    leaves.resize(last + 1);
  });
  return found;
}

/// The same for all points, one after another.
struct LeafMixtures {
  std::vector<std::int64_t> first{0};  ///< of each point, and where the last one ends
  std::vector<std::uint32_t> leaves;
  std::vector<double> weights;
};

inline LeafMixtures ask_mixtures(const TreeSample& sample, Points points, std::size_t n_threads) {
  LeafMixtures mixtures;
  for (const WeightedLeaves& found : ask_leaves(sample, points, n_threads)) {
    for (const auto& [leaf, weight] : found) {
      mixtures.leaves.push_back(leaf);
      mixtures.weights.push_back(weight);
    }
    mixtures.first.push_back(static_cast<std::int64_t>(mixtures.leaves.size()));
  }
  return mixtures;
}

/// Degrees of freedom, location and scale of what each leaf predicts.
inline std::vector<double> leaf_students(const TreeSample& sample, const label::NormalInverseGamma& model) {
  std::vector<double> found;
  label::LabelMoments summary;
  for (std::size_t l = 0; l < sample.n_leaves(); ++l) {
    label::NormalInverseGamma::read(sample.leaf(l), summary);
    const label::Student student = model.predictive(summary);
    found.insert(found.end(), {student.df, student.location, student.scale});
  }
  return found;
}

}  // namespace hedgerow::bayesian_tree
