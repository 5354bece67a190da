// SPDX-License-Identifier: BSD-3-Clause
// The mixture over trees and nodes of document 000, equation 5, as moments or as its components.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/ask.hpp"
#include "hedgerow/mondrian/predict.hpp"
#include "hedgerow/mondrian/query_rule.hpp"

namespace hedgerow::mondrian {

/// Mean and variance of the mixture at each point.
template <label::GaussianModel M>
void predict_moments(const Forest<M>& forest, const Points& points, const label::Query& query, std::size_t n_threads,
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

template <label::GaussianModel M>
Mixtures predict_mixtures(const Forest<M>& forest, const Points& points, const label::Query& query,
                          std::size_t n_threads) {
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
template <label::GaussianModel M>
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

}  // namespace hedgerow::mondrian
