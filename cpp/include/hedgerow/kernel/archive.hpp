// SPDX-License-Identifier: BSD-3-Clause
// Cell features as an archive, and back. What is read is held against everything that the walks rely on.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "hedgerow/archive/reader.hpp"
#include "hedgerow/archive/writer.hpp"
#include "hedgerow/kernel/cell_features.hpp"

namespace hedgerow::kernel {

using archive::Archive;

inline Archive archived(const CellFeatures& cells) {
  Archive archive;
  archive::Writer<std::uint64_t> sizes(archive, "cells.sizes");   // nodes of each tree
  archive::Writer<double> locations(archive, "cells.locations");  // infinite where there is no cut
  archive::Writer<std::uint32_t> features(archive, "cells.features"), children(archive, "cells.children"),
      columns(archive, "cells.columns");
  for (const CellTree& tree : cells.trees) {
    sizes.append({tree.nodes.size()});
    for (const CellNode& node : tree.nodes) {
      locations.append({node.location});
      features.append({node.feature});
      children.append({node.children});
    }
    columns.append(tree.columns);
  }
  archive.add("cells.lower", cells.range.lower);  // the learned range
  archive.add("cells.upper", cells.range.upper);
  return archive;
}

namespace detail {

using archive::require;

inline void check_range(const std::vector<double>& lower, const std::vector<double>& upper, std::size_t width) {
  require(lower.size() == width && upper.size() == width, "its range has another width");
  for (std::size_t d = 0; d < width; ++d) {
    require(-reach < lower[d] && lower[d] <= upper[d] && upper[d] < reach, "its range is no range");
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
  using archive::require;
  archive::Reader<std::uint64_t> sizes(archive, "cells.sizes");
  archive::Reader<std::uint32_t> features(archive, "cells.features"), children(archive, "cells.children"),
      all_columns(archive, "cells.columns");
  // Infinite where there is no cut, which a reader would not take.
  std::span<const double> locations(archive.get<double>("cells.locations"));
  const auto& columns = archive.get<std::uint32_t>("cells.columns");
  const auto n_columns = static_cast<std::size_t>(
      std::count_if(columns.begin(), columns.end(), [](std::uint32_t c) { return c != none; }));
  std::vector<bool> taken(n_columns, false);
  cells.range = {archive.get<double>("cells.lower"), archive.get<double>("cells.upper")};
  detail::check_range(cells.range.lower, cells.range.upper, cells.width());
  cells.n_columns = static_cast<std::uint32_t>(n_columns);
  for (CellTree& tree : cells.trees) {
    const std::uint64_t size = sizes.next();
    require(size >= 1 && size < none && size <= locations.size(), "its trees have the wrong size");
    const auto own_features = features.take(size), own_children = children.take(size);
    tree.columns = all_columns.copy(size);
    tree.nodes.clear();
    for (std::size_t k = 0; k < size; ++k) tree.nodes.push_back({locations[k], own_features[k], own_children[k]});
    locations = locations.subspan(size);
    detail::check_tree(tree, cells.width(), taken);
    tree.enter(cells.range);
    require(tree.is_true(cells.range), "a cut is not the one that its seed draws");
  }
  require(locations.empty(), "its arrays differ in length");
  sizes.finish(), features.finish(), children.finish(), all_columns.finish();
}

}  // namespace hedgerow::kernel
