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

void write_scaling(const Scaling& scaling, Archive& archive);
Scaling read_scaling(const Archive& archive, std::size_t width);

void write_rows(const Rows& rows, Archive& archive);
/// Labels are for the label model to check.
Rows read_rows(const Archive& archive, const Scaling& scaling);

/// Numbers of rows that are held, each once.
std::vector<RowId> read_arrival_order(const Archive& archive, const Rows& rows);

/// Nodes are written word by word: a location is also a leaf's number of rows, a link is children or rows.
class ShapeWriter {
 public:
  explicit ShapeWriter(Archive& archive);
  void write(const tree::Tree& shape);

 private:
  archive::Writer<std::uint64_t> sizes_, list_sizes_;
  archive::Writer<std::uint32_t> first_freed_, features_, locations_, links_, times_, next_rows_;
};

class ShapeReader {
 public:
  ShapeReader(const Archive& archive, std::size_t n_trees);
  /// The next tree. Its links are not checked.
  tree::Tree read();
  void finish() const;

 private:
  archive::Reader<std::uint64_t> sizes_, list_sizes_;
  archive::Reader<std::uint32_t> first_freed_, features_, locations_, links_, times_, next_rows_;
};

}  // namespace hedgerow::mondrian
