// SPDX-License-Identifier: BSD-3-Clause
// A forest as flat arrays, to be written to a file, and back. Boxes are not written: they follow from the rows and
// are made anew. Reading trusts nothing: an archive that is not a forest in every detail is refused with a sentence.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/check.hpp"
#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::mondrian {

/// Nodes are written word by word: a location is also a leaf's number of rows, a link is children or rows.
struct Archive {
  std::vector<std::uint64_t> tree_sizes, list_sizes, counters, first_knot;
  std::vector<std::uint32_t> first_freed_nodes, split_features, split_locations, links, times, next_rows, freed_rows,
      arrival_order;
  std::vector<float> features;
  std::vector<double> summaries, given, labels, weights, knot_values, knot_images, slopes, labels_seen;

  /// f(name, array) for every array. The names are the file format.
  template <class Self, class Function>
  static void for_each_array(Self& self, Function&& f) {
    f("trees.size", self.tree_sizes);
    f("trees.list_size", self.list_sizes);
    f("trees.first_freed", self.first_freed_nodes);
    f("nodes.feature", self.split_features);
    f("nodes.location", self.split_locations);
    f("nodes.link", self.links);
    f("nodes.time", self.times);
    f("nodes.summary", self.summaries);
    f("nodes.next_row", self.next_rows);
    f("rows.given", self.given);
    f("rows.features", self.features);
    f("rows.labels", self.labels);
    f("rows.weights", self.weights);
    f("rows.freed", self.freed_rows);
    f("rows.arrival_order", self.arrival_order);
    f("scaling.first_knot", self.first_knot);
    f("scaling.values", self.knot_values);
    f("scaling.images", self.knot_images);
    f("scaling.slopes", self.slopes);
    f("seen.labels", self.labels_seen);
    f("counters", self.counters);
  }
};

template <label::LabelModel M>
Archive archived(const Forest<M>& forest) {
  Archive archive;
  for (const auto& tree : forest.trees) {
    archive.tree_sizes.push_back(tree.shape.nodes.size());
    archive.list_sizes.push_back(tree.shape.next_row.size());
    archive.first_freed_nodes.push_back(tree.shape.first_freed);
    for (const Node& node : tree.shape.nodes) {
      archive.split_features.push_back(node.feature);
      archive.split_locations.push_back(node.n_rows);
      archive.links.push_back(node.children);
      archive.times.push_back(std::bit_cast<std::uint32_t>(node.time));
    }
    for (const auto& summary : tree.summaries) forest.model.write(summary, archive.summaries);
    archive.next_rows.insert(archive.next_rows.end(), tree.shape.next_row.begin(), tree.shape.next_row.end());
  }
  archive.given = forest.rows.given;
  archive.features = forest.rows.features;
  archive.labels = forest.rows.labels;
  archive.weights = forest.rows.weights;
  archive.freed_rows = forest.rows.freed;
  archive.arrival_order.assign(forest.arrival_order.begin(), forest.arrival_order.end());
  archive.first_knot = forest.scaling.first_knot;
  archive.knot_values = forest.scaling.values;
  archive.knot_images = forest.scaling.images;
  archive.slopes = forest.scaling.slopes;
  forest.model.write(forest.labels_seen, archive.labels_seen);
  archive.counters = {forest.counters.arrivals, forest.counters.generation, forest.counters.next_review};
  return archive;
}

namespace detail {

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("not a valid forest: " + what);
}

template <class Values>
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); });
}

inline Scaling checked_scaling(const Archive& archive, std::size_t width) {
  Scaling scaling;
  scaling.first_knot = archive.first_knot;
  scaling.values = archive.knot_values;
  scaling.images = archive.knot_images;
  scaling.slopes = archive.slopes;
  require(scaling.slopes.size() == width && scaling.first_knot.size() == width + 1 && scaling.first_knot[0] == 0 &&
              scaling.first_knot.back() == scaling.values.size() && scaling.values.size() == scaling.images.size(),
          "the scaling has the wrong shape");
  require(all_finite(scaling.values) && all_finite(scaling.images) && all_finite(scaling.slopes),
          "the scaling is not finite");
  for (std::size_t d = 0; d < width; ++d) {
    require(scaling.first_knot[d] < scaling.first_knot[d + 1] && scaling.first_knot[d + 1] <= scaling.values.size() &&
                scaling.slopes[d] > 0.0,
            "a column has no scale");
    for (std::size_t k = scaling.first_knot[d] + 1; k < scaling.first_knot[d + 1]; ++k) {
      require(scaling.values[k - 1] < scaling.values[k] && scaling.images[k - 1] <= scaling.images[k],
              "the scaling does not increase");
    }
  }
  return scaling;
}

