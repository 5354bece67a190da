// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/structure_archive.hpp"

#include <algorithm>
#include <bit>

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
  require(all_finite(rows.given) && all_finite(rows.features) && all_finite(rows.weights), "a row is not finite");
  require(std::all_of(rows.weights.begin(), rows.weights.end(), [](double w) { return w > 0.0; }),
          "a weight is not positive");
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

ShapeWriter::ShapeWriter(Archive& archive)
    : sizes_(archive, "trees.size"),
      list_sizes_(archive, "trees.list_size"),
      first_freed_(archive, "trees.first_freed"),
      features_(archive, "nodes.feature"),
      locations_(archive, "nodes.location"),
      links_(archive, "nodes.link"),
      times_(archive, "nodes.time"),
      next_rows_(archive, "nodes.next_row") {}

void ShapeWriter::write(const tree::Tree& shape) {
  sizes_.append({shape.nodes.size()});
  list_sizes_.append({shape.next_row.size()});
  first_freed_.append({shape.first_freed});
  for (const tree::Node& node : shape.nodes.values()) {
    features_.append({node.feature});
    locations_.append({node.n_rows});
    links_.append({node.children});
    times_.append({std::bit_cast<std::uint32_t>(node.time)});
  }
  next_rows_.append(shape.next_row.values());
}

ShapeReader::ShapeReader(const Archive& archive, std::size_t n_trees)
    : sizes_(archive, "trees.size"),
      list_sizes_(archive, "trees.list_size"),
      first_freed_(archive, "trees.first_freed"),
      features_(archive, "nodes.feature"),
      locations_(archive, "nodes.location"),
      links_(archive, "nodes.link"),
      times_(archive, "nodes.time"),
      next_rows_(archive, "nodes.next_row") {
  require(archive.get<std::uint64_t>("trees.size").size() == n_trees, "the number of trees is not the one announced");
}

tree::Tree ShapeReader::read() {
  tree::Tree shape;
  const std::size_t size = sizes_.next();
  const auto features = features_.take(size), locations = locations_.take(size), links = links_.take(size),
             times = times_.take(size);
  shape.first_freed = first_freed_.next();
  shape.next_row = next_rows_.copy(list_sizes_.next());
  std::vector<tree::Node> nodes;
  nodes.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    tree::Node node = tree::Node::leaf();
    node.feature = features[i];
    node.n_rows = locations[i];
    node.children = links[i];
    node.time = std::bit_cast<float>(times[i]);
    nodes.push_back(node);
  }
  shape.nodes = std::move(nodes);
  return shape;
}

void ShapeReader::finish() const {
  for (const auto* reader : {&sizes_, &list_sizes_}) reader->finish();
  for (const auto* reader : {&first_freed_, &features_, &locations_, &links_, &times_, &next_rows_}) reader->finish();
}

}  // namespace hedgerow::mondrian
