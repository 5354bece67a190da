// SPDX-License-Identifier: BSD-3-Clause
// Finding rows again by what they are, so that they can be unlearned. A tree is its own index: rows equal in the user's
// units are equal in forest units too, and so lie in one leaf. Of a large leaf an index is made.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hedgerow/mondrian/query/descend.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
class Locator {
 public:
  /// For this many rows.
  Locator(const MondrianTree<M>& tree, const Rows& rows, std::size_t n)
      : tree_(tree), rows_(rows), finds_many_(n > 1), taken_(rows.capacity(), false) {}

  /// A row like this that was not found before; none if there is no such row. `given` is in the user's units and
  /// `scaled` in the forest's; the weight matters unless it is null.
  RowId find(const double* given, const float* scaled, double label, const double* weight) {
    if (tree_.shape.is_empty()) return none;
    const NodeId leaf = leaf_of(tree_, scaled);
    const auto is_it = [&](RowId row) {
      return !taken_[row] && rows_.labels[row] == label && (weight == nullptr || rows_.weight(row) == *weight) &&
             std::equal(given, given + rows_.width(), rows_.as_given(row));
    };
    RowId found = none;
    if (finds_many_ && tree_.node(leaf).n_rows > Crowds<M>::few) {
      auto& alike = index_of(leaf)[key_of(given, label)];
      const auto at = std::find_if(alike.rbegin(), alike.rend(), is_it);
      if (at != alike.rend()) {
        found = *at;
        alike.erase(std::next(at).base());
      }
    } else {
      for (found = tree_.node(leaf).first_row; found != none && !is_it(found);) found = tree_.shape.next_row[found];
    }
    if (found != none) taken_[found] = true;
    return found;
  }

 private:
  using Index = std::unordered_map<std::uint64_t, std::vector<RowId>>;  ///< rows by a key of what they are, last first

  Index& index_of(NodeId leaf) {
    const auto [at, is_new] = indices_.try_emplace(leaf);
    if (is_new) {
      tree_.shape.for_each_row(
          leaf, [&](RowId row) { at->second[key_of(rows_.as_given(row), rows_.labels[row])].push_back(row); });
      for (auto& [key, alike] : at->second) std::reverse(alike.begin(), alike.end());
    }
    return at->second;
  }

  [[nodiscard]] std::uint64_t key_of(const double* given, double label) const {
    std::uint64_t key = std::bit_cast<std::uint64_t>(label + 0.0);
    for (std::size_t d = 0; d < rows_.width(); ++d) {
      key = (key ^ std::bit_cast<std::uint64_t>(given[d] + 0.0)) * 0x9E3779B97F4A7C15;
      key ^= key >> 29;
    }
    return key;
  }

  const MondrianTree<M>& tree_;
  const Rows& rows_;
  bool finds_many_;
  std::vector<bool> taken_;
  std::unordered_map<NodeId, Index> indices_;  ///< of large leaves
};

}  // namespace hedgerow::mondrian
