// SPDX-License-Identifier: BSD-3-Clause
// Forecasts of rows just before they are learned. Trees are independent, so each takes the whole batch, row after row,
// while it is in the caches: the way of a row is measured once, asked about, and then used to let the row enter.
// What the trees have said of a row is added up in the order of the trees, so the forecasts have the bits of
// `predict_moments` and `predict_mixtures`.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hedgerow/mondrian/query/ask_mixtures.hpp"
#include "hedgerow/mondrian/query/query_rule.hpp"

namespace hedgerow::mondrian {

/// Asks one tree after another about points; one a thread.
template <label::GaussianModel M>
struct Guide {
  Walk<M> walk;

  /// The sum of weights and means, from the centre, at the point where x enters the rows' box; not a number if x is
  /// within, or does not care. `walk` must have gone down for x.
  double mean_at_entry(const Asking<M>& asking, const float* x) {
    if (!asking.query.keeps_mean || !walk.begins_outside()) return std::numeric_limits<double>::quiet_NaN();
    const Box box = asking.tree.box(MondrianTree<M>::root, asking.rows, room_);
    entry_.clear();
    Outsiders::append_entry(box, x, asking.rows.width(), entry_);
    Moments moments;
    second_walk_.go_down(asking, entry_.data());
    second_walk_.speak(
        asking, [&](double weight, const label::Gaussian& part) { moments.hear(weight, part, asking.query.centre); });
    return moments.mean;
  }

 private:
  Walk<M> second_walk_;
  BoxRoom room_;
  std::vector<float> entry_;
};

/// Lets the forest learn the batch. Before row i enters tree b, hear(b, i, asking, guide, x) is called, unless the tree
/// is empty. At the end finish(queries, added) is told the query of each row and what gaps added to its variance; if
/// there is no memory for what it does, nothing has been learned.
template <label::GaussianModel M, class Hear, class Finish>
void learn_and_ask(Forest<M>& forest, const Batch& batch, const QueryRule& rule, std::size_t n_threads, Hear&& hear,
                   Finish&& finish) {
  std::vector<label::Query> queries;
  std::vector<double> added;
  queries.reserve(batch.n);
  added.reserve(batch.n);
  std::vector<Guide<M>> guides(n_threads);
  forest.learn(
      batch, n_threads,
      [&](std::size_t i) {
        queries.push_back(rule.at(forest.labels_seen));
        added.push_back(forest.gaps.added(batch.features + i * forest.rows.width()));
      },
      [&](std::size_t b, RowId row, std::size_t i, std::size_t worker) -> const double* {
        if (forest.trees[b].shape.is_empty()) return nullptr;
        const Asking<M> asking{forest.trees[b], forest.rows, forest.growth, forest.model, queries[i]};
        guides[worker].walk.go_down(asking, forest.rows.row(row));
        hear(b, i, asking, guides[worker], forest.rows.row(row));
        return guides[worker].walk.distances();
      },
      [&] { finish(queries, added); });
}

/// Of all trees, for each row: their means where it enters the rows' box, added up; not a number if it is within.
using EntryMeans = std::vector<std::vector<double>>;

inline double kept_mean(const EntryMeans& by_tree, std::size_t i, double centre) {
  double sum = 0.0;
  for (const auto& of_tree : by_tree) sum += of_tree[i];
  return centre + sum / static_cast<double>(by_tree.size());
}

/// Moments of the mixture of each row of the batch just before the forest learns it.
template <label::GaussianModel M>
MixtureMoments predict_moments_then_learn(Forest<M>& forest, const Batch& batch, const QueryRule& rule,
                                          std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size();
  const bool is_empty = forest.trees.front().shape.is_empty();
  std::vector<std::vector<Moments>> by_tree(n_trees, std::vector<Moments>(batch.n));
  EntryMeans entries(n_trees, std::vector<double>(batch.n));
  MixtureMoments found(batch.n);
  const auto hear = [&](std::size_t b, std::size_t i, const Asking<M>& asking, Guide<M>& guide, const float* x) {
    Moments& moments = by_tree[b][i];
    guide.walk.speak(
        asking, [&](double weight, const label::Gaussian& part) { moments.hear(weight, part, asking.query.centre); });
    entries[b][i] = guide.mean_at_entry(asking, x);
  };
  learn_and_ask(forest, batch, rule, n_threads, hear, [&](const auto& queries, const auto& added) {
    for (std::size_t i = 0; i < batch.n; ++i) {
      Moments sum;
      for (const auto& of_tree : by_tree) sum += of_tree[i];
      found.set(i, sum, static_cast<double>(n_trees), queries[i].centre);
      const double kept = kept_mean(entries, i, queries[i].centre);
      if (!std::isnan(kept)) found.keep_mean(i, kept, queries[i]);
      found.widen(i, added[i], queries[i]);
    }
    if (is_empty && batch.n > 0) {  // no row before the first
      found.mean[0] = queries[0].centre;
      found.within[0] = queries[0].variance;
    }
  });
  return found;
}

/// The mixture of each row of the batch just before the forest learns it.
template <label::GaussianModel M>
Mixtures predict_then_learn(Forest<M>& forest, const Batch& batch, const QueryRule& rule, std::size_t n_threads) {
  const std::size_t n_trees = forest.trees.size();
  const bool is_empty = forest.trees.front().shape.is_empty();
  std::vector<Mixtures> by_tree(n_trees);
  EntryMeans entries(n_trees, std::vector<double>(batch.n));
  if (is_empty && batch.n > 0) {  // nothing is asked about the first row
    for (Mixtures& found : by_tree) found.first.push_back(0);
  }
  Mixtures all;
  const auto hear = [&](std::size_t b, std::size_t i, const Asking<M>& asking, Guide<M>& guide, const float* x) {
    Mixtures& found = by_tree[b];
    guide.walk.speak(asking, [&](double weight, const label::Gaussian& part) {
      found.push(weight / static_cast<double>(n_trees), part);
    });
    found.first.push_back(static_cast<std::int64_t>(found.weights.size()));
    entries[b][i] = guide.mean_at_entry(asking, x);
  };
  learn_and_ask(forest, batch, rule, n_threads, hear, [&](const auto& queries, const auto& added) {
    for (std::size_t i = 0; i < batch.n; ++i) {
      const std::size_t first = all.weights.size();
      if (is_empty && i == 0) {
        all.push(1.0, {queries[i].centre, queries[i].variance});
      } else {
        for (const Mixtures& found : by_tree) all.append(found, i);
        all.finish(first, all.weights.size(), queries[i], kept_mean(entries, i, queries[i].centre), added[i]);
      }
      all.first.push_back(static_cast<std::int64_t>(all.weights.size()));
    }
  });
  return all;
}

}  // namespace hedgerow::mondrian
