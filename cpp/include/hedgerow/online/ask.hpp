// SPDX-License-Identifier: BSD-3-Clause
// Questions to a whole online forest, whatever its leaves keep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/online/forest.hpp"

namespace hedgerow::online {

/// The mean over trees at each point, summed in the order of the trees.
template <LeafLabels L>
std::vector<double> predict_means(const Forest<L>& forest, const data::Points& points, std::size_t n_threads) {
  const std::size_t n_trees = forest.slots.size();
  const Answers answers = forest.predict(points.features, points.n, n_threads);
  std::vector<double> means(points.n, 0.0);
  for (std::size_t i = 0; i < points.n; ++i) {
    for (std::size_t b = 0; b < n_trees; ++b) means[i] += answers.means[i * n_trees + b];
    means[i] /= static_cast<double>(n_trees);
  }
  return means;
}

/// The number of the leaf in which each point falls, per tree: [i * n_trees + b].
template <LeafLabels L>
std::vector<std::uint32_t> find_leaves(const Forest<L>& forest, const data::Points& points, std::size_t n_threads) {
  const std::size_t n_trees = forest.slots.size();
  std::vector<std::uint32_t> found(points.n * n_trees);
  forest.for_each_point(points.features, points.n, n_threads, [&](std::size_t i, const Row& row) {
    for (std::size_t b = 0; b < n_trees; ++b) found[i * n_trees + b] = forest.slots[b].tree.leaf_of(row.x);
  });
  return found;
}

/// A count over all trees: the sum of f(slot).
template <LeafLabels L, class Function>
std::size_t sum_over_slots(const Forest<L>& forest, Function&& f) {
  std::size_t total = 0;
  for (const auto& slot : forest.slots) total += f(slot);
  return total;
}

template <LeafLabels L>
std::size_t n_nodes(const Forest<L>& forest) {
  return sum_over_slots(forest, [](const auto& slot) { return slot.tree.nodes.size(); });
}

template <LeafLabels L>
std::size_t n_bytes(const Forest<L>& forest) {
  return sum_over_slots(forest, [](const auto& slot) {
    return slot.tree.n_bytes() + (slot.background ? slot.background->n_bytes() : 0);
  });
}

template <LeafLabels L>
std::size_t depth(const HoeffdingTree<L>& tree) {
  std::vector<std::size_t> levels(tree.nodes.size(), 0);
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // children lie behind their parents
    deepest = std::max(deepest, levels[i]);
    if (!tree.nodes[i].is_leaf()) levels[tree.nodes[i].link] = levels[tree.nodes[i].link + 1] = levels[i] + 1;
  }
  return deepest;
}

/// That of the deepest tree.
template <LeafLabels L>
std::size_t depth(const Forest<L>& forest) {
  std::size_t deepest = 0;
  for (const auto& slot : forest.slots) deepest = std::max(deepest, depth(slot.tree));
  return deepest;
}

/// Of each feature: sum of squares explained by its splits, over all trees.
template <LeafLabels L>
std::vector<double> gains(const Forest<L>& forest) {
  std::vector<double> total(forest.growth.width, 0.0);
  for (const auto& slot : forest.slots) {
    for (std::size_t d = 0; d < slot.gains.size(); ++d) total[d] += slot.gains[d];
  }
  return total;
}

}  // namespace hedgerow::online
