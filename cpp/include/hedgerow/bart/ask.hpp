// SPDX-License-Identifier: BSD-3-Clause
// What all chains of a sampler have drawn: predictions, numbers of splits and traces, chain after chain.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "hedgerow/bart/point_block.hpp"
#include "hedgerow/bart/sampler.hpp"

namespace hedgerow::bart {

/// The trees of the mean, or those of the noise.
enum class Part : std::uint8_t { mean, noise };

inline const TreesOfDraws& trees_of(const Draws& draws, Part part) { return part == Part::mean ? draws : draws.noise; }

inline std::size_t n_sums(const Sampler& sampler, Part part) {
  return part == Part::mean ? sampler.response().n_sums() : 1;
}

/// Trees of a sum. Those of the noise are there only if it varies.
inline std::size_t n_trees(const Sampler& sampler, Part part) {
  if (part == Part::mean) return sampler.problem().n_trees;
  if (sampler.response().varying.n_trees == 0) throw std::invalid_argument("the noise is constant");
  return sampler.response().varying.n_trees;
}

/// What trees add up to at some points, in a few sums of draws: the sums of a draw one after the other, draws chain
/// after chain.
struct Totals {
  static constexpr std::size_t most = 8;  ///< as many as a line of the cache holds of a point's

  std::size_t first_point, n_points, first, n = 0;                     ///< n of them, from the first on
  std::vector<double> numbers = std::vector<double>(most * n_points);  ///< by points

  [[nodiscard]] const double* row(std::size_t i) const { return numbers.data() + i * n_points; }
};

/// Calls `use` with the totals of all points. Points are divided evenly between threads, and each part is so small that
/// its bins fit in the cache, or nearly.
template <class Use>
void for_each_total(const Sampler& sampler, Part part, Points points, std::size_t n_threads, Use&& use) {
  const BinnedRows& data = sampler.problem().data;
  if (points.width != data.n_features) throw std::invalid_argument("wrong number of columns");
  const std::size_t of_sum = n_trees(sampler, part), sums = n_sums(sampler, part), n_draws = sampler.n_draws();
  const std::size_t fitting = std::clamp<std::size_t>(PointBlock::most_bytes / (points.width + 1), 1, PointBlock::most);
  const std::size_t n_turns = (points.n + n_threads * fitting - 1) / (n_threads * fitting);
  const std::size_t n_blocks = std::min(points.n, n_turns * n_threads);
  parallel::for_each_index(n_blocks, n_threads, [&](std::size_t b, std::size_t) {
    const std::size_t first = points.n * b / n_blocks, n = points.n * (b + 1) / n_blocks - first;
    const PointBlock block(data, {points.values + first * points.width, n, points.width});
    SumOfTables tables(block, data.n_features);
    Totals totals{first, n, 0};
    const auto flush = [&] {
      use(totals);
      totals.first += totals.n;
      totals.n = 0;
    };
    for (const Draws& draws : sampler.draws()) {
      CodeReader<float> reader(trees_of(draws, part).code);
      for (std::size_t sum = 0; sum < n_draws * sums; ++sum) {
        tables.sum_trees(reader, of_sum, totals.numbers.data() + totals.n * n);
        if (++totals.n == Totals::most) flush();
      }
    }
    flush();
  });
}

/// What the trees of each draw add up to: points by draws, chain after chain, by sums.
inline std::vector<double> predict(const Sampler& sampler, Part part, Points points, std::size_t n_threads) {
  const std::size_t a_point = sampler.draws().size() * sampler.n_draws() * n_sums(sampler, part);
  std::vector<double> found(points.n * a_point);
  for_each_total(sampler, part, points, n_threads, [&](const Totals& totals) {
    for (std::size_t i = 0; i < totals.n_points; ++i) {
      double* out = found.data() + (totals.first_point + i) * a_point + totals.first;
      for (std::size_t k = 0; k < totals.n; ++k) out[k] = totals.row(k)[i];
    }
  });
  return found;
}

/// Means over all draws, and then variances, of what the trees of a single sum add up to.
inline std::vector<double> moments(const Sampler& sampler, Points points, std::size_t n_threads) {
  std::vector<double> found(2 * points.n, 0.0);
  double *means = found.data(), *squares = found.data() + points.n;
  for_each_total(sampler, Part::mean, points, n_threads, [&](const Totals& totals) {
    for (std::size_t k = 0; k < totals.n; ++k) {
      update_moments(totals.row(k), totals.first + k + 1, totals.n_points, means + totals.first_point,
                     squares + totals.first_point);
    }
  });
  const double n_draws = static_cast<double>(sampler.draws().size() * sampler.n_draws());
  for (std::size_t i = 0; i < points.n; ++i) squares[i] /= n_draws;
  return found;
}

/// Probabilities of two classes by all draws, added up: of the first at all points, and then of the second. The odds
/// are multiplied by the weights of the classes.
inline std::vector<double> sum_probabilities(const Sampler& sampler, Points points,
                                             const std::array<double, 2>& weights, std::size_t n_threads) {
  if (sampler.response().n_sums() != 1) throw std::invalid_argument("there are more than two classes");
  std::vector<double> found(2 * points.n, 0.0);
  for_each_total(sampler, Part::mean, points, n_threads, [&](const Totals& totals) {
    double* first = found.data() + totals.first_point;
    for (std::size_t k = 0; k < totals.n; ++k) {
      add_probabilities(totals.row(k), sampler.response().offsets[0], weights.data(), totals.n_points, first,
                        first + points.n);
    }
  });
  return found;
}

/// How often the trees of each draw split each column: draws, chain after chain, by columns.
inline std::vector<std::uint32_t> count_splits(const Sampler& sampler, Part part) {
  const std::size_t trees_a_draw = n_sums(sampler, part) * n_trees(sampler, part), n_draws = sampler.n_draws();
  const std::size_t width = sampler.problem().data.n_features;
  std::vector<std::uint32_t> found(sampler.draws().size() * n_draws * width, 0);
  for (std::size_t c = 0; c < sampler.draws().size(); ++c) {
    const TreesOfDraws& draws = trees_of(sampler.draws()[c], part);
    for (std::size_t i = 0; i < n_draws; ++i) {
      const auto last = draws.n_rules_before(i + 1, trees_a_draw);
      for (auto rule = draws.n_rules_before(i, trees_a_draw); rule < last; ++rule) {
        ++found[(c * n_draws + i) * width + (draws.code.rules[rule] >> 8)];
      }
    }
  }
  return found;
}

/// Chains by draws by the four numbers of a trace point.
inline std::vector<double> traces(const Sampler& sampler) {
  std::vector<double> found;
  for (const Draws& draws : sampler.draws()) append(draws.trace, found);
  return found;
}

}  // namespace hedgerow::bart
