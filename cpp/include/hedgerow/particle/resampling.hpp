// SPDX-License-Identifier: BSD-3-Clause
// Resampling: how many copies of each particle go on. Both schemes give particle c, on average, n times its weight;
// the number of draws need not be the number of particles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/random/stream.hpp"

namespace hedgerow::particle {

enum class Resampling { multinomial, systematic };

/// n points on (0, 1) in rising order: independent ones, or one in each n-th at the same place (Douc, Cappé and
/// Moulines 2005).
inline std::vector<double> resampling_points(Resampling scheme, std::size_t n, random::Stream& stream) {
  std::vector<double> points(n);
  if (scheme == Resampling::systematic) {
    const double place = stream.uniform();
    for (std::size_t i = 0; i < n; ++i) points[i] = (static_cast<double>(i) + place) / static_cast<double>(n);
    return points;
  }
  // Arrivals of a Poisson process, divided by one arrival more, are independent uniforms in order.
  double arrival = 0.0;
  for (double& point : points) point = arrival += stream.exponential();
  arrival += stream.exponential();
  for (double& point : points) point /= arrival;
  return points;
}

/// Number of copies of each particle, n in all. Weights add up to one.
inline std::vector<std::uint32_t> offspring(Resampling scheme, std::span<const double> weights, std::size_t n,
                                            random::Stream& stream) {
  std::vector<std::uint32_t> copies(weights.size(), 0);
  std::size_t last = weights.size() - 1;  // takes what rounding leaves over, unless it has no weight
  while (last > 0 && weights[last] == 0.0) --last;
  std::size_t c = 0;
  double covered = weights[0];
  for (const double point : resampling_points(scheme, n, stream)) {
    while (point >= covered && c < last) covered += weights[++c];
    ++copies[c];
  }
  return copies;
}

}  // namespace hedgerow::particle
