// SPDX-License-Identifier: BSD-3-Clause
// Which moves a tree makes in a sweep, and how often. The numbers must not depend on the tree: each move leaves its
// distribution as it was, and so does any fixed sequence of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hedgerow::bart {

enum class Move : std::uint8_t {
  grow_prune,       ///< grow or prune; the only possible one of the two is certain
  cgm,              ///< grow, prune, change or swap, a quarter each
  even_grow_prune,  ///< grow or prune, half each
  perturb,
  change,
  swap,
  heat_bath,
  exchange,
  subtree_particles,
  particles,
};

struct Plan {
  std::vector<std::pair<Move, std::uint32_t>> moves;

  [[nodiscard]] bool has_particles() const {
    for (const auto& [move, count] : moves) {
      if (count > 0 && (move == Move::subtree_particles || move == Move::particles)) return true;
    }
    return false;
  }
};

}  // namespace hedgerow::bart
