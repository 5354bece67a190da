// SPDX-License-Identifier: BSD-3-Clause
// Class probabilities of a whole forest, the mean over its trees, and where their entropy comes from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/query/ask.hpp"
#include "hedgerow/mondrian/query/class_rule.hpp"
#include "hedgerow/mondrian/query/vote.hpp"

namespace hedgerow::mondrian {

/// Classes may be added at any time; whether pure blocks pause cannot change once there are trees.
inline void set_classes(ClassForest& forest, std::size_t n_classes, bool pause_pure) {
  if (n_classes < forest.labels_seen.size()) throw std::invalid_argument("classes cannot be taken back");
  if (forest.rows.size() > 0 && pause_pure != forest.model.pause_pure) {
    throw std::invalid_argument("pausing cannot change once there are trees");
  }
  forest.model = {n_classes, pause_pure};
}

/// The weight of each class among the rows held, also of those that have none.
inline std::vector<double> class_weights(const ClassForest& forest) {
  std::vector<double> seen = forest.labels_seen;
  seen.resize(forest.model.n_classes, 0.0);
  return seen;
}

/// probabilities[i * n_classes + c].
inline std::vector<double> predict_classes(const ClassForest& forest, const Points& points,
                                           const label::ClassQuery& query, std::size_t n_threads) {
  const std::size_t n_classes = query.base.size();
  std::vector<double> probabilities(points.n * n_classes);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    double* const found = probabilities.data() + begin * n_classes;
    std::vector<double> base(n, 0.0);
    Voter voter;
    if (n == 1) fetch_paths(forest.trees, forest.rows, scaled);
    for (const auto& tree : forest.trees) {
      const Asking<label::StableHierarchy> asking{tree, forest.rows, forest.growth, forest.model, query};
      voter.go_down(asking, scaled, n);
      voter.vote(
          asking, [&](std::size_t i, label::ClassId c, double vote) { found[i * n_classes + c] += vote; },
          [&](std::size_t i, double left) { base[i] += left; });
    }
    for (std::size_t i = 0; i < n; ++i) add_base(query, base[i], found + i * n_classes);
  });
  return probabilities;
}

/// The entropy of the forest's prediction, in nats, and its parts: total = noise + disagreement + distance. A mean over
/// trees counts each as often as it votes. The parts are those of the prediction before calibration; calibrated, its
/// entropy is another, and they keep their shares of it.
struct Uncertainty {
  std::vector<double> total;
  std::vector<double> noise;         ///< of what the leaves say of points that stay in them, mean over trees
  std::vector<double> disagreement;  ///< total less the mean entropy of the trees
  std::vector<double> distance;      ///< what a tree's entropy owes to the point's leaving it, mean over trees
};

inline double entropy(const double* probabilities, std::size_t n) {
  double sum = 0.0;
  for (std::size_t c = 0; c < n; ++c) {
    if (probabilities[c] > 0.0) sum -= probabilities[c] * std::log(probabilities[c]);
  }
  return std::max(sum, 0.0);
}

/// Where weights are so small that no vote is left, there is nothing to be divided.
constexpr double least_votes = std::numeric_limits<double>::min();

