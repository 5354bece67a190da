// SPDX-License-Identifier: BSD-3-Clause
// Which moves a tree makes, and how often. The numbers must not depend on the tree: each move leaves its distribution
// as it was, and so does any fixed sequence of them. A sweep is one round over all trees, or several, each with noise
// and values drawn anew: where trees are few, that costs little and goes far.
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
  graft,
  graft_alike,
  subtree_particles,
  particles,
};

struct Plan {
  std::vector<std::pair<Move, std::uint32_t>> moves;  ///< in a round
  std::uint32_t n_rounds = 1;                         ///< in a sweep

  [[nodiscard]] bool has_particles() const {
    for (const auto& [move, count] : moves) {
      if (count > 0 && (move == Move::subtree_particles || move == Move::particles)) return true;
    }
    return false;
  }
};

}  // namespace hedgerow::bart