template <label::LabelModel M>
Rows checked_rows(const Archive& archive, const Scaling& scaling, const M& model) {
  const std::size_t width = scaling.width();
  Rows rows(width);
  rows.given = archive.given;
  rows.features = archive.features;
  rows.labels = archive.labels;
  rows.weights = archive.weights;
  rows.freed = archive.freed_rows;
  const std::size_t n = rows.labels.size();
  require(n < none && rows.given.size() == n * width && rows.features.size() == n * width &&
              (rows.weights.empty() || rows.weights.size() == n) && rows.freed.size() <= n,
          "the rows have the wrong shape");
  require(all_finite(rows.given) && all_finite(rows.features) && all_finite(rows.weights), "a row is not finite");
  require(std::all_of(rows.labels.begin(), rows.labels.end(), [&](double label) { return model.is_label(label); }),
          "a label is not finite, or not that of a class");
  require(std::all_of(rows.weights.begin(), rows.weights.end(), [](double w) { return w > 0.0; }),
          "a weight is not positive");
  std::vector<bool> is_free(n, false);
  for (const RowId id : rows.freed) {
    require(id < n && !is_free[id], "the list of freed rows is broken");
    is_free[id] = true;
  }
  std::vector<float> x(width);
  rows.for_each([&](RowId id) {
    scaling.scale_row(rows.as_given(id), x.data());
    require(std::equal(x.begin(), x.end(), rows.row(id)), "a row is not the same in both units");
  });
  std::vector<bool> has_arrived(n, false);
  for (const RowId id : archive.arrival_order) {
    require(id < n && !is_free[id] && !has_arrived[id], "the order of arrival is broken");
    has_arrived[id] = true;
  }
  return rows;
}

}  // namespace detail

/// Fill `forest`, made with the right width, trees, growth and seed, from an archive. The model must be set already.
template <label::LabelModel M>
void restore(Forest<M>& forest, const Archive& archive) {
  using detail::require;
  const std::size_t width = forest.rows.width(), n_trees = forest.trees.size(), n_nodes = archive.split_features.size();
  forest.scaling = detail::checked_scaling(archive, width);
  forest.rows = detail::checked_rows(archive, forest.scaling, forest.model);
  forest.find_places();
  require(archive.tree_sizes.size() == n_trees && archive.list_sizes.size() == n_trees &&
              archive.first_freed_nodes.size() == n_trees,
          "the number of trees is not the one announced");
  require(
      archive.split_locations.size() == n_nodes && archive.links.size() == n_nodes && archive.times.size() == n_nodes,
      "the columns of the trees differ in length");
  require(archive.counters.size() == 3 && forest.model.read(archive.labels_seen, forest.labels_seen),
          "a count is missing");
  forest.rows.for_each([&](RowId id) {
    require(forest.model.has_seen(forest.labels_seen, forest.rows.labels[id]), "a label was never counted");
  });
  require(archive.arrival_order.size() == (forest.window == 0 ? 0 : forest.rows.size()),
          "the order of arrival is broken");
  std::size_t node_at = 0, list_at = 0;
  std::span<const double> summaries(archive.summaries);
  for (std::size_t b = 0; b < n_trees; ++b) {
    const std::size_t size = archive.tree_sizes[b], list_size = archive.list_sizes[b];
    require(size <= n_nodes - node_at && list_size <= archive.next_rows.size() - list_at, "a tree is cut short");
    MondrianTree<M>& tree = forest.trees[b];
    tree.clear();
    tree.shape.first_freed = archive.first_freed_nodes[b];
    tree.shape.next_row.assign(archive.next_rows.begin() + static_cast<std::ptrdiff_t>(list_at),
                               archive.next_rows.begin() + static_cast<std::ptrdiff_t>(list_at + list_size));
    for (std::size_t i = node_at; i < node_at + size; ++i) {
      Node node = Node::leaf();
      node.feature = archive.split_features[i];
      node.n_rows = archive.split_locations[i];
      node.children = archive.links[i];
      node.time = std::bit_cast<float>(archive.times[i]);
      tree.shape.nodes.push_back(node);
    }
    tree.summaries.resize(size);
    for (auto& summary : tree.summaries) require(forest.model.read(summaries, summary), "a summary is broken");
    const auto broken_links = check_links(tree, forest.rows);
    require(broken_links.empty(), broken_links.empty() ? "" : broken_links.front());
    tree.bottom_up([&](NodeId id) { tree.measure_rows(id, forest.rows); },
                   [&](NodeId id) { tree.measure_children(id, forest.rows); });
    const auto broken_blocks = check_blocks(tree, forest.rows, forest.growth, forest.model);
    require(broken_blocks.empty(), broken_blocks.empty() ? "" : broken_blocks.front());
    if constexpr (requires { M::inner_summaries_follow; }) {
      tree.bottom_up([&](NodeId id) { require(!forest.model.is_empty(tree.summaries[id]), "a summary is empty"); },
                     [&](NodeId id) { tree.hear_children(id, forest.model); });
    }
    for (NodeId id = 0; id < size; ++id) {
      require(tree.node(id).is_freed() || !forest.model.is_empty(tree.summaries[id]), "a summary is empty");
    }
    if constexpr (requires { forest.model.is_same(tree.summaries[0], tree.summaries[0]); }) {
      auto stored = tree.summaries;
      tree.hear_everything(forest.rows, forest.model);
      for (NodeId id = 0; id < size; ++id) {
        require(tree.node(id).is_freed() || forest.model.is_same(stored[id], tree.summaries[id]),
                "a summary is not what the rows say");
      }
      tree.summaries = std::move(stored);
    }
    node_at += size;
    list_at += list_size;
  }
  require(node_at == n_nodes && list_at == archive.next_rows.size() && summaries.empty(), "nodes are left over");
  forest.counters = {archive.counters[0], archive.counters[1], archive.counters[2]};
  forest.arrival_order.assign(archive.arrival_order.begin(), archive.arrival_order.end());
}

}  // namespace hedgerow::mondrian
