// SPDX-License-Identifier: BSD-3-Clause
// Which rows are equal, in features (forest units) and label, which is a class: they lie in the same leaf of every
// tree, and are one place. Exactly one of the rows of a place stands for it; the others are marked as repeated. When
// that row leaves, another stands for the place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/rows.hpp"

namespace hedgerow::mondrian {

class Places {
 public:
  /// How many there are.
  [[nodiscard]] std::size_t size() const { return first_.size(); }
  /// The same by class; classes that never came may be missing.
  [[nodiscard]] const std::vector<std::size_t>& by_class() const { return by_class_; }
  [[nodiscard]] std::size_t n_bytes() const {
    return first_.size() * (sizeof(*first_.begin()) + 2 * sizeof(void*)) + first_.bucket_count() * sizeof(void*) +
           (next_.capacity() + previous_.capacity()) * sizeof(RowId) + by_class_.capacity() * sizeof(std::size_t);
  }

  /// If there is no memory for it, the row has not arrived.
  void arrive(Rows& rows, RowId row) {
    const std::uint64_t key = key_of(rows, row);
    const auto [begin, end] = first_.equal_range(key);
    const auto found = std::find_if(begin, end, [&](const auto& entry) { return are_equal(rows, entry.second, row); });
    if (!next_.empty() || found != end) {
      next_.resize(std::max(next_.size(), rows.capacity()), tree::none);
      previous_.resize(std::max(previous_.size(), rows.capacity()), tree::none);
      next_[row] = previous_[row] = tree::none;
    }
    rows.mark_repeated(row, found != end);
    if (found == end) {
      const auto label = static_cast<std::size_t>(rows.labels[row]);
      if (label >= by_class_.size()) by_class_.resize(label + 1, 0);
      first_.emplace(key, row);
      ++by_class_[label];
    } else {
      link(row, found->second, next_[found->second]);
    }
  }

  using First = std::unordered_multimap<std::uint64_t, RowId>;  ///< the row that stands for each place, by its key
  using Entry = First::node_type;

  /// Returns what `come_back` needs; neither asks for memory.
  Entry leave(Rows& rows, RowId row) noexcept {
    if (is_linked(row)) {
      next_[previous_[row]] = next_[row];
      if (next_[row] != tree::none) previous_[next_[row]] = previous_[row];
      return {};
    }
    const auto own = entry_of(rows, row, row);
    if (!is_followed(row)) {
      --by_class_[static_cast<std::size_t>(rows.labels[row])];
      return first_.extract(own);
    }
    own->second = next_[row];
    previous_[next_[row]] = tree::none;
    rows.mark_repeated(next_[row], false);
    rows.mark_repeated(row, true);
    return {};
  }

  /// The row that left last was never away.
  void come_back(Rows& rows, RowId row, Entry&& entry) noexcept {
    if (is_linked(row)) {
      next_[previous_[row]] = row;
      if (next_[row] != tree::none) previous_[next_[row]] = row;
    } else if (!entry.empty()) {
      ++by_class_[static_cast<std::size_t>(rows.labels[row])];
      first_.insert(std::move(entry));
    } else {
      entry_of(rows, row, next_[row])->second = row;
      previous_[next_[row]] = row;
      rows.mark_repeated(next_[row], true);
      rows.mark_repeated(row, false);
    }
  }

  /// Does the row stand for others too, one of which would have to take over?
  [[nodiscard]] bool is_followed(RowId row) const {
    return !next_.empty() && previous_[row] == tree::none && next_[row] != tree::none;
  }

  /// The first row of the same place, in the order in which they would take over, of which `stays(row)` is true, or
  /// none; `row` stands for the place.
  template <class Stays>
  [[nodiscard]] RowId first_follower(RowId row, Stays&& stays) const {
    if (next_.empty()) return tree::none;
    RowId follower = next_[row];
    while (follower != tree::none && !stays(follower)) follower = next_[follower];
    return follower;
  }

 private:
  static std::uint64_t key_of(const Rows& rows, RowId row) {
    std::uint64_t key = std::bit_cast<std::uint64_t>(rows.labels[row] + 0.0);
    for (std::size_t d = 0; d < rows.width(); ++d) {
      key = (key ^ std::bit_cast<std::uint32_t>(rows.row(row)[d] + 0.0F)) * 0x9E3779B97F4A7C15;
      key ^= key >> 29;
    }
    return key;
  }
  static bool are_equal(const Rows& rows, RowId a, RowId b) {
    return rows.labels[a] == rows.labels[b] && std::equal(rows.row(a), rows.row(a) + rows.width(), rows.row(b));
  }
  void link(RowId row, RowId before, RowId after) {
    previous_[row] = before;
    next_[row] = after;
    next_[before] = row;
    if (after != tree::none) previous_[after] = row;
  }

  /// Does another row stand for the row's place?
  [[nodiscard]] bool is_linked(RowId row) const { return !next_.empty() && previous_[row] != tree::none; }
  /// Of the place of `row`, for which `first` stands.
  First::iterator entry_of(const Rows& rows, RowId row, RowId first) {
    const auto [begin, end] = first_.equal_range(key_of(rows, row));
    return std::find_if(begin, end, [&](const auto& entry) { return entry.second == first; });
  }

  First first_;
  std::vector<RowId> next_, previous_;  ///< rows of one place; empty while no two rows are equal
  std::vector<std::size_t> by_class_;   ///< how many places there are of each class
};

}  // namespace hedgerow::mondrian
