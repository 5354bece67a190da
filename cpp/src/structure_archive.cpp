// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/structure_archive.hpp"

#include <algorithm>

namespace hedgerow::mondrian {

using archive::all_finite;
using archive::require;

void write_scaling(const Scaling& scaling, Archive& archive) {
  archive.add("scaling.first_knot", scaling.first_knot);
  archive.add("scaling.values", scaling.values);
  archive.add("scaling.images", scaling.images);
  archive.add("scaling.slopes", scaling.slopes);
}

Scaling read_scaling(const Archive& archive, std::size_t width) {
  Scaling scaling;
  scaling.first_knot = archive.get<std::uint64_t>("scaling.first_knot");
  scaling.values = archive.get<double>("scaling.values");
  scaling.images = archive.get<double>("scaling.images");
  scaling.slopes = archive.get<double>("scaling.slopes");
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

void write_rows(const Rows& rows, Archive& archive) {
  archive.add("rows.given", rows.given);
  archive.add("rows.features", rows.features);
  archive.add("rows.labels", rows.labels);
  archive.add("rows.weights", rows.weights);
  archive.add("rows.freed", rows.freed);
}

namespace {

/// Users' weights, balanced among classes, are less; so many, added up over all rows, are a number of single precision.
constexpr double most_weight = 1e31;

std::vector<bool> freed_rows(const Rows& rows) {
  std::vector<bool> is_free(rows.capacity(), false);
  for (const RowId id : rows.freed) {
    require(id < rows.capacity() && !is_free[id], "the list of freed rows is broken");
    is_free[id] = true;
  }
  return is_free;
}

}  // namespace

Rows read_rows(const Archive& archive, const Scaling& scaling) {
  const std::size_t width = scaling.width();
  Rows rows(width);
  rows.given = archive.get<double>("rows.given");
  rows.features = archive.get<float>("rows.features");
  rows.labels = archive.get<double>("rows.labels");
  rows.weights = archive.get<double>("rows.weights");
  rows.freed = archive.get<RowId>("rows.freed");
  const std::size_t n = rows.labels.size();
  require(n < tree::none && rows.given.size() == n * width && rows.features.size() == n * width &&
              (rows.weights.empty() || rows.weights.size() == n) && rows.freed.size() <= n,
          "the rows have the wrong shape");
  require(all_finite(rows.given) && all_finite(rows.features), "a row is not finite");
  require(std::all_of(rows.weights.begin(), rows.weights.end(), [](double w) { return w > 0.0 && w <= most_weight; }),
          "a weight is out of range");
  freed_rows(rows);
  std::vector<float> x(width);
  rows.for_each([&](RowId id) {
    scaling.scale_row(rows.as_given(id), x.data());
    require(std::equal(x.begin(), x.end(), rows.row(id)), "a row is not the same in both units");
  });
  return rows;
}

std::vector<RowId> read_arrival_order(const Archive& archive, const Rows& rows) {
  const std::vector<RowId>& order = archive.get<RowId>("rows.arrival_order");
  std::vector<bool> is_absent = freed_rows(rows);
  for (const RowId id : order) {
    require(id < rows.capacity() && !is_absent[id], "the order of arrival is broken");
    is_absent[id] = true;
  }
  return order;
}

namespace {

/// What is written for a node: that it is a leaf of one row that counts as one, another leaf, or the column it cuts.
constexpr std::uint32_t one_row = 0, other_leaf = 1, first_column = 2;
constexpr std::size_t most_narrow = 0xFF - first_column;

std::vector<std::uint32_t> kinds_in(const Archive& archive) {
  if (archive.has<std::uint8_t>("nodes.kind")) {
    const auto& narrow = archive.get<std::uint8_t>("nodes.kind");
    return {narrow.begin(), narrow.end()};
  }
  return archive.get<std::uint32_t>("nodes.kind");
}

}  // namespace

ShapeWriter::ShapeWriter(Archive& archive, std::size_t width)
    : arrays_(archive),
      narrow_kinds_(width <= most_narrow ? &archive.add<std::uint8_t>("nodes.kind") : nullptr),
      wide_kinds_(width <= most_narrow ? nullptr : &archive.add<std::uint32_t>("nodes.kind")) {}

void ShapeWriter::write(const tree::Tree& shape) {
  std::vector<NodeId> order, children;
  append_preorder(shape, tree::Tree::root, order);
  for (const NodeId id : order) {
    write_node(shape, id);
    if (!shape.nodes[id].is_leaf()) children.push_back(shape.nodes[id].children);
    if (shape.nodes[id].is_leaf()) shape.for_each_row(id, [&](RowId row) { arrays_.rows.append({row}); });
  }
  write_cuts(children, &shape);
}

void ShapeWriter::write_anew(const tree::Tree& shape, const std::vector<RowId>& numbers) {
  std::vector<NodeId> order, children;
  std::vector<RowId> rows;
  append_preorder(shape, tree::Tree::root, order);
  for (const NodeId id : order) {
    write_node(shape, id);
    if (!shape.nodes[id].is_leaf()) children.push_back(child_in_order(children.size()));
    rows.clear();
    if (shape.nodes[id].is_leaf()) shape.for_each_row(id, [&](RowId row) { rows.push_back(numbers[row]); });
    std::sort(rows.begin(), rows.end());
    arrays_.rows.append(rows);
  }
  write_cuts(children, nullptr);
}

/// All of a node but where its children are, or its rows.
void ShapeWriter::write_node(const tree::Tree& shape, NodeId id) {
  const tree::Node& node = shape.nodes[id];
  const bool is_one_row = node.is_leaf() && node.n_rows == 1 && node.count == 1.0F;
  const std::uint32_t kind = is_one_row ? one_row : node.is_leaf() ? other_leaf : first_column + node.feature;
  if (narrow_kinds_ != nullptr) narrow_kinds_->push_back(static_cast<std::uint8_t>(kind));
  if (wide_kinds_ != nullptr) wide_kinds_->push_back(kind);
  if (!node.is_leaf()) {
    arrays_.locations.append({node.location});
    arrays_.times.append({node.time});
  } else if (!is_one_row) {
    arrays_.n_rows.append({node.n_rows});
    arrays_.counts.append({node.count});
  }
}

void ShapeWriter::write_cuts(const std::vector<NodeId>& children, const tree::Tree* freed) {
  std::uint64_t n_freed = 0;
  for (NodeId pair = freed == nullptr ? tree::none : freed->first_freed; pair != tree::none;
       pair = freed->nodes[pair].next_freed, ++n_freed) {
    arrays_.freed.append({pair});
  }
  bool is_in_order = true;
  for (std::size_t k = 0; k < children.size(); ++k) is_in_order = is_in_order && children[k] == child_in_order(k);
  arrays_.n_cuts.append({children.size()});
  arrays_.n_freed.append({n_freed});
  arrays_.in_order.append({static_cast<std::uint8_t>(is_in_order)});
  if (!is_in_order) arrays_.children.append(children);
}

ShapeReader::ShapeReader(const Archive& archive, std::size_t n_trees) : arrays_(archive), kinds_(kinds_in(archive)) {
  require(archive.get<std::uint64_t>("trees.n_cuts").size() == n_trees, "the number of trees is not the one announced");
}

tree::Tree ShapeReader::read(std::size_t n_places, bool is_empty) {
  const std::uint64_t n_cuts = arrays_.n_cuts.next(), n_freed = arrays_.n_freed.next();
  const bool is_in_order = arrays_.in_order.next() != 0;
  tree::Tree shape;
  if (is_empty) {
    require(n_cuts == 0 && n_freed == 0, "a tree without rows is split");
    return shape;
  }
  require(n_cuts <= kinds_.size() && 2 * n_cuts + 1 <= kinds_.size() - n_kinds_read_, "nodes are missing");
  const auto locations = arrays_.locations.take(n_cuts), times = arrays_.times.take(n_cuts);
  const auto children = arrays_.children.take(is_in_order ? 0 : n_cuts), freed = arrays_.freed.take(n_freed);
  shape.nodes = std::vector<tree::Node>(1 + 2 * (n_cuts + n_freed), tree::Node::leaf());
  shape.next_row = std::vector<RowId>(n_places, tree::none);
  std::vector<bool> is_taken(shape.nodes.size(), false);
  const auto take_pair = [&](NodeId pair) {  // pairs follow the root: 1 and 2, 3 and 4, ...
    require(pair % 2 == 1 && pair < is_taken.size() && !is_taken[pair], "a node hangs in two places, or in none");
    is_taken[pair] = true;
    return pair;
  };
  std::vector<NodeId> pending{tree::Tree::root};
  for (std::size_t k = 0; !pending.empty();) {
    require(n_kinds_read_ < kinds_.size(), "nodes are missing");
    const std::uint32_t kind = kinds_[n_kinds_read_++];
    const NodeId id = pending.back();
    pending.pop_back();
    if (kind < first_column) {
      read_leaf(shape, id, kind);
      continue;
    }
    require(k < n_cuts, "a tree has more cuts than announced");
    const NodeId pair = take_pair(is_in_order ? child_in_order(k) : children[k]);
    shape.nodes.edit(id) = tree::Node::inner(kind - first_column, locations[k], pair, times[k], tree::none);
    pending.push_back(pair + 1);
    pending.push_back(pair);
    ++k;
  }
  for (auto pair = freed.rbegin(); pair != freed.rend(); ++pair) shape.free_pair(take_pair(*pair));
  require(std::count(is_taken.begin(), is_taken.end(), true) == static_cast<std::ptrdiff_t>(n_cuts + n_freed),
          "a tree has fewer cuts than announced");
  return shape;
}

void ShapeReader::read_leaf(tree::Tree& shape, NodeId id, std::uint32_t kind) {
  tree::Node& leaf = shape.nodes.edit(id);
  leaf.n_rows = kind == one_row ? 1 : arrays_.n_rows.next();
  leaf.count = kind == one_row ? 1.0F : arrays_.counts.next();
  require(leaf.n_rows > 0, "a leaf is empty");
  const auto rows = arrays_.rows.take(leaf.n_rows);
  require(std::all_of(rows.begin(), rows.end(), [&](RowId row) { return row < shape.next_row.size(); }),
          "a row in a leaf does not exist");
  leaf.first_row = rows.front();
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) shape.next_row.edit(rows[i]) = rows[i + 1];
  shape.next_row.edit(rows.back()) = tree::none;
}

void ShapeReader::finish() const {
  require(n_kinds_read_ == kinds_.size(), "nodes are left over");
  for (const auto* reader : {&arrays_.n_cuts, &arrays_.n_freed}) reader->finish();
  for (const auto* reader : {&arrays_.locations, &arrays_.times, &arrays_.counts}) reader->finish();
  for (const auto* reader : {&arrays_.children, &arrays_.freed, &arrays_.n_rows, &arrays_.rows}) reader->finish();
  arrays_.in_order.finish();
}

}  // namespace hedgerow::mondrian
