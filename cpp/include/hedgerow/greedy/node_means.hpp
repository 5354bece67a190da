// SPDX-License-Identifier: BSD-3-Clause
// What the nodes of a tree predict: the mean label of their rows, drawn towards that of their ancestors. On its way
// down a prediction moves from parent to child by the difference of their means over 1 + shrinkage / rows of the parent
// (Agarwal, Tan, Ronen, Singh and Yu 2022, equation 2). Nothing is shrunk by zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hedgerow/greedy/tree.hpp"

namespace hedgerow::greedy {

struct NodeMeans {
  NodeMeans() = default;

  std::size_t n_outputs = 1;
  std::vector<float> weights;  ///< of each node: its rows'
  std::vector<float> means;    ///< node by node, of each output

  /// Means of rows that lie in leaves; `leaves[i]`, `label(i, output)` and `weight(i)` are those of row i.
  template <class Label, class Weight>
  NodeMeans(const std::vector<Node>& nodes, std::span<const NodeId> leaves, std::size_t n_outputs_, Label&& label,
            Weight&& weight)
      : n_outputs(n_outputs_), weights(nodes.size()), means(nodes.size() * n_outputs_) {
    std::vector<double> sums(means.size()), totals(nodes.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      totals[leaves[i]] += weight(i);
      for (std::size_t k = 0; k < n_outputs; ++k) sums[leaves[i] * n_outputs + k] += weight(i) * label(i, k);
    }
    for (std::size_t id = nodes.size(); id-- > 0;) {
      if (const NodeId child = nodes[id].child; child != id) {
        totals[id] = totals[child] + totals[child + 1];
        for (std::size_t k = 0; k < n_outputs; ++k) {
          sums[id * n_outputs + k] = sums[child * n_outputs + k] + sums[(child + 1) * n_outputs + k];
        }
      }
      weights[id] = static_cast<float>(totals[id]);
      for (std::size_t k = 0; k < n_outputs; ++k) {
        // Without rows, which only a root may be: labels are about zero.
        means[id * n_outputs + k] = totals[id] > 0.0 ? static_cast<float>(sums[id * n_outputs + k] / totals[id]) : 0.0F;
      }
    }
  }

  /// What each node predicts, in the order of the nodes.
  void shrink(const std::vector<Node>& nodes, double shrinkage, std::vector<float>& predicted) const {
    predicted.resize(means.size());
    for (std::size_t k = 0; k < n_outputs; ++k) predicted[k] = means[k];
    for (std::size_t id = 0; id < nodes.size(); ++id) {
      const NodeId child = nodes[id].child;
      if (child == id) continue;
      const double step = 1.0 / (1.0 + shrinkage / static_cast<double>(weights[id]));
      for (const std::size_t to : {std::size_t{child}, std::size_t{child} + 1}) {
        for (std::size_t k = 0; k < n_outputs; ++k) {
          const double difference = static_cast<double>(means[to * n_outputs + k]) - means[id * n_outputs + k];
          predicted[to * n_outputs + k] = static_cast<float>(predicted[id * n_outputs + k] + step * difference);
        }
      }
    }
  }

  /// What the leaves predict, in the order of their numbers.
  [[nodiscard]] std::vector<float> leaf_values(const std::vector<Node>& nodes, double shrinkage) const {
    std::vector<float> predicted;
    shrink(nodes, shrinkage, predicted);
    std::vector<float> values((nodes.size() + 1) / 2 * n_outputs);
    for (std::size_t id = 0; id < nodes.size(); ++id) {
      if (nodes[id].child != id) continue;
      for (std::size_t k = 0; k < n_outputs; ++k)
        values[nodes[id].code * n_outputs + k] = predicted[id * n_outputs + k];
    }
    return values;
  }
};

}  // namespace hedgerow::greedy