inline Uncertainty predict_uncertainty(const ClassForest& forest, const Points& points,
                                       const label::ClassQuery& calibrated, std::size_t n_threads) {
  label::ClassQuery query = calibrated;
  query.power = 1.0;
  const std::size_t n_classes = query.base.size();
  Uncertainty found;
  for (auto* part : {&found.total, &found.noise, &found.disagreement, &found.distance}) part->assign(points.n, 0.0);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    std::vector<double> sum(n * n_classes, 0.0), votes(n * n_classes), left_to_base(n), total(n, 0.0);
    std::vector<double> all_votes(n * n_classes, 0.0), all_left(n, 0.0);
    Voter voter;
    for (const auto& tree : forest.trees) {
      const Asking<label::StableHierarchy> asking{tree, forest.rows, forest.growth, forest.model, query};
      voter.go_down(asking, scaled, n);
      const auto cast = [&](std::size_t i, label::ClassId c, double vote) { votes[i * n_classes + c] += vote; };
      const auto leave = [&](std::size_t i, double left) { left_to_base[i] = left; };
      std::fill(votes.begin(), votes.end(), 0.0);
      voter.vote_from_leaves(asking, cast, leave);
      for (std::size_t i = 0; i < n; ++i) {
        double* const own = votes.data() + i * n_classes;
        const double n_votes = add_base(query, left_to_base[i], own);
        found.noise[begin + i] += voter.stay(i) * n_votes * entropy(own, n_classes);
      }
      std::fill(votes.begin(), votes.end(), 0.0);
      voter.vote(asking, cast, leave);
      for (std::size_t k = 0; k < votes.size(); ++k) all_votes[k] += votes[k];
      for (std::size_t i = 0; i < n; ++i) {
        double* const own = votes.data() + i * n_classes;
        all_left[i] += left_to_base[i];
        const double n_votes = add_base(query, left_to_base[i], own);
        found.distance[begin + i] += n_votes * entropy(own, n_classes);
        total[i] += n_votes;
        for (std::size_t c = 0; c < n_classes; ++c) sum[i * n_classes + c] += n_votes * own[c];
      }
    }
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] /= std::max(total[k / n_classes], least_votes);
    for (std::size_t i = begin; i < begin + n; ++i) {
      found.noise[i] /= std::max(total[i - begin], least_votes);
      found.distance[i] /= std::max(total[i - begin], least_votes);
      found.total[i] = entropy(sum.data() + (i - begin) * n_classes, n_classes);
      found.disagreement[i] = std::max(0.0, found.total[i] - found.distance[i]);
      found.distance[i] = std::max(0.0, found.distance[i] - found.noise[i]);
      if (calibrated.power == 1.0) continue;
      double* const votes_on_it = all_votes.data() + (i - begin) * n_classes;
      add_base(calibrated, all_left[i - begin], votes_on_it);
      const double before = std::exchange(found.total[i], entropy(votes_on_it, n_classes));
      const double factor = found.total[i] / std::max(before, least_votes);
      for (auto* part : {&found.noise, &found.disagreement, &found.distance}) (*part)[i] *= factor;
    }
  });
  return found;
}

/// The probabilities of each row of the batch just before the forest learns it, over the classes known by then; 0 for
/// the others. `n_known` classes were known before the batch, and classes are numbered in the order in which they come.
inline std::vector<double> predict_then_learn(ClassForest& forest, const Batch& batch, const ClassQueryRule& rule,
                                              std::size_t n_known, std::size_t n_threads) {
  const std::size_t n_classes = rule.n_classes;
  if (n_classes < forest.labels_seen.size()) throw std::invalid_argument("the forest knows more classes");
  for (std::size_t i = 0; i < batch.n; ++i) {
    if (!(batch.labels[i] < static_cast<double>(n_classes))) throw std::invalid_argument("a class is new");
  }
  struct Vote {
    label::ClassId label;
    double votes;
  };
  struct Ballot {  // of one tree: the votes on row i end at ends[i]; replayed, they add up in the order of
                   // `predict_classes`
    Voter voter;
    std::vector<Vote> votes;
    std::vector<std::size_t> ends;
    std::vector<double> left_to_base;
  };
  std::vector<label::ClassQuery> queries;
  std::vector<Ballot> ballots(forest.trees.size());
  std::vector<double> probabilities(batch.n * n_classes, 0.0);
  forest.learn(
      batch, n_threads,
      [&](std::size_t i) {
        queries.push_back(rule.at(forest, n_known));
        n_known = std::max(n_known, static_cast<std::size_t>(batch.labels[i]) + 1);
      },
      [&](std::size_t b, RowId row, std::size_t i, std::size_t) -> const double* {
        Ballot& ballot = ballots[b];
        ballot.left_to_base.push_back(1.0);
        if (!forest.trees[b].shape.is_empty()) {
          const Asking<label::StableHierarchy> asking{forest.trees[b], forest.rows, forest.growth, forest.model,
                                                      queries[i]};
          ballot.voter.go_down(asking, forest.rows.row(row), 1);
          ballot.voter.vote(
              asking, [&](std::size_t, label::ClassId c, double votes) { ballot.votes.push_back({c, votes}); },
              [&](std::size_t, double left) { ballot.left_to_base.back() = left; });
        }
        ballot.ends.push_back(ballot.votes.size());
        return nullptr;
      });
  for (std::size_t i = 0; i < batch.n; ++i) {
    double* const found = probabilities.data() + i * n_classes;
    double left_to_base = 0.0;
    for (const Ballot& ballot : ballots) {
      for (std::size_t k = i == 0 ? 0 : ballot.ends[i - 1]; k < ballot.ends[i]; ++k) {
        found[ballot.votes[k].label] += ballot.votes[k].votes;
      }
      left_to_base += ballot.left_to_base[i];
    }
    add_base(queries[i], left_to_base, found);
  }
  return probabilities;
}

}  // namespace hedgerow::mondrian
