// SPDX-License-Identifier: BSD-3-Clause
// Prediction of vectors: the mean of Lakshminarayanan, Roy and Teh (2016), equation 5, for a label model whose means
// are vectors.
//
// With s = k / (1 + k) a node's belief is its parent's plus s (heard - parent's), and on the edge above it, a share f
// of the way down, it is the parent's plus f (own - parent's). So a prediction is a sum over the path of coefficients
// times what nodes have heard, and the coefficients, which are numbers, are found on the way up from the leaf. How much
// is known does not depend on what labels say: the variance of mu is that of a label model of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/label/vector_hierarchy.hpp"
#include "hedgerow/mondrian/query/ask_mixtures.hpp"
#include "hedgerow/mondrian/query/departure_probabilities.hpp"

namespace hedgerow::mondrian {

using VectorForest = Forest<label::VectorHierarchy>;

class VectorAverager {
 public:
  using Model = label::VectorHierarchy;

  /// The tree's mean at each of n points (row-major, in forest units) and, unless that is null, the variance of mu
  /// there, in units of gamma_1: the mean over where the point may leave the tree.
  void average(const Asking<Model>& asking, const float* points, std::size_t n, double* vectors,
               double* variances = nullptr) {
    std::fill_n(vectors, n * asking.model.length(), 0.0);
    descent_.go_down(asking, points, n);
    weigh_nodes(asking);
    weigh_departures(asking, n);
    const std::size_t length = asking.model.length();
    for (const auto& [point, visited] : descent_.arrivals()) {
      climb(asking, visited, leaving_.stay[point], leaving_.last[point], vectors + point * length);
    }
    if (variances != nullptr) average_variances(asking, n, variances);
  }

 private:
  /// A coefficient that no longer changes a mean in single precision.
  static constexpr double negligible = 1e-12;

  /// s, per visited node.
  void weigh_nodes(const Asking<Model>& asking) {
    const auto& visited = descent_.visited();
    shares_.resize(visited.size());
    for (std::size_t k = 0; k < visited.size(); ++k) shares_[k] = visited[k].time;
    asking.model.read_clocks(shares_.data(), shares_.size());
    for (std::size_t k = visited.size(); k-- > 1;) {  // parents, whose clocks are still needed, come before children
      const double drift = std::max(shares_[visited[k].parent] - shares_[k], 0.0);
      const double gain = asking.tree.summaries[visited[k].node].precision * drift;
      shares_[k] = gain / (1.0 + gain);
    }
  }

