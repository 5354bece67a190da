// SPDX-License-Identifier: BSD-3-Clause
// A forest as an archive, and back: what cannot be recomputed. Boxes are made anew from the rows, and so are summaries,
// but for those whose last bits tell in which order rows came.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/structure/check.hpp"
#include "hedgerow/mondrian/structure/structure_archive.hpp"

namespace hedgerow::mondrian {

/// Summaries that differ from what the rows of a leaf, or the children of an inner node, say.
template <label::LabelModel M>
class SummaryWriter {
 public:
  explicit SummaryWriter(Archive& archive)
      : sizes_(archive, "trees.n_summaries"), nodes_(archive, "summaries.node"), values_(archive, "summaries.values") {}

  void write(const MondrianTree<M>& tree, const Rows& rows, const M& model) {
    const std::size_t before = nodes_.values.size();
    tree.bottom_up([&](NodeId id) { write_unless(tree.said_by_rows(id, rows, model), tree, id, model); },
                   [&](NodeId id) { write_unless(tree.said_by_children(id, model), tree, id, model); });
    sizes_.append({nodes_.values.size() - before});
  }
  void write_none() { sizes_.append({0}); }

 private:
  void write_unless(const typename M::Summary& expected, const MondrianTree<M>& tree, NodeId id, const M& model) {
    numbers_.clear();
    model.write(expected, numbers_);
    const std::size_t written = values_.values.size(), n = numbers_.size();
    model.write(tree.summaries[id], values_.values);
    const bool is_same = values_.values.size() - written == n &&
                         (n == 0 || std::memcmp(values_.values.data() + written, numbers_.data(), 8 * n) == 0);
    if (is_same) {
      values_.values.resize(written);
    } else {
      nodes_.append({id});
    }
  }

  archive::Writer<std::uint64_t> sizes_;
  archive::Writer<std::uint32_t> nodes_;
  archive::Writer<double> values_;
  std::vector<double> numbers_;
};

/// Sets the summaries of trees that have their rows.
template <label::LabelModel M>
class SummaryReader {
 public:
  explicit SummaryReader(const Archive& archive)
      : sizes_(archive, "trees.n_summaries"),
        nodes_(archive, "summaries.node"),
        values_(archive.get<double>("summaries.values")) {}

  void read(MondrianTree<M>& tree, const Rows& rows, const M& model) {
    own_ = nodes_.take(sizes_.next());
    tree.summaries = std::vector<typename M::Summary>(tree.shape.nodes.size());
    tree.bottom_up([&](NodeId id) { set(tree.said_by_rows(id, rows, model), tree, id, model); },
                   [&](NodeId id) { set(tree.said_by_children(id, model), tree, id, model); });
    archive::require(own_.empty(), "a summary is that of no node");
  }

  void finish() const {
    sizes_.finish();
    nodes_.finish();
    archive::require(values_.empty(), "summaries are left over");
  }

 private:
  void set(typename M::Summary&& expected, MondrianTree<M>& tree, NodeId id, const M& model) {
    using archive::require;
    if (!own_.empty() && own_.front() == id) {
      own_ = own_.subspan(1);
      typename M::Summary stored{};
      require(model.read(values_, stored), "a summary is broken");
      if constexpr (requires { model.is_same(stored, expected); }) {
        require(model.is_same(stored, expected), "a summary is not what the rows say");
      }
      expected = std::move(stored);
    }
    require(!model.is_empty(expected), "a summary is empty");
    tree.summaries.replace(id, std::move(expected));
  }

