// SPDX-License-Identifier: BSD-3-Clause
// Questions to a whole forest: the mixture over trees and nodes of document 000, equation 5, as moments or as its
// components. Threads share out the points, and each point hears the trees in order, so sums have one order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/predict.hpp"
#include "hedgerow/mondrian/query_rule.hpp"

namespace hedgerow::mondrian {

/// Points to be asked about, as the user gave them: n of them, row-major.
struct Points {
  const double* features;
  std::size_t n;
};

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
    for (std::size_t i = 0; i < n; ++i) {
      forest.scaling.scale_row(points.features + (begin + i) * width, scaled.data() + i * width);
    }
    f(scaled.data(), begin, n);
  });
}

/// Mean and variance of the mixture at each point.
template <label::LabelModel M>
void predict_moments(const Forest<M>& forest, const Points& points, label::Query query, std::size_t n_threads,
                     double* mean, double* variance) {
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    std::vector<Moments> moments(n);
    Descender<M> descender;
    if (n == 1) fetch_paths(forest.trees, forest.rows, scaled);
    for (const auto& tree : forest.trees) {
      const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
      if (n > 1) {
        descender.descend(asking, scaled, n, moments.data());
      } else {
        walk(asking, scaled,
             [&](double weight, const label::Gaussian& part) { moments[0].hear(weight, part, query.centre); });
      }
    }
    const double n_trees = static_cast<double>(forest.trees.size());
    for (std::size_t i = 0; i < n; ++i) {
      const double shifted = moments[i].mean / n_trees;
      mean[begin + i] = query.centre + shifted;
      variance[begin + i] = std::max(0.0, moments[i].square / n_trees - shifted * shifted);
    }
  });
}

/// A mixture of Gaussians for each of n points: point i owns the components first[i] .. first[i + 1] - 1.
struct Mixtures {
  std::vector<std::int64_t> first{0};
  std::vector<double> weights, means, variances;

  void push(double weight, const label::Gaussian& part) {
    weights.push_back(weight);
    means.push_back(part.mean);
    variances.push_back(part.variance);
  }
  /// The components of one point of another such set, added to the last point of this one.
  void append(const Mixtures& other, std::size_t point) {
    const auto begin = static_cast<std::ptrdiff_t>(other.first[point]),
               end = static_cast<std::ptrdiff_t>(other.first[point + 1]);
    weights.insert(weights.end(), other.weights.begin() + begin, other.weights.begin() + end);
    means.insert(means.end(), other.means.begin() + begin, other.means.begin() + end);
    variances.insert(variances.end(), other.variances.begin() + begin, other.variances.begin() + end);
  }
};

template <label::LabelModel M>
Mixtures predict_mixtures(const Forest<M>& forest, const Points& points, label::Query query, std::size_t n_threads) {
  const std::size_t width = forest.rows.width();
  const std::size_t share_size = share_of(points.n, n_threads);
  std::vector<Mixtures> found((points.n + share_size - 1) / share_size);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    Mixtures& share = found[begin / share_size];
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto& tree : forest.trees) {
        const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
        walk(asking, scaled + i * width, [&](double weight, const label::Gaussian& part) {
          share.push(weight / static_cast<double>(forest.trees.size()), part);
        });
      }
      share.first.push_back(static_cast<std::int64_t>(share.weights.size()));
    }
  });
  Mixtures all;
  for (const Mixtures& share : found) {
    for (std::size_t i = 0; i + 1 < share.first.size(); ++i) {
      all.append(share, i);
      all.first.push_back(static_cast<std::int64_t>(all.weights.size()));
    }
  }
  return all;
}

/// The mixture of each row of the batch just before the forest learns it.
template <label::LabelModel M>
Mixtures predict_then_learn(Forest<M>& forest, const Batch& batch, const QueryRule& rule, std::size_t n_threads) {
  std::vector<label::Query> queries;
  std::vector<Mixtures> per_tree(forest.trees.size());
  forest.learn(
      batch, n_threads, [&](std::size_t) { queries.push_back(rule.at(forest.labels_seen)); },
      [&](std::size_t b, RowId row, std::size_t i) {
        Mixtures& found = per_tree[b];
        if (!forest.trees[b].shape.is_empty()) {
          const Asking<M> asking{forest.trees[b], forest.rows, forest.growth, forest.model, queries[i]};
          walk(asking, forest.rows.row(row), [&](double weight, const label::Gaussian& part) {
            found.push(weight / static_cast<double>(forest.trees.size()), part);
          });
        }
        found.first.push_back(static_cast<std::int64_t>(found.weights.size()));
      });
  Mixtures all;
  for (std::size_t i = 0; i < batch.n; ++i) {
    for (const Mixtures& found : per_tree) all.append(found, i);
    if (static_cast<std::int64_t>(all.weights.size()) == all.first.back()) {  // no row before this one
      all.push(1.0, {queries[i].centre, queries[i].variance});
    }
    all.first.push_back(static_cast<std::int64_t>(all.weights.size()));
  }
  return all;
}

/// The number of the leaf in which each point falls, per tree: leaves[i * n_trees + b].
template <label::LabelModel M>
void find_leaves(const Forest<M>& forest, const Points& points, std::size_t n_threads, NodeId* leaves) {
  const std::size_t n_trees = forest.trees.size(), width = forest.rows.width();
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < n_trees; ++b) {
        leaves[(begin + i) * n_trees + b] = leaf_of(forest.trees[b], scaled + i * width);
      }
    }
  });
}

/// Memory of the fitted forest: rows, nodes, boxes and summaries, as allocated.
template <label::LabelModel M>
std::size_t n_bytes(const Forest<M>& forest) {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  const Rows& rows = forest.rows;
  std::size_t total =
      size(rows.features) + size(rows.labels) + size(rows.weights) + size(rows.prints) + size(rows.freed);
  for (const auto& tree : forest.trees) {
    total += size(tree.shape.nodes) + size(tree.shape.next_row) + size(tree.boxes.corners) + size(tree.boxes.freed) +
             size(tree.summaries);
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

}  // namespace hedgerow::mondrian
