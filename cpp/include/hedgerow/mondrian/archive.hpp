// SPDX-License-Identifier: BSD-3-Clause
// A forest as an archive, and back. Boxes are not written: they follow from the rows and are made anew.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/structure/check.hpp"
#include "hedgerow/mondrian/structure/structure_archive.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
Archive archived(const Forest<M>& forest) {
  Archive archive;
  ShapeWriter shapes(archive);
  auto& summaries = archive.add<double>("nodes.summary");
  for (const auto& tree : forest.trees) {
    shapes.write(tree.shape);
    for (const auto& summary : tree.summaries.values()) forest.model.write(summary, summaries);
  }
  write_rows(forest.rows, archive);
  archive.add("rows.arrival_order", std::vector<RowId>(forest.arrival_order.begin(), forest.arrival_order.end()));
  write_scaling(forest.scaling, archive);
  forest.model.write(forest.labels_seen, archive.add<double>("seen.labels"));
  archive.add("counters", std::vector<std::uint64_t>{forest.counters.arrivals, forest.counters.generation,
                                                     forest.counters.next_review});
  return archive;
}

/// The next tree: its shape, boxes from the rows, and summaries, which are taken from the front.
template <label::LabelModel M>
MondrianTree<M> read_tree(const Forest<M>& forest, ShapeReader& shapes, std::span<const double>& summaries) {
  using archive::require;
  const auto require_sound = [](const std::vector<std::string>& broken) {
    if (!broken.empty()) throw archive::Broken(broken.front());
  };
  MondrianTree<M> tree(forest.rows.width());
  tree.shape = shapes.read();
  std::vector<typename M::Summary> read(tree.shape.nodes.size());
  for (auto& summary : read) require(forest.model.read(summaries, summary), "a summary is broken");
  tree.summaries = std::move(read);
  require_sound(check_links(tree, forest.rows));
  BoxRooms rooms;
  tree.bottom_up([&](NodeId id) { tree.measure_rows(id, forest.rows); },
                 [&](NodeId id) { tree.measure_children(id, forest.rows, rooms); });
  require_sound(check_blocks(tree, forest.rows, forest.growth, forest.model));
  if constexpr (requires { M::inner_summaries_follow; }) {
    tree.bottom_up([&](NodeId id) { require(!forest.model.is_empty(tree.summaries[id]), "a summary is empty"); },
                   [&](NodeId id) { tree.hear_children(id, forest.model); });
  }
  for (NodeId id = 0; id < tree.shape.nodes.size(); ++id) {
    require(tree.node(id).is_freed() || !forest.model.is_empty(tree.summaries[id]), "a summary is empty");
  }
  if constexpr (requires { forest.model.is_same(tree.summaries[0], tree.summaries[0]); }) {
    auto stored = tree.summaries;
    tree.hear_everything(forest.rows, forest.model);
    for (NodeId id = 0; id < tree.shape.nodes.size(); ++id) {
      require(tree.node(id).is_freed() || forest.model.is_same(stored[id], tree.summaries[id]),
              "a summary is not what the rows say");
    }
    tree.summaries = std::move(stored);
  }
  return tree;
}

/// Fill `forest`, made with the right width, trees, growth and seed, from an archive. The model must be set already.
template <label::LabelModel M>
void restore(Forest<M>& forest, const Archive& archive) {
  using archive::require;
  const std::vector<std::uint64_t>& counters = archive.get<std::uint64_t>("counters");
  forest.scaling = read_scaling(archive, forest.rows.width());
  forest.rows = read_rows(archive, forest.scaling);
  const std::vector<double>& labels = forest.rows.labels;
  require(std::all_of(labels.begin(), labels.end(), [&](double label) { return forest.model.is_label(label); }),
          "a label is not finite, or not that of a class");
  const std::vector<RowId> arrivals = read_arrival_order(archive, forest.rows);
  require(arrivals.size() == (forest.window == 0 ? 0 : forest.rows.size()), "the order of arrival is broken");
  forest.arrival_order.assign(arrivals.begin(), arrivals.end());
  forest.find_places();
  require(counters.size() == 3 && forest.model.read(archive.get<double>("seen.labels"), forest.labels_seen),
          "a count is missing");
  forest.counters = {counters[0], counters[1], counters[2]};
  forest.rows.for_each(
      [&](RowId id) { require(forest.model.has_seen(forest.labels_seen, labels[id]), "a label was never counted"); });
  ShapeReader shapes(archive, forest.trees.size());
  std::span<const double> summaries(archive.get<double>("nodes.summary"));
  for (auto& tree : forest.trees) tree = read_tree(forest, shapes, summaries);
  shapes.finish();
  require(summaries.empty(), "nodes are left over");
}

}  // namespace hedgerow::mondrian
