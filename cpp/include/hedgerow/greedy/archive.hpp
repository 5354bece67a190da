// SPDX-License-Identifier: BSD-3-Clause
// A forest as an archive, and back. What is read is held against everything that the walks rely on.
#pragma once

#include <algorithm>

#include "hedgerow/archive/reader.hpp"
#include "hedgerow/archive/writer.hpp"
#include "hedgerow/greedy/forest.hpp"

namespace hedgerow::greedy {

using archive::Archive;

inline Archive archived(const Forest& forest) {
  Archive archive;
  archive.add<std::uint64_t>("greedy.shape", {forest.width(), forest.n_outputs, forest.trees.size()});
  archive::Writer<std::uint64_t> n_cuts(archive, "greedy.n_cuts"), n_nodes(archive, "greedy.n_nodes");
  archive::Writer<double> cuts(archive, "greedy.cuts");
  archive::Writer<std::uint32_t> children(archive, "greedy.children"), codes(archive, "greedy.codes");
  archive::Writer<float> values(archive, "greedy.values");
  for (const std::vector<double>& column : forest.cuts) {
    n_cuts.append({column.size()});
    cuts.append(column);
  }
  for (const Tree& tree : forest.trees) {
    n_nodes.append({tree.nodes.size()});
    for (const Node& node : tree.nodes) children.append({node.child}), codes.append({node.code});
    values.append(tree.values);
  }
  archive.add("greedy.gains", forest.gains);
  return archive;
}

namespace detail {

using archive::require;

/// Pairs of children follow their parents in order, cuts are those of columns, and leaves are numbered.
inline void check_tree(const Tree& tree, const Forest& forest) {
  NodeId next = 1;
  std::vector<bool> taken(tree.nodes.size() / 2 + 1, false);
  std::vector<bool> is_child(tree.nodes.size(), false);
  is_child[0] = true;
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree.nodes[id];
    require(is_child[id], "a node hangs in the air");
    if (node.child == id) {
      require(node.code < taken.size() && !taken[node.code], "two leaves have one number");
      taken[node.code] = true;
      continue;
    }
    require(node.child > id && node.child + std::size_t{1} < tree.nodes.size(), "a cut has no children");
    require(!is_child[node.child] && !is_child[node.child + 1], "a node has two parents");
    is_child[node.child] = is_child[node.child + 1] = true;
    require(node.feature() < forest.width() && node.cut() < forest.cuts[node.feature()].size(),
            "a cut is none of its column");
    next += 2;
  }
  require(next == tree.nodes.size(), "a node hangs in the air");
}

}  // namespace detail

inline void restore(Forest& forest, const Archive& archive) {
  using archive::require;
  const auto& shape = archive.get<std::uint64_t>("greedy.shape");
  require(shape.size() == 3 && shape[0] >= 1 && shape[0] <= most_features && shape[1] >= 1 && shape[2] >= 1,
          "its shape is none");
  archive::Reader<std::uint64_t> n_cuts(archive, "greedy.n_cuts"), n_nodes(archive, "greedy.n_nodes");
  archive::Reader<double> cuts(archive, "greedy.cuts"), gains(archive, "greedy.gains");
  archive::Reader<std::uint32_t> children(archive, "greedy.children"), codes(archive, "greedy.codes");
  archive::Reader<float> values(archive, "greedy.values");
  Forest found;
  found.n_outputs = shape[1];
  for (std::size_t d = 0; d < shape[0]; ++d) {
    const std::uint64_t n = n_cuts.next();
    require(n <= posterior_tree::BinnedRows::most_cuts, "a column has too many cuts");
    found.cuts.push_back(cuts.copy(n));
    require(std::ranges::is_sorted(found.cuts.back(), std::ranges::less_equal{}), "its cuts do not rise");
  }
  found.gains = gains.copy(shape[0]);
  for (std::size_t t = 0; t < shape[2]; ++t) {
    const std::uint64_t n = n_nodes.next();
    require(n % 2 == 1, "a tree has the wrong size");
    const auto own_children = children.take(n), own_codes = codes.take(n);
    Tree& tree = found.trees.emplace_back();
    for (std::size_t k = 0; k < n; ++k) tree.nodes.push_back({own_children[k], own_codes[k]});
    detail::check_tree(tree, found);
    const std::size_t n_leaves = n / 2 + 1;
    require(found.n_outputs <= archive.get<float>("greedy.values").size() / n_leaves, "its leaves have no values");
    tree.values = values.copy(n_leaves * found.n_outputs);
  }
  n_cuts.finish(), n_nodes.finish(), cuts.finish(), gains.finish(), children.finish(), codes.finish(), values.finish();
  forest = std::move(found);
}

}  // namespace hedgerow::greedy
