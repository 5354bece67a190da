// SPDX-License-Identifier: BSD-3-Clause
// A sample of trees as an archive, and back. Reading trusts nothing: arrays that are not trees in every detail are
// refused with a sentence.
#pragma once

#include <cmath>
#include <vector>

#include "hedgerow/archive/archive.hpp"
#include "hedgerow/bayesian_tree/tree_sample.hpp"

namespace hedgerow::bayesian_tree {

inline archive::Archive archived(const TreeSample& sample) {
  archive::Archive archive;
  auto &features = archive.add<std::uint32_t>("nodes.feature"), &links = archive.add<std::uint32_t>("nodes.link");
  auto& locations = archive.add<double>("nodes.location");
  for (const SplitNode& node : sample.nodes) {
    features.push_back(node.feature);
    links.push_back(node.link);
    locations.push_back(node.location);
  }
  archive.add("trees.first_node", sample.first_node);
  archive.add("trees.weight", sample.weights);
  archive.add("trees.most_probable", std::vector<std::uint64_t>{sample.most_probable});
  archive.add("trees.log_joint", std::vector<double>{sample.log_joint});
  archive.add("leaves.first", sample.first_number);
  archive.add("leaves.numbers", sample.leaf_numbers);
  archive.add("islands.log_evidence", sample.log_evidence);
  return archive;
}

/// Do the parts lie one after another, none of them empty, and end where the whole does?
inline bool are_offsets(const std::vector<std::uint64_t>& first, std::size_t n_in_all) {
  if (first.empty() || first.front() != 0 || first.back() != n_in_all) return false;
  for (std::size_t i = 1; i < first.size(); ++i) {
    if (first[i] <= first[i - 1]) return false;
  }
  return true;
}

/// A walk from a root ends: links lead forwards, each node but the root is the child of one, leaves have numbers.
inline void require_tree(std::span<const SplitNode> tree, std::size_t width, std::size_t n_leaves) {
  std::size_t n_linked = 1;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    archive::require(i < n_linked, "a node belongs to no other");
    if (tree[i].is_leaf()) {
      archive::require(tree[i].link < n_leaves, "a leaf is missing");
      continue;
    }
    archive::require(tree[i].feature < width, "a split has no such feature");
    archive::require(std::isfinite(tree[i].location), "a split's location is not finite");
    archive::require(tree[i].link == n_linked, "nodes are not in the order of their parents");
    n_linked += 2;
  }
  archive::require(n_linked == tree.size(), "children of a node are missing");
}

template <label::LeafModel M>
TreeSample restored(const archive::Archive& archive, const M& model, std::size_t width) {
  using archive::require;
  const auto& features = archive.get<std::uint32_t>("nodes.feature");
  const auto& links = archive.get<std::uint32_t>("nodes.link");
  const auto& locations = archive.get<double>("nodes.location");
  const auto& most_probable = archive.get<std::uint64_t>("trees.most_probable");
  const auto& log_joint = archive.get<double>("trees.log_joint");
  TreeSample sample;
  sample.first_node = archive.get<std::uint64_t>("trees.first_node");
  sample.weights = archive.get<double>("trees.weight");
  sample.first_number = archive.get<std::uint64_t>("leaves.first");
  sample.leaf_numbers = archive.get<double>("leaves.numbers");
  sample.log_evidence = archive.get<double>("islands.log_evidence");
  const std::size_t n_nodes = features.size(), n_trees = sample.n_trees();
  require(links.size() == n_nodes && locations.size() == n_nodes, "arrays of nodes differ in length");
  require(are_offsets(sample.first_node, n_nodes) && sample.first_node.size() == n_trees + 1 && n_trees > 0,
          "trees do not cover the nodes");
  require(are_offsets(sample.first_number, sample.leaf_numbers.size()), "leaves do not cover their numbers");
  require(most_probable.size() == 1 && most_probable[0] < n_trees, "there is no most probable tree");
  require(log_joint.size() == 1 && !std::isnan(log_joint[0]), "its probability is not a number");
  sample.most_probable = most_probable[0];
  sample.log_joint = log_joint[0];
  for (std::size_t i = 0; i < n_nodes; ++i) sample.nodes.push_back({features[i], links[i], locations[i]});
  double total = 0.0;
  for (const double weight : sample.weights) {
    require(weight > 0.0 && weight <= 1.0 + 1e-9, "a weight is not between 0 and 1");
    total += weight;
  }
  require(std::abs(total - 1.0) < 1e-6, "weights do not add up to one");
  require(archive::all_finite(sample.log_evidence), "an evidence is not finite");
  for (std::size_t t = 0; t < n_trees; ++t) require_tree(sample.tree(t), width, sample.n_leaves());
  typename M::Summary summary = model.empty();
  for (std::size_t l = 0; l < sample.n_leaves(); ++l) {
    require(model.read(sample.leaf(l), summary), "what a leaf holds is not what its kind of leaf holds");
  }
  return sample;
}

}  // namespace hedgerow::bayesian_tree
