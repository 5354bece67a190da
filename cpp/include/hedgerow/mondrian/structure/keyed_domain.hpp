// SPDX-License-Identifier: BSD-3-Clause
// Where the process of keyed cuts runs: on a box that holds all rows. The closer it is to them, the fewer cuts are
// drawn that separate none. It is a part of the units: it does not shrink when rows leave, and where it changes trees
// have to be grown anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/keyed_cells.hpp"

namespace hedgerow::mondrian {

struct Domain {
  static constexpr std::uint64_t most_often = 2;  ///< widened; after that it is everywhere

  bool is_close = false;        ///< to the rows, or everywhere
  std::vector<float> corners;   ///< lower, then upper; none before trees have grown, or everywhere
  std::uint64_t n_widened = 0;  ///< since it was the smallest box around the rows

  [[nodiscard]] bool is_unsettled() const { return is_close && corners.empty(); }
  [[nodiscard]] bool has_room_for(const float* x) const {
    const std::size_t width = corners.size() / 2;
    return !is_close || (!corners.empty() && holds({corners.data(), corners.data() + width}, x, width));
  }

  /// One that has room for a row too, and for others that lie not much further away.
  [[nodiscard]] Domain widened(const float* x) const {
    if (is_unsettled() || n_widened == most_often) return {};
    Domain wider = *this;
    ++wider.n_widened;
    const std::size_t width = corners.size() / 2;
    for (std::size_t d = 0; d < width; ++d) {
      float &lower = wider.corners[d], &upper = wider.corners[width + d];
      lower = std::min(lower, x[d]);
      upper = std::max(upper, x[d]);
      const float margin = 0.25F * (upper - lower);
      lower = std::max(lower - margin, -keyed_reach);
      upper = std::min(upper + margin, keyed_reach);
    }
    return wider;
  }
};

}  // namespace hedgerow::mondrian