  archive::Reader<std::uint64_t> sizes_;
  archive::Reader<std::uint32_t> nodes_;
  std::span<const double> values_;
  std::span<const std::uint32_t> own_;  ///< of the tree that is read
};

/// Rows and trees with the numbers that memory has for them.
template <label::LabelModel M>
void write_as_they_are(const Forest<M>& forest, Archive& archive) {
  ShapeWriter shapes(archive, forest.rows.width());
  SummaryWriter<M> summaries(archive);
  for (const auto& tree : forest.trees) {
    shapes.write(tree.shape);
    summaries.write(tree, forest.rows, forest.model);
  }
  write_rows(forest.rows, archive);
  archive.add("rows.arrival_order", std::vector<RowId>(forest.arrival_order.begin(), forest.arrival_order.end()));
}

/// The same with numbers that follow from the set of rows; that set tells all summaries. Only the order in which rows
/// came tells more.
template <label::LabelModel M>
void write_as_set(const Forest<M>& forest, Archive& archive) {
  const std::vector<RowId> in_order = forest.rows_in_order();
  const Rows& held = forest.rows;
  Rows ordered(held.width());
  std::vector<RowId> numbers(held.capacity(), none);
  for (const RowId id : in_order)
    numbers[id] = ordered.add(forest.scaling, held.as_given(id), held.labels[id], held.weight(id));
  ShapeWriter shapes(archive, held.width());
  SummaryWriter<M> summaries(archive);
  for (const auto& tree : forest.trees) {
    shapes.write_anew(tree.shape, numbers);
    summaries.write_none();
  }
  write_rows(ordered, archive);
  std::vector<RowId> as_they_came = in_order;
  forest.keyed->sort_as_they_came(as_they_came);
  for (RowId& id : as_they_came) id = numbers[id];
  archive.add("rows.arrival_order", std::move(as_they_came));
  const Domain& domain = forest.keyed->domain;
  if (domain.corners.empty()) return;
  archive.add("keyed.domain", std::vector(domain.corners));
  archive.add("keyed.n_widened", std::vector{domain.n_widened});
}

template <label::LabelModel M>
Archive archived(const Forest<M>& forest) {
  Archive archive;
  if (forest.keyed) {
    write_as_set(forest, archive);
  } else {
    write_as_they_are(forest, archive);
  }
  write_scaling(forest.scaling, archive);
  forest.model.write(forest.labels_seen, archive.add<double>("seen.labels"));
  archive.add("counters", std::vector<std::uint64_t>{forest.counters.arrivals, forest.counters.generation,
                                                     forest.counters.next_review});
  return archive;
}

/// All summaries, tree after tree, node after node.
template <label::LabelModel M>
std::vector<double> all_summaries(const Forest<M>& forest) {
  std::vector<double> numbers;
  for (const auto& tree : forest.trees) {
    for (const auto& summary : tree.summaries.values()) forest.model.write(summary, numbers);
  }
  return numbers;
}

/// Who wrote an archive: a stranger, whose trees are checked against the rows, or this library in a process that is
/// trusted as this one is.
enum class Writer : std::uint8_t { stranger, self };

inline void require_sound(const std::vector<std::string>& broken) {
  if (!broken.empty()) throw archive::Broken(broken.front());
}

/// Boxes of a tree that has its shape only.
template <label::LabelModel M>
void measure_tree(MondrianTree<M>& tree, const Rows& rows) {
  tree.summaries.resize(tree.shape.nodes.size());
  require_sound(check_links(tree, rows));
  BoxRooms rooms;
  tree.bottom_up([&](NodeId id) { measure_rows(tree, id, rows); },
                 [&](NodeId id) { measure_children(tree, id, rows, rooms); });
}

/// The next tree: its shape, boxes and summaries.
template <label::LabelModel M>
MondrianTree<M> read_tree(const Forest<M>& forest, ShapeReader& shapes, SummaryReader<M>& summaries, Writer writer) {
  const Rows& rows = forest.rows;
  MondrianTree<M> tree(rows.width());
  tree.shape = shapes.read(rows.capacity(), rows.size() == 0);
  measure_tree(tree, rows);
  summaries.read(tree, rows, forest.model);
  if (writer == Writer::stranger) require_sound(check_blocks(tree, rows, forest.growth, forest.model));
  return tree;
}

/// The shapes of trees [first, last), for a forest that stores the same rows in the same order and would grow the same
/// trees.
template <label::LabelModel M>
Archive archived_trees(const Forest<M>& forest, std::size_t first, std::size_t last) {
  if (first > last || last > forest.trees.size()) throw std::invalid_argument("there are no such trees");
  Archive archive;
  ShapeWriter shapes(archive, forest.rows.width());
  for (std::size_t b = first; b < last; ++b) shapes.write(forest.trees[b].shape);
  return archive;
}

/// Take trees [first, last) from `archived_trees` of a forest that is trusted, instead of growing them.
template <label::LabelModel M>
void take_trees(Forest<M>& forest, const Archive& archive, std::size_t first, std::size_t last, std::size_t n_threads) {
  if (first > last || last > forest.trees.size()) throw std::invalid_argument("there are no such trees");
  forest.settle_domain();
  ShapeReader shapes(archive, last - first);
  std::vector<MondrianTree<M>> taken(last - first, MondrianTree<M>(forest.rows.width()));
  for (auto& tree : taken) tree.shape = shapes.read(forest.rows.capacity(), forest.rows.size() == 0);
  shapes.finish();
  parallel::for_each_index(taken.size(), n_threads, [&](std::size_t index, std::size_t) {
    measure_tree(taken[index], forest.rows);
    taken[index].hear_everything(forest.rows, forest.model);
  });
  std::ranges::move(taken, forest.trees.begin() + static_cast<std::ptrdiff_t>(first));
}

/// What is kept with keyed cuts.
template <label::LabelModel M>
void see_all(Forest<M>& forest, std::span<const RowId> arrivals) {
  forest.keyed->sums = {};
  for (const RowId id : arrivals) forest.see(id, 1.0);
}

/// Where the process runs: everywhere, unless it is said.
template <label::LabelModel M>
void read_domain(Forest<M>& forest, const Archive& archive) {
  Domain& domain = forest.keyed->domain = {};
  domain.is_close = archive.has<float>("keyed.domain");
  if (!domain.is_close) return;
  domain.corners = archive.get<float>("keyed.domain");
  const auto& n_widened = archive.get<std::uint64_t>("keyed.n_widened");
  const auto is_within = [](float x) { return x >= -keyed_reach && x <= keyed_reach; };
  archive::require(domain.corners.size() == 2 * forest.rows.width() && std::ranges::all_of(domain.corners, is_within) &&
                       n_widened.size() == 1 && n_widened[0] <= Domain::most_often,
                   "the domain of its process is broken");
  domain.n_widened = n_widened[0];
  forest.rows.for_each([&](RowId id) {
    archive::require(domain.has_room_for(forest.rows.row(id)), "a row lies outside the domain of its process");
  });
}

/// The trees must be those that the key gives.
template <label::LabelModel M>
void require_keyed(Forest<M>& forest) {
  const auto are_equal = [](const Node& a, const Node& b) {
    if (a.is_leaf() || b.is_leaf()) return a.feature == b.feature && a.n_rows == b.n_rows;
    return a.feature == b.feature && a.location == b.location && a.children == b.children &&
           std::abs(a.time - b.time) <= 1e-6F * b.time;  // another machine's logarithm may end in other digits
  };
  for (std::size_t b = 0; b < forest.trees.size(); ++b) {
    const auto stored = forest.trees[b].shape.nodes;
    forest.grow(b, b + 1, 1);
    archive::require(std::ranges::equal(stored.values(), forest.trees[b].shape.nodes.values(), are_equal),
                     "a tree is not the one that its key gives");
  }
  const Counters counters = forest.counters;
  forest.grown();
  forest.counters = counters;
}

/// Each tree has a place for every row number, forgotten rows included, of which the file says little: so many bytes
/// for each of its own at most.
inline constexpr std::size_t most_memory = 32;

/// Fill `forest`, made with the right width, trees, growth and seed, from an archive. The model must be set already.
template <label::LabelModel M>
void restore(Forest<M>& forest, const Archive& archive, Writer writer = Writer::stranger) {
  using archive::require;
  const std::vector<std::uint64_t>& counters = archive.get<std::uint64_t>("counters");
  forest.scaling = read_scaling(archive, forest.rows.width());
  forest.rows = read_rows(archive, forest.scaling);
  forest.rows.are_a_set = forest.keyed.has_value();
  const std::vector<double>& labels = forest.rows.labels;
  require(std::all_of(labels.begin(), labels.end(), [&](double label) { return forest.model.is_label(label); }),
          "a label is not finite, or not that of a class");
  const std::vector<RowId> arrivals = read_arrival_order(archive, forest.rows);
  const bool has_order = forest.window != 0 || forest.keyed;
  require(arrivals.size() == (has_order ? forest.rows.size() : 0), "the order of arrival is broken");
  if (forest.window != 0) forest.arrival_order.assign(arrivals.begin(), arrivals.end());
  forest.find_places();
  require(counters.size() == 3 && forest.model.read(archive.get<double>("seen.labels"), forest.labels_seen),
          "a count is missing");
  forest.counters = {counters[0], counters[1], counters[2]};
  forest.rows.for_each(
      [&](RowId id) { require(forest.model.has_seen(forest.labels_seen, labels[id]), "a label was never counted"); });
  require(forest.rows.freed.size() <= most_memory * archive.n_bytes() / sizeof(RowId) / forest.trees.size(),
          "too many rows were forgotten for so many trees");
  ShapeReader shapes(archive, forest.trees.size());
  SummaryReader<M> summaries(archive);
  for (auto& tree : forest.trees) tree = read_tree(forest, shapes, summaries, writer);
  shapes.finish();
  summaries.finish();
  if (!forest.keyed) return;
  see_all(forest, arrivals);
  read_domain(forest, archive);
  if (writer == Writer::stranger) require_keyed(forest);
}

}  // namespace hedgerow::mondrian
