// SPDX-License-Identifier: BSD-3-Clause
// Finding rows again by what they are, so that they can be unlearned. A tree is its own index: rows equal in the user's
// units are equal in forest units too, and so lie in one leaf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/query/descend.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Locator {
 public:
  Locator(const MondrianTree<M>& tree, const Rows& rows) : tree_(tree), rows_(rows), taken_(rows.capacity(), false) {}

  /// A row like this that was not found before; none if there is no such row. `given` is in the user's units and
  /// `scaled` in the forest's; the weight matters unless it is null.
  RowId find(const double* given, const float* scaled, double label, const double* weight) {
    if (tree_.shape.is_empty()) return none;
    RowId found = none;
    tree_.shape.for_each_row(leaf_of(tree_, scaled), [&](RowId row) {
      if (found != none || taken_[row] || rows_.labels[row] != label) return;
      if (weight != nullptr && rows_.weight(row) != *weight) return;
      if (std::equal(given, given + rows_.width(), rows_.as_given(row))) found = row;
    });
    if (found != none) taken_[found] = true;
    return found;
  }

 private:
  const MondrianTree<M>& tree_;
  const Rows& rows_;
  std::vector<bool> taken_;
};

}  // namespace hedgerow::mondrian
