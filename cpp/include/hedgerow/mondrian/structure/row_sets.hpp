// SPDX-License-Identifier: BSD-3-Clause
// What the rows of a leaf say. Where rows are a set, that does not depend on the order in which they came, to the last
// bit: few are added up in an order of what they are, many without rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "hedgerow/mondrian/structure/crowds.hpp"
#include "hedgerow/tree/tree.hpp"

namespace hedgerow::mondrian {

/// A row arrives at a leaf.
template <label::LabelModel M>
void hear_row(typename M::Summary& summary, double label, RowId row, const Rows& rows, const M& model) {
  if constexpr (M::counts_places) {
    model.add(summary, label, rows.weight(row), !rows.is_repeated(row));
  } else {
    model.add(summary, label, rows.weight(row));
  }
}

/// How many rows a leaf counts as having, and what they say.
template <label::LabelModel M>
struct Said {
  double size = 0.0;
  typename M::Summary summary{};

  static Said by_crowd(const typename Crowds<M>::Crowd& crowd, const M& model) {
    return {crowd.size.value(), model.summary_of(crowd.labels)};
  }
};

/// From a look at all rows of the leaf.
template <label::LabelModel M>
Said<M> said_by_set(const tree::Tree& shape, tree::NodeId leaf, const Rows& rows, const M& model) {
  constexpr std::size_t few = Crowds<M>::few;
  if (shape.nodes[leaf].n_rows > few) {
    typename Crowds<M>::Crowd crowd;
    shape.for_each_row(leaf, [&](RowId row) { crowd.count(row, rows, model, 1.0); });
    return Said<M>::by_crowd(crowd, model);
  }
  std::array<RowId, few> members;
  std::size_t n = 0;
  shape.for_each_row(leaf, [&](RowId row) { members[n++] = row; });
  std::sort(members.data(), members.data() + n, [&](RowId a, RowId b) { return rows.compared(a, b) < 0; });
  Said<M> said;
  for (std::size_t i = 0; i < n; ++i) {
    said.size += size_of<M>(rows, members[i]);
    hear_row<M>(said.summary, rows.labels[members[i]], members[i], rows, model);
  }
  return said;
}

}  // namespace hedgerow::mondrian
