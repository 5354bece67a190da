// SPDX-License-Identifier: BSD-3-Clause
// What a forest with keyed cuts keeps besides its trees, so that these, and all that is said, are functions of the set
// of rows: sums of labels without rounding, and, for those who ask in which order rows came, that order. No tree
// depends on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/mondrian/structure/keyed_domain.hpp"
#include "hedgerow/mondrian/structure/rows.hpp"

namespace hedgerow::mondrian {

template <label::LabelModel M>
struct KeyedState {
  typename M::SeenSums sums{};           ///< of the labels held now
  std::vector<std::uint64_t> came_when;  ///< by row number: later rows have more
  std::uint64_t n_came = 0;
  Domain domain;

  /// A row comes (1) or leaves (-1). Returns what labels are seen now.
  typename M::Seen see(const M& model, const Rows& rows, RowId id, double sign) {
    model.count_seen(sums, rows.labels[id], rows.weight(id), sign);
    if (came_when.size() < rows.capacity()) came_when.resize(rows.capacity());
    if (sign > 0.0) came_when[id] = n_came++;
    return model.seen_of(sums);
  }

  /// All rows have come, in this order.
  void have_come(const Rows& rows, std::span<const RowId> in_order) {
    came_when.assign(rows.capacity(), 0);
    for (n_came = 0; n_came < in_order.size(); ++n_came) came_when[in_order[n_came]] = n_came;
  }

  [[nodiscard]] bool came_first(RowId a, RowId b) const { return came_when[a] < came_when[b]; }
  void sort_as_they_came(std::vector<RowId>& members) const {
    std::sort(members.begin(), members.end(), [&](RowId a, RowId b) { return came_first(a, b); });
  }
};

}  // namespace hedgerow::mondrian