  /// The probability of each departure, and f.
  void weigh_departures(const Asking<Model>& asking, std::size_t n) {
    const auto departures = descent_.departures();
    survivals_.resize(departures.size());
    passed_.resize(departures.size());
    squares_.resize(departures.size());
    for (std::size_t begin = 0; begin < departures.size(); begin += Branches::most) {
      const std::size_t count = std::min(departures.size() - begin, Branches::most);
      for (std::size_t k = 0; k < count; ++k) {
        const auto& at = descent_.visited()[departures[begin + k].box];
        branches_.outside[k] = departures[begin + k].outside;
        branches_.elapsed[k] = at.time - at.above;
      }
      integrate_branches(branches_, count, asking.model.precisions.drift_rate);
      std::copy_n(branches_.survival, count, survivals_.begin() + static_cast<std::ptrdiff_t>(begin));
      std::copy_n(branches_.share, count, passed_.begin() + static_cast<std::ptrdiff_t>(begin));
      std::copy_n(branches_.square, count, squares_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    leaving_.work_out(departures, survivals_, n);
  }

  /// `label::ExponentialHierarchy` knows how, for labels that are all zero.
  void average_variances(const Asking<Model>& asking, std::size_t n, double* variances) {
    constexpr label::Query unit{.centre = 0.0, .variance = 1.0};
    const label::ExponentialHierarchy& numbers = asking.model.precisions;
    const auto& visited = descent_.visited();
    clocks_.resize(visited.size());
    beliefs_.resize(visited.size());
    for (std::size_t k = 0; k < visited.size(); ++k) clocks_[k] = visited[k].time;
    numbers.read_clocks(clocks_.data(), clocks_.size());
    beliefs_[0] = numbers.prior(unit);
    for (std::size_t k = 1; k < visited.size(); ++k) {
      const double precision = asking.tree.summaries[visited[k].node].precision;
      beliefs_[k] = numbers.infer(beliefs_[visited[k].parent], {precision, 0.0}, clocks_[k]);
    }
    std::fill_n(variances, n, 0.0);
    const auto departures = descent_.departures();
    for (std::size_t k = 0; k < departures.size(); ++k) {
      label::Branch branch{};
      branch.share = {passed_[k], squares_[k]};
      const std::uint32_t at = departures[k].box;
      variances[departures[k].point] +=
          leaving_.weights[k] *
          numbers.speak_outside(beliefs_[visited[at].parent], beliefs_[at], branch, unit).variance;
    }
    for (const auto& [point, at] : descent_.arrivals())
      variances[point] += leaving_.stay[point] * beliefs_[at].variance;
  }

  /// From a leaf, whose belief counts `coefficient`, to the root.
  void climb(const Asking<Model>& asking, std::uint32_t at, double coefficient, std::uint32_t departure,
             double* vector) const {
    while (at != 0) {
      const bool leaves_here = departure != none && descent_.departures()[departure].box == at;
      if (coefficient < negligible && !leaves_here) {
        at = departure == none ? 0 : descent_.departures()[departure].box;
        continue;
      }
      double left_before = 0.0;
      if (leaves_here) {
        const double left_after = leaving_.weights[departure] * passed_[departure];
        left_before = leaving_.weights[departure] - left_after;
        coefficient += left_after;
        departure = leaving_.previous[departure];
      }
      const auto& [above, time, node, parent] = descent_.visited()[at];
      const double heard = coefficient * shares_[at];
      const float* const mean = asking.tree.summaries[node].mean(*asking.model.vectors);
      for (std::size_t k = 0; k < asking.model.length(); ++k) vector[k] += heard * static_cast<double>(mean[k]);
      coefficient = (coefficient - heard) + left_before;
      at = parent;
    }
  }

  Descent<Model> descent_;
  std::vector<double> shares_;     ///< s, per visited node
  std::vector<double> survivals_;  ///< per departure: the probability of passing its edge all the same
  std::vector<double> passed_;     ///< f, per departure
  std::vector<double> squares_;    ///< the mean square of the share passed, per departure
  std::vector<double> clocks_;     ///< per visited node
  std::vector<label::ExponentialHierarchy::Belief> beliefs_;  ///< per visited node
  Leaving leaving_;
  Branches branches_{};
};

/// vectors[i * length + k].
inline std::vector<double> predict_vectors(const VectorForest& forest, const Points& points, std::size_t n_threads) {
  const std::size_t length = forest.model.length();
  std::vector<double> vectors(points.n * length, 0.0);
  const auto n_trees = static_cast<double>(forest.trees.size());
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    double* const found = vectors.data() + begin * length;
    VectorAverager averager;
    std::vector<double> said(n * length);
    if (n == 1) fetch_paths(forest.trees, forest.rows, scaled);
    for (const auto& tree : forest.trees) {
      averager.average({tree, forest.rows, forest.growth, forest.model, {}}, scaled, n, said.data());
      for (std::size_t i = 0; i < said.size(); ++i) found[i] += said[i];
    }
    for (std::size_t i = 0; i < n * length; ++i) found[i] /= n_trees;
  });
  return vectors;
}

/// The vectors that labels are numbers of; before the first row.
inline void set_vectors(VectorForest& forest, std::shared_ptr<const label::LabelVectors> vectors) {
  if (forest.rows.size() > 0) throw std::invalid_argument("the forest has rows already");
  forest.model.vectors = std::move(vectors);
}

/// Other vectors, and the number of that of each row, in order; before trees have grown.
inline void relabel(VectorForest& forest, std::shared_ptr<const label::LabelVectors> vectors,
                    std::span<const double> labels) {
  if (!forest.trees.front().shape.is_empty()) throw std::invalid_argument("the forest has trees already");
  if (labels.size() != forest.rows.size()) throw std::invalid_argument("there must be a label for each row");
  forest.model.vectors = std::move(vectors);
  std::size_t place = 0;
  for (const RowId id : forest.rows_in_order()) {
    if (!forest.model.is_label(labels[place])) throw std::invalid_argument("a label is not one of the model's");
    forest.rows.labels[id] = labels[place++];
  }
}

/// The mean at each row of the batch just before the forest learns it.
inline std::vector<double> predict_then_learn(VectorForest& forest, const Batch& batch, std::size_t n_threads) {
  if (forest.rows.size() == 0) throw std::invalid_argument("the forest is empty");
  const std::size_t length = forest.model.length(), n_trees = forest.trees.size();
  std::vector<VectorAverager> averagers(std::max<std::size_t>(1, n_threads));
  std::vector<std::vector<double>> said(n_trees, std::vector<double>(batch.n * length));
  std::vector<double> vectors(batch.n * length, 0.0);
  forest.learn(batch, n_threads, {}, [&](std::size_t b, RowId row, std::size_t i, std::size_t worker) -> const double* {
    averagers[worker].average({forest.trees[b], forest.rows, forest.growth, forest.model, {}}, forest.rows.row(row), 1,
                              said[b].data() + i * length);
    return nullptr;
  });
  for (const auto& of_tree : said) {
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] += of_tree[i];
  }
  for (double& number : vectors) number /= static_cast<double>(n_trees);
  return vectors;
}

}  // namespace hedgerow::mondrian
