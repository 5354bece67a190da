// SPDX-License-Identifier: BSD-3-Clause
// Rows as a growing tree reads them, column by column or row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/rows.hpp"
#include "hedgerow/numeric/compiler.hpp"

namespace hedgerow::mondrian {

/// The value of member i in column d is values[d * column_step + i * member_step].
struct Block {
  const float* values;
  std::size_t column_step, member_step;
  const double* labels;
  const RowId* rows;  ///< the row that member i is; null where member i is row i

  [[nodiscard]] RowId row(std::uint32_t member) const { return rows == nullptr ? member : rows[member]; }
  [[nodiscard]] bool is_row_major() const { return column_step == 1; }
};

inline constexpr std::size_t far_ahead = 32;  // rows between asking for a value and using it

/// Stable partition of some members by value <= location, without branches. Returns how many go left. There must be
/// room for all in `spare`.
inline std::size_t deal(const Block& block, std::size_t d, float location, std::span<std::uint32_t> members,
                        std::uint32_t* spare) {
  const float* column = block.values + d * block.column_step;
  const std::size_t step = block.member_step, n = members.size();
  std::uint32_t* left = members.data();
  std::uint32_t* right = spare;
  const auto deal_one = [&](std::uint32_t member) {
    const bool goes_right = column[member * step] > location;
    *left = *right = member;
    left += static_cast<std::size_t>(!goes_right);
    right += static_cast<std::size_t>(goes_right);
  };
  std::size_t i = 0;
  for (; i + far_ahead < n; ++i) {
    numeric::prefetch(column + members[i + far_ahead] * step);
    deal_one(members[i]);
  }
  for (; i < n; ++i) deal_one(members[i]);
  std::copy(spare, right, left);
  return static_cast<std::size_t>(left - members.data());
}

/// The smallest and the largest value of some members, at least one, in a column.
inline std::pair<float, float> range_of(const Block& block, std::size_t d, std::span<const std::uint32_t> members) {
  const float* column = block.values + d * block.column_step;
  float lower = column[members[0] * block.member_step], upper = lower;
  for (const std::uint32_t member : members) {
    const float value = column[member * block.member_step];
    lower = std::min(lower, value);
    upper = std::max(upper, value);
  }
  return {lower, upper};
}

/// Do all rows lie on one point? Most often the first two tell.
inline bool lie_on_one_point(const Block& block, std::span<const std::uint32_t> members, std::size_t width) {
  for (const std::uint32_t member : members.subspan(1)) {
    for (std::size_t d = 0; d < width; ++d) {
      const float* column = block.values + d * block.column_step;
      if (column[member * block.member_step] != column[members[0] * block.member_step]) return false;
    }
  }
  return true;
}

/// Are the labels all equal?
inline bool have_one_label(const Block& block, std::span<const std::uint32_t> members) {
  const double first = block.labels[members[0]];
  return std::all_of(members.begin(), members.end(),
                     [&](std::uint32_t member) { return block.labels[member] == first; });
}

/// All features of a forest turned over, so that one column of a large block is read in one sweep.
inline std::vector<float> transposed(const Rows& rows) {
  std::vector<float> columns(rows.features.size());
  constexpr std::size_t tile = 64;
  const std::size_t n = rows.capacity(), width = rows.width();
  for (std::size_t begin = 0; begin < n; begin += tile) {
    const std::size_t end = std::min(n, begin + tile);
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t i = begin; i < end; ++i) columns[d * n + i] = rows.features[i * width + d];
    }
  }
  return columns;
}

}  // namespace hedgerow::mondrian
