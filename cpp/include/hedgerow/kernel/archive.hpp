// SPDX-License-Identifier: BSD-3-Clause
// Cell features as plain arrays, and back. Files come from strangers: what is read is held against everything that the
// walks rely on.
#pragma once

#include <cmath>
#include <numeric>
#include <string>

#include "hedgerow/kernel/cell_features.hpp"

namespace hedgerow::kernel {

struct Archive {
  std::vector<std::uint64_t> sizes;  ///< nodes of each tree
  std::vector<double> locations;     ///< infinite where there is no cut
  std::vector<std::uint32_t> features, children, columns;
  std::vector<double> lower, upper;  ///< the learned range

  template <class Self, class Visit>
  static void for_each_array(Self& self, Visit&& visit) {
    visit("cells.sizes", self.sizes);
    visit("cells.locations", self.locations);
    visit("cells.features", self.features);
    visit("cells.children", self.children);
    visit("cells.columns", self.columns);
    visit("cells.lower", self.lower);
    visit("cells.upper", self.upper);
  }
};

inline Archive archived(const CellFeatures& cells) {
  Archive archive;
  for (const CellTree& tree : cells.trees) {
    archive.sizes.push_back(tree.nodes.size());
    for (const CellNode& node : tree.nodes) {
      archive.locations.push_back(node.location);
      archive.features.push_back(node.feature);
      archive.children.push_back(node.children);
    }
    archive.columns.insert(archive.columns.end(), tree.columns.begin(), tree.columns.end());
  }
  archive.lower = cells.range.lower;
  archive.upper = cells.range.upper;
  return archive;
}

namespace detail {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("not valid Mondrian features: ") + what);
}

inline void check_sizes(const Archive& archive, const CellFeatures& cells) {
  require(archive.sizes.size() == cells.trees.size(), "a tree is missing, or there are too many");
  std::uint64_t total = 0;
  for (const std::uint64_t size : archive.sizes) {
    require(size >= 1 && size < none && size <= archive.locations.size() - total, "its trees have the wrong size");
    total += size;
  }
  for (const std::size_t size :
       {archive.locations.size(), archive.features.size(), archive.children.size(), archive.columns.size()}) {
    require(size == total, "its arrays differ in length");
  }
  require(archive.lower.size() == cells.width() && archive.upper.size() == cells.width(),
          "its range has another width");
  for (std::size_t d = 0; d < cells.width(); ++d) {
    require(-reach < archive.lower[d] && archive.lower[d] <= archive.upper[d] && archive.upper[d] < reach,
            "its range is no range");
  }
}

/// Pairs of children follow their parents in order, and every learned cell has a column of its own.
inline void check_tree(const CellTree& tree, std::size_t width, std::vector<bool>& taken) {
  NodeId next = 1;
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const CellNode& node = tree.nodes[id];
    require(id < next && node.feature < width, "a node hangs in the air, or its feature is not there");
    const std::uint32_t column = tree.columns[id];
    if (!node.is_place()) {
      require(node.children > id && node.children < tree.nodes.size() && node.children % 2 == 1 && column == none,
              "a cut has no children, or a column");
      next += 2;
      continue;
    }
    require(node.children == id, "a place leads elsewhere");
    if (column == none) continue;
    require(column < taken.size() && !taken[column], "two cells share a column");
    taken[column] = true;
  }
  require(next == tree.nodes.size(), "a node hangs in the air");
}

}  // namespace detail

inline void restore(CellFeatures& cells, const Archive& archive) {
  detail::check_sizes(archive, cells);
  std::size_t at = 0, n_columns = 0;
  for (const std::uint32_t column : archive.columns) n_columns += column != none;
  std::vector<bool> taken(n_columns, false);
  cells.range = {archive.lower, archive.upper};
  cells.n_columns = static_cast<std::uint32_t>(n_columns);
  for (std::size_t m = 0; m < cells.trees.size(); ++m) {
    CellTree& tree = cells.trees[m];
    tree.nodes.clear();
    tree.columns.clear();
    for (std::uint64_t k = 0; k < archive.sizes[m]; ++k, ++at) {
      tree.nodes.push_back({archive.locations[at], archive.features[at], archive.children[at]});
      tree.columns.push_back(archive.columns[at]);
    }
    detail::check_tree(tree, cells.width(), taken);
    tree.enter(cells.range);
    detail::require(tree.is_true(cells.range), "a cut is not the one that its seed draws");
  }
}

}  // namespace hedgerow::kernel
