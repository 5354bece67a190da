// SPDX-License-Identifier: BSD-3-Clause
// An incremental regression tree: Domingos and Hulten's idea that few rows suffice to choose a split, for numbers
// (Ikonomovska, Gama and Dzeroski 2011). A leaf keeps its latest rows; from time to time it looks for a split in them,
// and its children inherit theirs. It relies on a stream of random numbers given with each row, and never forgets a
// split.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/online/growth.hpp"
#include "hedgerow/online/kept_rows.hpp"
#include "hedgerow/online/leaf_labels.hpp"
#include "hedgerow/online/linear_model.hpp"
#include "hedgerow/online/split_search.hpp"

namespace hedgerow::online {

inline constexpr std::uint32_t no_feature = 0xFFFFFFFF;

/// Children lie side by side and behind their parent.
struct Node {
  std::uint32_t feature = no_feature;  ///< none in a leaf
  float threshold = 0.0F;              ///< rows up to here go left
  std::uint32_t link = 0;              ///< the left child, or the number of the leaf

  [[nodiscard]] bool is_leaf() const { return feature == no_feature; }
};

template <LeafLabels L>
struct Leaf {
  label::LabelMoments moments;
  label::Gaussian prior{0.0, 0.0};  ///< what is said before the first row; later worth one row of variance
  std::uint64_t n_rows = 0;         ///< ever met
  std::uint64_t last_attempt = 0;   ///< number of rows at the last search for a split
  std::uint32_t birth = 0;          ///< see LeafName
  KeptRows rows;
  LinearModel linear;  ///< unused unless the growth asks for it
  L labels;

  /// Mean and variance of a new label. One row of the prior's variance keeps a leaf of few equal labels from being
  /// sure.
  [[nodiscard]] label::Gaussian speak() const {
    if (moments.weight <= 0.0) return prior;
    const auto n = static_cast<double>(n_rows);
    return {moments.mean, (moments.squares / moments.weight * n + prior.variance) / (n + 1.0) * (1.0 + 1.0 / n)};
  }
  [[nodiscard]] label::Gaussian speak_linearly(const std::vector<double>& z) const {
    const label::Gaussian plain = speak();
    if (linear.slopes.empty()) return plain;
    const auto& errors = linear.errors;
    const double square = errors.squares / errors.weight + errors.mean * errors.mean;
    return {linear.predict(z), std::min(square, plain.variance)};
  }
};

/// A row as the trees meet it.
struct Row {
  const float* x;
  const std::vector<double>* standardised;  ///< for linear leaves only
  double label;
  double weight;
};

/// What learning a row did to a tree: the statistics of a leaf changed, and perhaps it was split.
struct Change {
  static constexpr std::uint32_t nothing = 0xFFFFFFFF;
  std::uint32_t leaf = nothing;  ///< whose statistics changed
  std::uint32_t sibling =
      nothing;  ///< if it was split: the leaf now on the right; the one on the left keeps its number
  Split split{};
  bool is_replaced = false;   ///< another tree has taken over, and nothing above holds
  bool is_out_of_bag = true;  ///< the tree did not learn the row
};

template <LeafLabels L>
class HoeffdingTree {
 public:
  HoeffdingTree() = default;
  HoeffdingTree(const label::Gaussian& prior, std::uint32_t birth) : nodes(1), leaves(1) {
    leaves[0].prior = prior;
    leaves[0].birth = birth;
  }

  memory::Vector<Node> nodes;
  memory::Vector<Leaf<L>> leaves;

  /// The node of the leaf into which x falls.
  [[nodiscard]] std::uint32_t place_of(const float* x) const {
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf()) {
      at = nodes[at].link + static_cast<std::uint32_t>(x[nodes[at].feature] > nodes[at].threshold);
    }
    return at;
  }
  [[nodiscard]] std::uint32_t leaf_of(const float* x) const { return nodes[place_of(x)].link; }

  Change learn(const Row& row, const Growth& growth, LeafName& name, SplitSearch& search, random::Stream stream) {
    return learn_at(place_of(row.x), row, growth, name, search, stream);
  }

