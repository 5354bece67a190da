// SPDX-License-Identifier: BSD-3-Clause
// A sample of trees as flat arrays, to be written to a file, and back. Reading trusts nothing: arrays that are not
// trees in every detail are refused with a sentence.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "hedgerow/bayesian_tree/tree_sample.hpp"

namespace hedgerow::bayesian_tree {

struct Archive {
  std::vector<std::uint32_t> features, links;
  std::vector<double> locations, weights, leaf_numbers, log_evidence, log_joint;
  std::vector<std::uint64_t> first_node, first_number, most_probable;

  /// f(name, array) for every array. The names are the file format.
  template <class Function>
  void for_each_array(Function&& f) {
    f("nodes.feature", features);
    f("nodes.link", links);
    f("nodes.location", locations);
    f("trees.first_node", first_node);
    f("trees.weight", weights);
    f("trees.most_probable", most_probable);
    f("trees.log_joint", log_joint);
    f("leaves.first", first_number);
    f("leaves.numbers", leaf_numbers);
    f("islands.log_evidence", log_evidence);
  }
};

inline Archive archived(const TreeSample& sample) {
  Archive archive;
  for (const SplitNode& node : sample.nodes) {
    archive.features.push_back(node.feature);
    archive.links.push_back(node.link);
    archive.locations.push_back(node.location);
  }
  archive.first_node = sample.first_node;
  archive.weights = sample.weights;
  archive.first_number = sample.first_number;
  archive.leaf_numbers = sample.leaf_numbers;
  archive.log_evidence = sample.log_evidence;
  archive.most_probable = {sample.most_probable};
  archive.log_joint = {sample.log_joint};
  return archive;
}

inline void require(bool holds, const char* sentence) {
  if (!holds) throw std::invalid_argument(std::string("not a valid sample of trees: ") + sentence);
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
    require(i < n_linked, "a node belongs to no other");
    if (tree[i].is_leaf()) {
      require(tree[i].link < n_leaves, "a leaf is missing");
      continue;
    }
    require(tree[i].feature < width, "a split has no such feature");
    require(std::isfinite(tree[i].location), "a split's location is not finite");
    require(tree[i].link == n_linked, "nodes are not in the order of their parents");
    n_linked += 2;
  }
  require(n_linked == tree.size(), "children of a node are missing");
}

template <label::LeafModel M>
TreeSample restored(const Archive& archive, const M& model, std::size_t width) {
  TreeSample sample;
  const std::size_t n_nodes = archive.features.size(), n_trees = archive.weights.size();
  require(archive.links.size() == n_nodes && archive.locations.size() == n_nodes, "arrays of nodes differ in length");
  require(are_offsets(archive.first_node, n_nodes) && archive.first_node.size() == n_trees + 1 && n_trees > 0,
          "trees do not cover the nodes");
  require(are_offsets(archive.first_number, archive.leaf_numbers.size()), "leaves do not cover their numbers");
  require(archive.most_probable.size() == 1 && archive.most_probable[0] < n_trees, "there is no most probable tree");
  require(archive.log_joint.size() == 1 && !std::isnan(archive.log_joint[0]), "its probability is not a number");
  for (std::size_t i = 0; i < n_nodes; ++i) {
    sample.nodes.push_back({archive.features[i], archive.links[i], archive.locations[i]});
  }
  sample.first_node = archive.first_node;
  sample.weights = archive.weights;
  sample.first_number = archive.first_number;
  sample.leaf_numbers = archive.leaf_numbers;
  sample.log_evidence = archive.log_evidence;
  sample.most_probable = archive.most_probable[0];
  sample.log_joint = archive.log_joint[0];
  double total = 0.0;
  for (const double weight : sample.weights) {
    require(weight > 0.0 && weight <= 1.0 + 1e-9, "a weight is not between 0 and 1");
    total += weight;
  }
  require(std::abs(total - 1.0) < 1e-6, "weights do not add up to one");
  for (const double value : sample.log_evidence) require(std::isfinite(value), "an evidence is not finite");
  for (std::size_t t = 0; t < n_trees; ++t) require_tree(sample.tree(t), width, sample.n_leaves());
  typename M::Summary summary = model.empty();
  for (std::size_t l = 0; l < sample.n_leaves(); ++l) {
    require(model.read(sample.leaf(l), summary), "what a leaf holds is not what its kind of leaf holds");
  }
  return sample;
}

}  // namespace hedgerow::bayesian_tree
