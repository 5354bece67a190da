// SPDX-License-Identifier: BSD-3-Clause
// The mixture over trees and nodes of document 000, equation 5, as moments or as its components.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hedgerow/mondrian/ask.hpp"
#include "hedgerow/mondrian/predict.hpp"
#include "hedgerow/mondrian/query_rule.hpp"

namespace hedgerow::mondrian {

/// The points of a share that lie outside all rows, and where each of them enters: the nearest point of the rows' box.
struct Outsiders {
  std::vector<std::size_t> index;
  std::vector<float> entries;  ///< row-major, one an outsider

  template <label::GaussianModel M>
  Outsiders(const Forest<M>& forest, const MondrianTree<M>& tree, const label::Query& query, const float* points,
            std::size_t n) {
    if (!query.keeps_mean || tree.shape.is_empty()) return;
    const std::size_t width = forest.rows.width();
    const Box box = tree.box(MondrianTree<M>::root, forest.rows);  // the same in every tree
    for (std::size_t i = 0; i < n; ++i) {
      const float* x = points + i * width;
      if (outside_distance(box.lower, box.upper, x, width) <= 0.0) continue;
      index.push_back(i);
      for (std::size_t d = 0; d < width; ++d) entries.push_back(std::clamp(x[d], box.lower[d], box.upper[d]));
    }
  }
};

/// The moments of all trees' mixtures at n points, added up.
template <label::GaussianModel M>
std::vector<Moments> gather_moments(const Forest<M>& forest, const float* points, std::size_t n,
                                    const label::Query& query) {
  std::vector<Moments> moments(n);
  Descender<M> descender;
  if (n == 1) fetch_paths(forest.trees, forest.rows, points);
  for (const auto& tree : forest.trees) {
    const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
    if (n > 1) {
      descender.descend(asking, points, n, moments.data());
    } else {
      walk(asking, points,
           [&](double weight, const label::Gaussian& part) { moments[0].hear(weight, part, query.centre); });
    }
  }
  return moments;
}

/// Moments of the mixture at each point, its variance in two parts: that of the components and that between their
/// means.
struct MixtureMoments {
  explicit MixtureMoments(std::size_t n) : mean(n), within(n), between(n) {}
  std::vector<double> mean, within, between;

  [[nodiscard]] std::vector<double> variances(const label::Query& query) const {
    std::vector<double> total(within);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += query.spread * query.spread * between[i];
    return total;
  }
};

template <label::GaussianModel M>
MixtureMoments predict_moments(const Forest<M>& forest, const Points& points, const label::Query& query,
                               std::size_t n_threads) {
  MixtureMoments found(points.n);
  const double n_trees = static_cast<double>(forest.trees.size());
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    const std::vector<Moments> moments = gather_moments(forest, scaled, n, query);
    for (std::size_t i = 0; i < n; ++i) {
      const double shifted = moments[i].mean / n_trees;
      found.mean[begin + i] = query.centre + shifted;
      found.within[begin + i] = moments[i].within / n_trees;
      found.between[begin + i] = std::max(0.0, moments[i].square / n_trees - shifted * shifted);
    }
    const Outsiders outsiders(forest, forest.trees.front(), query, scaled, n);
    if (outsiders.index.empty()) return;
    const auto at_entries = gather_moments(forest, outsiders.entries.data(), outsiders.index.size(), query);
    for (std::size_t k = 0; k < outsiders.index.size(); ++k) {
      const std::size_t i = begin + outsiders.index[k];
      const double kept = query.centre + at_entries[k].mean / n_trees, moved = kept - found.mean[i];
      found.mean[i] = kept;
      found.within[i] += moved * moved;
    }
  });
  return found;
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

  /// The components pushed since `begin` are a whole mixture: bring their means closer together and, if `kept` is a
  /// number, let that be their mean; the way there widens them.
  void finish(std::size_t begin, double spread, double kept) {
    if (spread == 1.0 && std::isnan(kept)) return;
    double mean = 0.0;
    for (std::size_t k = begin; k < weights.size(); ++k) mean += weights[k] * means[k];
    const double moved = std::isnan(kept) ? 0.0 : kept - mean;
    for (std::size_t k = begin; k < weights.size(); ++k) {
      means[k] = mean + moved + spread * (means[k] - mean);
      variances[k] += moved * moved;
    }
  }
};

/// The mean of a tree's mixture at x, times the tree's weight.
template <label::GaussianModel M>
double weighted_mean(const Forest<M>& forest, const MondrianTree<M>& tree, const label::Query& query, const float* x) {
  double mean = 0.0;
  walk(Asking<M>{tree, forest.rows, forest.growth, forest.model, query}, x,
       [&](double weight, const label::Gaussian& part) { mean += weight * part.mean; });
  return mean / static_cast<double>(forest.trees.size());
}

template <label::GaussianModel M>
Mixtures predict_mixtures(const Forest<M>& forest, const Points& points, const label::Query& query,
                          std::size_t n_threads) {
  const std::size_t width = forest.rows.width();
  const std::size_t share_size = share_of(points.n, n_threads);
  std::vector<Mixtures> found((points.n + share_size - 1) / share_size);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    Mixtures& share = found[begin / share_size];
    const Outsiders outsiders(forest, forest.trees.front(), query, scaled, n);
    std::size_t next_outsider = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = share.weights.size();
      for (const auto& tree : forest.trees) {
        const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
        walk(asking, scaled + i * width, [&](double weight, const label::Gaussian& part) {
          share.push(weight / static_cast<double>(forest.trees.size()), part);
        });
      }
      double kept = std::numeric_limits<double>::quiet_NaN();
      if (next_outsider < outsiders.index.size() && outsiders.index[next_outsider] == i) {
        kept = 0.0;
        for (const auto& tree : forest.trees) {
          kept += weighted_mean(forest, tree, query, outsiders.entries.data() + next_outsider * width);
        }
        ++next_outsider;
      }
      share.finish(first, query.spread, kept);
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
  std::vector<std::vector<double>> kept(forest.trees.size());  // of each tree and row outside: its part of the mean
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
        if (queries[i].keeps_mean) {
          const Outsiders outsiders(forest, forest.trees[b], queries[i], forest.rows.row(row), 1);
          kept[b].push_back(outsiders.index.empty()
                                ? std::numeric_limits<double>::quiet_NaN()
                                : weighted_mean(forest, forest.trees[b], queries[i], outsiders.entries.data()));
        }
        found.first.push_back(static_cast<std::int64_t>(found.weights.size()));
      });
  Mixtures all;
  for (std::size_t i = 0; i < batch.n; ++i) {
    const std::size_t first = all.weights.size();
    for (const Mixtures& found : per_tree) all.append(found, i);
    double mean = queries[i].keeps_mean ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    if (queries[i].keeps_mean) {
      for (const auto& of_tree : kept) mean += of_tree[i];
    }
    all.finish(first, queries[i].spread, mean);
    if (static_cast<std::int64_t>(all.weights.size()) == all.first.back()) {  // no row before this one
      all.push(1.0, {queries[i].centre, queries[i].variance});
    }
    all.first.push_back(static_cast<std::int64_t>(all.weights.size()));
  }
  return all;
}

}  // namespace hedgerow::mondrian
