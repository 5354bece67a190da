// SPDX-License-Identifier: BSD-3-Clause
// The parts of a forest that know no label model, as arrays and back: scaling, rows and the shapes of trees.
#pragma once

#include <cstddef>
#include <vector>

#include "hedgerow/archive/reader.hpp"
#include "hedgerow/archive/writer.hpp"
#include "hedgerow/mondrian/structure/rows.hpp"
#include "hedgerow/tree/tree.hpp"

namespace hedgerow::mondrian {

using archive::Archive;
using tree::NodeId;

void write_scaling(const Scaling& scaling, Archive& archive);
Scaling read_scaling(const Archive& archive, std::size_t width);

/// Where children are in a tree whose nodes are numbered in the order of its cuts: the number of the left child of the
/// k-th.
inline NodeId child_in_order(std::size_t k) { return static_cast<NodeId>(2 * k + 1); }

void write_rows(const Rows& rows, Archive& archive);
/// Labels are for the label model to check.
Rows read_rows(const Archive& archive, const Scaling& scaling);

/// Numbers of rows that are held, each once.
std::vector<RowId> read_arrival_order(const Archive& archive, const Rows& rows);

/// Trees as files keep them: nodes from the root down, left before right. A cut has a column, a place and a time, a
/// leaf a list of rows. Nodes of a tree that was grown in batch are numbered in the order of its cuts; of others it is
/// said where children are and which places are free. `Access` is a writer or a reader of an array.
template <template <class> class Access>
struct ShapeArrays {
  template <class AnyArchive>
  explicit ShapeArrays(AnyArchive& archive)
      : n_cuts(archive, "trees.n_cuts"),
        n_freed(archive, "trees.n_freed"),
        in_order(archive, "trees.in_order"),
        locations(archive, "cuts.location"),
        times(archive, "cuts.time"),
        counts(archive, "leaves.count"),
        children(archive, "cuts.children"),
        freed(archive, "nodes.freed"),
        n_rows(archive, "leaves.n_rows"),
        rows(archive, "leaves.rows") {}

  Access<std::uint64_t> n_cuts, n_freed;
  Access<std::uint8_t> in_order;
  Access<float> locations, times, counts;
  Access<std::uint32_t> children, freed, n_rows, rows;
};

class ShapeWriter {
 public:
  ShapeWriter(Archive& archive, std::size_t width);
  void write(const tree::Tree& shape);
  /// The same with other numbers of rows, and of nodes those of a tree that was grown in batch.
  void write_anew(const tree::Tree& shape, const std::vector<RowId>& numbers);

 private:
  void write_node(const tree::Tree& shape, NodeId id);
  void write_cuts(const std::vector<NodeId>& children, const tree::Tree* freed);

  ShapeArrays<archive::Writer> arrays_;
  std::vector<std::uint8_t>* narrow_kinds_;  ///< one of these is there
  std::vector<std::uint32_t>* wide_kinds_;
};

class ShapeReader {
 public:
  ShapeReader(const Archive& archive, std::size_t n_trees);
  /// The next tree, of rows with numbers below `n_places`; an empty one if there are none. Every link is checked,
  /// columns are not.
  tree::Tree read(std::size_t n_places, bool is_empty);
  void finish() const;

 private:
  void read_leaf(tree::Tree& shape, NodeId id, std::uint32_t kind);

  ShapeArrays<archive::Reader> arrays_;
  std::vector<std::uint32_t> kinds_;
  std::size_t n_kinds_read_ = 0;
};

}  // namespace hedgerow::mondrian
