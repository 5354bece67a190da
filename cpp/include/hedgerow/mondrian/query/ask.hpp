// SPDX-License-Identifier: BSD-3-Clause
// Questions to a whole forest, whatever its label model. Threads share out the points, and each point hears the trees
// in order, so sums have one order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/query/descend.hpp"
#include "hedgerow/mondrian/structure/check.hpp"
#include "hedgerow/mondrian/structure/structure_archive.hpp"

namespace hedgerow::mondrian {

using data::Points;

/// How many points a thread takes at once: all in equal parts, but not so many that a share outgrows the caches.
inline std::size_t share_of(std::size_t n, std::size_t n_threads) {
  constexpr std::size_t largest = 1 << 15;
  return std::max<std::size_t>(1, std::min(largest, (n + n_threads - 1) / n_threads));
}

/// f(scaled points of a share, index of the first, how many), in parallel.
template <label::LabelModel M, class Function>
void for_each_share(const Forest<M>& forest, const Points& points, std::size_t n_threads, Function&& f) {
  const std::size_t width = forest.rows.width();
  const std::size_t share = share_of(points.n, n_threads);
  parallel::for_each_index((points.n + share - 1) / share, n_threads, [&](std::size_t index, std::size_t) {
    const std::size_t begin = index * share;
    const std::size_t n = std::min(share, points.n - begin);
    std::vector<float> scaled(n * width);
    forest.scaling.scale_rows(points.features + begin * width, n, scaled.data());
    f(scaled.data(), begin, n);
  });
}

/// Numbers for the nodes of a tree that depend on its cuts only: those of a tree that was grown in batch.
inline std::vector<NodeId> numbers_in_order(const tree::Tree& shape) {
  std::vector<NodeId> order, numbers(shape.nodes.size(), none);
  append_preorder(shape, tree::Tree::root, order);
  if (!order.empty()) numbers[tree::Tree::root] = tree::Tree::root;
  std::size_t k = 0;
  for (const NodeId id : order) {
    const Node& node = shape.nodes[id];
    if (node.is_leaf()) continue;
    numbers[node.left()] = child_in_order(k);
    numbers[node.right()] = child_in_order(k) + 1;
    ++k;
  }
  return numbers;
}

/// The number of the leaf in which each point falls, per tree: leaves[i * n_trees + b].
template <label::LabelModel M>
std::vector<NodeId> find_leaves(const Forest<M>& forest, const Points& points, std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size(), width = forest.rows.width();
  std::vector<NodeId> leaves(points.n * n_trees);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < n_trees; ++b) {
        leaves[(begin + i) * n_trees + b] = leaf_of(forest.trees[b], scaled + i * width);
      }
    }
  });
  for (std::size_t b = 0; forest.keyed && b < n_trees; ++b) {
    const std::vector<NodeId> numbers = numbers_in_order(forest.trees[b].shape);
    for (std::size_t i = 0; i < points.n; ++i) leaves[i * n_trees + b] = numbers[leaves[i * n_trees + b]];
  }
  return leaves;
}

/// The cell in which each point falls, per tree, in the user's units: for each column the cut below it and the cut
/// above it, infinite where there is none. bounds[((i * n_trees + b) * width + d) * 2 + side].
template <label::LabelModel M>
std::vector<double> find_cells(const Forest<M>& forest, const Points& points, std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size(), width = forest.rows.width();
  std::vector<double> bounds(points.n * n_trees * width * 2);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < n_trees; ++b) {
        double* cell = bounds.data() + ((begin + i) * n_trees + b) * width * 2;
        for (std::size_t d = 0; d < width; ++d) {
          cell[2 * d] = -infinity;
          cell[2 * d + 1] = infinity;
        }
        const MondrianTree<M>& tree = forest.trees[b];
        for (NodeId id = tree.root; !tree.node(id).is_leaf();) {
          const auto& node = tree.node(id);
          const bool right = node.sends_right(scaled + i * width);
          cell[2 * node.feature + (right ? 0 : 1)] = forest.scaling.value(node.feature, node.location);
          id = node.child(right);
        }
      }
    }
  });
  return bounds;
}

/// Memory of the fitted forest: rows, nodes, boxes and summaries, as allocated.
template <label::LabelModel M>
std::size_t n_bytes(const Forest<M>& forest) {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  const Rows& rows = forest.rows;
  std::size_t total = size(rows.given) + size(rows.features) + size(rows.labels) + size(rows.weights) +
                      size(rows.freed) + size(rows.repeated) + forest.places.n_bytes();
  for (const auto& tree : forest.trees) {
    total += size(tree.shape.nodes.values()) + size(tree.shape.next_row.values()) +
             tree.shape.n_bytes_of_previous_rows() + tree.boxes.n_bytes() + size(tree.summaries.values()) +
             tree.crowds.n_bytes() + tree.keyed_cells.n_bytes();
    if constexpr (requires { tree.summaries[0].n_bytes(); }) {
      for (const auto& summary : tree.summaries.values()) total += summary.n_bytes();
    }
  }
  return total;
}

template <label::LabelModel M>
std::size_t n_nodes(const Forest<M>& forest) {
  std::size_t total = 0;
  std::vector<NodeId> order;
  for (const auto& tree : forest.trees) {
    order.clear();
    append_preorder(tree.shape, tree.root, order);
    total += order.size();
  }
  return total;
}

/// Inner nodes on the longest way from the root to a leaf.
template <label::LabelModel M>
std::size_t depth(const MondrianTree<M>& tree) {
  std::size_t deepest = 0;
  std::vector<std::pair<NodeId, std::size_t>> pending;
  if (!tree.shape.is_empty()) pending.emplace_back(tree.root, 0);
  while (!pending.empty()) {
    const auto [id, level] = pending.back();
    pending.pop_back();
    deepest = std::max(deepest, level);
    if (tree.node(id).is_leaf()) continue;
    pending.emplace_back(tree.node(id).left(), level + 1);
    pending.emplace_back(tree.node(id).right(), level + 1);
  }
  return deepest;
}

/// That of the deepest tree.
template <label::LabelModel M>
std::size_t depth(const Forest<M>& forest) {
  std::size_t deepest = 0;
  for (const auto& tree : forest.trees) deepest = std::max(deepest, depth(tree));
  return deepest;
}

/// Of all trees; see `check.hpp`.
template <label::LabelModel M>
std::vector<std::string> broken_rules(const Forest<M>& forest) {
  std::vector<std::string> broken;
  for (const auto& tree : forest.trees) {
    auto found = check_links(tree, forest.rows);
    if (found.empty()) found = check_blocks(tree, forest.rows, forest.growth, forest.model);
    broken.insert(broken.end(), found.begin(), found.end());
  }
  return broken;
}

}  // namespace hedgerow::mondrian
