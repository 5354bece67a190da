// SPDX-License-Identifier: BSD-3-Clause
// The states of a chain that are kept, as compact as they can be read.
#pragma once

#include <algorithm>
#include <vector>

#include "hedgerow/bart/chain.hpp"
#include "hedgerow/bart/tree_code.hpp"

namespace hedgerow::bart {

/// Trees, draw after draw, sum after sum, tree after tree.
struct TreesOfDraws {
  TreeCode<float> code;
  std::vector<std::uint64_t> first_node{0};  ///< of each draw, and where the last one ends

  [[nodiscard]] std::size_t size() const { return first_node.size() - 1; }
  [[nodiscard]] std::size_t n_bytes() const {
    return code.shape.size() + 4 * code.rules.size() + 4 * code.values.size() + 8 * first_node.size();
  }

  /// Only the first draws stay, and whatever came after them goes, whole or not.
  struct Mark {
    std::uint64_t n_nodes;
    std::size_t n_rules, n_draws;
  };
  [[nodiscard]] Mark mark() const { return {code.n_nodes, code.rules.size(), size()}; }
  void cut(const Mark& mark) noexcept {
    code.cut(mark.n_nodes, mark.n_rules);
    first_node.resize(mark.n_draws + 1);
  }

  /// How many rules come before a draw. A tree has one leaf more than rules, so where it begins says it.
  [[nodiscard]] std::uint64_t n_rules_before(std::size_t draw, std::size_t trees_a_draw) const {
    return (first_node[draw] - draw * trees_a_draw) / 2;
  }
  [[nodiscard]] CodeReader<float> reader(std::size_t draw, std::size_t trees_a_draw) const {
    const std::uint64_t rules = n_rules_before(draw, trees_a_draw);
    return {code, first_node[draw], rules, first_node[draw] - rules};
  }
};

struct Draws : TreesOfDraws {
  TreesOfDraws noise;  ///< if it varies: the logarithm of a row's variance is the sum of these
  std::vector<TracePoint> trace;

  [[nodiscard]] std::size_t n_bytes() const {
    const std::size_t of_noise = noise.size() > 0 ? noise.n_bytes() : 0;
    return TreesOfDraws::n_bytes() + of_noise + sizeof(TracePoint) * trace.size();
  }

  void cut(const Mark& mark, const Mark& of_noise) noexcept {
    TreesOfDraws::cut(mark);
    noise.cut(of_noise);
    trace.resize(mark.n_draws);
  }

  void add(const Chain& chain, double unit) {
    for (const SumOfTrees& sum : chain.sums()) {
      for (const Tree& tree : sum.trees()) {
        code.append(tree, [&](const Node& leaf) { return static_cast<float>(static_cast<double>(leaf.value) * unit); });
      }
    }
    first_node.push_back(code.n_nodes);
    if (chain.noise_trees()) add_noise(chain);
    trace.push_back(chain.trace_point());
  }

 private:
  /// The variance that all rows share is said by the first tree, on top of what it says.
  void add_noise(const Chain& chain) {
    double shared = std::log(chain.noise_variance());
    for (const Tree& tree : chain.noise_trees()->trees()) {
      noise.code.append(tree, [&](const Node& leaf) {
        return static_cast<float>(shared + static_cast<double>(leaf.value) * NoiseTrees::unit);
      });
      shared = 0.0;
    }
    noise.first_node.push_back(noise.code.n_nodes);
  }
};

/// Four numbers a point.
inline void append(const std::vector<TracePoint>& trace, std::vector<double>& numbers) {
  for (const TracePoint& point : trace) {
    numbers.insert(numbers.end(), {point.noise, point.log_likelihood, point.n_leaves, point.n_roots_changed});
  }
}

}  // namespace hedgerow::bart
