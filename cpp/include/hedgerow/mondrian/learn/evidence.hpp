// SPDX-License-Identifier: BSD-3-Clause
// The marginal likelihood of all labels given a tree, from the upward messages of the hierarchical Gaussian.
// A row of weight w counts as w copies of itself. Costs one pass over the tree; stores nothing.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::mondrian {

inline double log_normal(double gap, double variance) {
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + gap * gap / variance);
}

template <class Clock>
double log_evidence(const MondrianTree<label::GaussianHierarchyBy<Clock>>& tree, const Rows& rows, const Growth& growth,
                    const label::GaussianHierarchyBy<Clock>& model, label::Query query) {
  const double noise = query.variance / model.signal_to_noise;
  const auto variance_above = [&](NodeId id, double psi_above) {  // of a node's message, seen from its parent
    const double drift = psi_above - model.psi(tree.time(id, growth));
    return query.variance * (1.0 / tree.summaries[id].precision + drift);
  };
  std::vector<NodeId> order;
  append_preorder(tree.shape, tree.root, order);
  double total = 0.0;
  for (const NodeId id : order) {
    const Node& node = tree.node(id);
    if (node.is_leaf()) {
      // prod_i N(y_i; mu, noise)^w_i = constant * N(mean; mu, noise / weight)
      double weight = 0.0, squares = 0.0;
      for_each_row_of(tree.shape, id, rows, [&](RowId row) {
        const double gap = rows.labels[row] - tree.summaries[id].mean;
        weight += rows.weight(row);
        squares += rows.weight(row) * gap * gap;
      });
      total -= 0.5 * (weight * std::log(2.0 * std::numbers::pi * noise) + squares / noise);
      total += 0.5 * std::log(2.0 * std::numbers::pi * noise / weight);
    } else {
      const double psi = model.psi(static_cast<double>(node.time));
      total += log_normal(tree.summaries[node.left()].mean - tree.summaries[node.right()].mean,
                          variance_above(node.left(), psi) + variance_above(node.right(), psi));
    }
  }
  if (!order.empty()) {
    total += log_normal(tree.summaries[tree.root].mean - query.centre, variance_above(tree.root, model.psi(0.0)));
  }
  return total;
}

/// Of each tree.
template <class Clock>
std::vector<double> log_evidence(const Forest<label::GaussianHierarchyBy<Clock>>& forest, const label::Query& query) {
  std::vector<double> found;
  for (const auto& tree : forest.trees) {
    found.push_back(log_evidence(tree, forest.rows, forest.growth, forest.model, query));
  }
  return found;
}

}  // namespace hedgerow::mondrian
