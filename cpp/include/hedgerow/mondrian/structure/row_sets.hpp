// SPDX-License-Identifier: BSD-3-Clause
// What the rows of a leaf say. Where rows are a set, that does not depend on the order in which they came, to the last
// bit: few are added up in an order of what they are, many without rounding; so are few whose labels would tell when
// they came.
#pragma once

#include <algorithm>
#include <vector>

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

/// f(row) for each row of a leaf; where rows are a set, in an order that follows from what they are.
template <class Visit>
void for_each_row_of(const tree::Tree& shape, tree::NodeId leaf, const Rows& rows, Visit&& visit) {
  if (!rows.are_a_set || shape.nodes[leaf].n_rows == 1) return shape.for_each_row(leaf, visit);
  std::vector<RowId> members;
  shape.for_each_row(leaf, [&](RowId row) { members.push_back(row); });
  std::sort(members.begin(), members.end(), [&](RowId a, RowId b) { return rows.compared(a, b) < 0; });
  for (const RowId row : members) visit(row);
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
  if (M::labels_tell_order || shape.nodes[leaf].n_rows > Crowds<M>::few) {
    typename Crowds<M>::Crowd crowd;
    shape.for_each_row(leaf, [&](RowId row) { crowd.count(row, rows, model, 1.0); });
    return Said<M>::by_crowd(crowd, model);
  }
  Said<M> said;
  for_each_row_of(shape, leaf, rows, [&](RowId row) {
    said.size += size_of<M>(rows, row);
    hear_row<M>(said.summary, rows.labels[row], row, rows, model);
  });
  return said;
}

}  // namespace hedgerow::mondrian
