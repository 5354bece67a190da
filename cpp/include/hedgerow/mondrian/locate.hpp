// SPDX-License-Identifier: BSD-3-Clause
// Finding rows again by what they are, so that they can be unlearned. A tree is its own index: the row is looked for in
// the leaf where it falls. A row is known by its print, or by its features in forest units. These agree to the last bit
// unless the forest was rescaled after the row came, which rounds: little where the map is flat, much where it is
// steep. Then a row whose print is not known (columns were added since) is the nearest one within some rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/descend.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Locator {
 public:
  Locator(const MondrianTree<M>& tree, const Rows& rows, bool was_rescaled)
      : tree_(tree), rows_(rows), was_rescaled_(was_rescaled), taken_(rows.capacity(), false) {}

  /// A row like this that was not found before; none if there is no such row. `x` is in forest units; the weight
  /// matters unless it is null.
  RowId find(const float* x, std::uint32_t print, double label, const double* weight) {
    if (tree_.shape.is_empty()) return none;
    best_ = none;
    nearest_ = was_rescaled_ ? rounding : 0.0;
    const auto consider = [&](RowId row) {
      if (taken_[row] || rows_.labels[row] != label || (weight != nullptr && rows_.weight(row) != *weight)) return;
      const std::uint32_t known = rows_.prints.empty() ? 0 : rows_.prints[row];
      if (known != 0 && known != print && was_rescaled_) return;
      const double distance = known == print ? 0.0 : apart(x, rows_.row(row));
      if (distance > nearest_ || (distance == nearest_ && best_ != none)) return;
      nearest_ = distance;
      best_ = row;
    };
    tree_.shape.for_each_row(leaf_of(tree_, x), consider);
    if (best_ == none && was_rescaled_) rows_.for_each(consider);  // rounding may have carried it across a split
    if (best_ != none) taken_[best_] = true;
    return best_;
  }

 private:
  static constexpr double rounding = 1e-5;

  /// The largest difference in a column, relative to the values where they are large.
  [[nodiscard]] double apart(const float* a, const float* b) const {
    double largest = 0.0;
    for (std::size_t d = 0; d < rows_.width(); ++d) {
      const auto first = static_cast<double>(a[d]), second = static_cast<double>(b[d]);
      largest = std::max(largest, std::abs(first - second) / std::max(1.0, std::abs(first)));
    }
    return largest;
  }

  const MondrianTree<M>& tree_;
  const Rows& rows_;
  bool was_rescaled_;
  std::vector<bool> taken_;
  RowId best_ = none;
  double nearest_ = 0.0;
};

}  // namespace hedgerow::mondrian