  /// `name.birth` is the name of the next leaf to be born, and moves on. A split draws from the given stream.
  Change learn_at(std::uint32_t at, const Row& row, const Growth& growth, LeafName& name, SplitSearch& search,
                  random::Stream stream) {
    Change change{nodes[at].link, Change::nothing, {}, false, false};
    Leaf<L>& leaf = leaves[change.leaf];
    add(leaf, row, growth, name);
    if (!may_split(growth)) {
      leaf.rows = {};
      return change;
    }
    leaf.rows.keep(row.x, growth.width, row.label, row.weight, growth.leaf_capacity);
    if (leaf.n_rows - leaf.last_attempt < growth.grace_period) return change;
    leaf.last_attempt = leaf.n_rows;
    change.split = search.find(leaf.rows, growth, leaf.n_rows, stream);
    if (change.split.gain > 0.0) change.sibling = split(at, change.split, growth, name);
    return change;
  }

  /// What n rows may allocate. `need_of_row` is that of a row in its leaf.
  [[nodiscard]] std::size_t need(std::size_t n, std::size_t need_of_row) const {
    return memory::to_add(nodes, 2 * n) + memory::to_add(leaves, n) + n * need_of_row;
  }
  /// The same for trees that begin with nothing, so many of them, and share n rows.
  [[nodiscard]] static std::size_t need_of_new(std::size_t n_trees, std::size_t n) {
    return memory::to_hold(n_trees + 2 * n, sizeof(Node)) + memory::to_hold(n_trees + n, sizeof(Leaf<L>)) +
           2 * n_trees * memory::to_hold(0, 1);
  }
  /// What the leaf of a row may allocate in a forest that has met so many rows: room for more rows, slopes, labels; and
  /// then, if it is split, those of two leaves that share its rows.
  [[nodiscard]] static std::size_t need_of_row(const Growth& growth, std::size_t n_met) {
    const std::size_t n_kept = std::min(growth.leaf_capacity, KeptRows::grown(n_met));
    return 2 * KeptRows::need(n_kept, growth.width) + 3 * L::need(growth) +
           (growth.linear ? 3 * memory::rounded(growth.width * sizeof(double)) : 0);
  }

  [[nodiscard]] std::size_t n_bytes() const {
    std::size_t total = nodes.capacity() * sizeof(Node) + leaves.capacity() * sizeof(Leaf<L>);
    for (const auto& leaf : leaves) {
      total += leaf.rows.n_bytes() + leaf.linear.slopes.capacity() * sizeof(double) + leaf.labels.n_bytes();
    }
    return total;
  }

 private:
  [[nodiscard]] bool may_split(const Growth& growth) const {
    return growth.max_nodes == 0 || nodes.size() + 2 <= growth.max_nodes;
  }

  static void add(Leaf<L>& leaf, const Row& row, const Growth& growth, const LeafName& name) {
    ++leaf.n_rows;
    if (growth.linear) leaf.linear.learn(*row.standardised, row.label, row.weight);
    leaf.moments.add(row.label, row.weight);
    leaf.labels.add(row.label, row.weight, growth, {name.seed, name.tree, leaf.birth});
  }

  /// The left child keeps the number of the leaf. Children know the labels of the rows that were kept, and no others.
  std::uint32_t split(std::uint32_t at, const Split& split, const Growth& growth, LeafName& name) {
    const auto left = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t left_leaf = nodes[at].link, right_leaf = static_cast<std::uint32_t>(leaves.size());
    leaves.emplace_back();
    const Leaf<L> parent = std::exchange(leaves[left_leaf], Leaf<L>{});
    for (const std::uint32_t number : {left_leaf, right_leaf}) {
      leaves[number].prior = parent.speak();
      leaves[number].birth = name.birth++;
      leaves[number].linear = parent.linear;
    }
    std::size_t n_right = 0;
    parent.rows.for_each(growth.width, [&](const float* x, double, double) {
      n_right += static_cast<std::size_t>(x[split.feature] > split.threshold);
    });
    leaves[left_leaf].rows.reserve(parent.rows.size() - n_right, growth.width);
    leaves[right_leaf].rows.reserve(n_right, growth.width);
    parent.rows.for_each(growth.width, [&](const float* x, double label, double weight) {
      Leaf<L>& child = leaves[x[split.feature] > split.threshold ? right_leaf : left_leaf];
      ++child.n_rows;
      child.moments.add(label, weight);
      child.labels.add(label, weight, growth, {name.seed, name.tree, child.birth});
      child.rows.keep(x, growth.width, label, weight, growth.leaf_capacity);
    });
    nodes[at] = {split.feature, split.threshold, left};
    nodes.push_back({no_feature, 0.0F, left_leaf});
    nodes.push_back({no_feature, 0.0F, right_leaf});
    if (!may_split(growth)) {
      for (auto& leaf : leaves) leaf.rows = {};
    }
    return right_leaf;
  }
};

}  // namespace hedgerow::online
