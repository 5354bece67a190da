// SPDX-License-Identifier: BSD-3-Clause
// With what probability each point leaves a tree on each edge where it may: Lakshminarayanan, Roy and Teh (2016),
// supplement, Algorithm 5, lines 4 to 8, for many points at once, linked so that a point's edges can be followed up
// from its leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::mondrian {

struct Leaving {
  std::vector<double> weights;          ///< per departure: the probability of leaving there
  std::vector<std::uint32_t> previous;  ///< per departure: the one before on the same path, or none
  std::vector<std::uint32_t> last;      ///< per point: its last departure, or none
  std::vector<double> stay;             ///< per point: the probability of reaching its leaf

  /// Of n points; survivals are the probabilities of passing the edges all the same.
  void work_out(std::span<const Departure> departures, const std::vector<double>& survivals, std::size_t n) {
    stay.assign(n, 1.0);
    last.assign(n, tree::none);
    previous.resize(departures.size());
    weights.resize(departures.size());
    for (std::uint32_t k = 0; k < departures.size(); ++k) {
      const std::uint32_t point = departures[k].point;
      weights[k] = stay[point] * (1.0 - survivals[k]);
      stay[point] *= survivals[k];
      previous[k] = last[point];
      last[point] = k;
    }
  }
};

}  // namespace hedgerow::mondrian
