// SPDX-License-Identifier: BSD-3-Clause
// What all chains of a sampler have drawn: predictions, numbers of splits and traces, chain after chain.
#pragma once

#include <stdexcept>
#include <vector>

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

/// What the trees of each draw add up to: draws, chain after chain, by sums by points.
inline std::vector<double> predict(const Sampler& sampler, Part part, Points points, std::size_t n_threads) {
  const BinnedRows& data = sampler.problem().data;
  if (points.width != data.n_features) throw std::invalid_argument("wrong number of columns");
  const std::size_t of_sum = n_trees(sampler, part), sums = n_sums(sampler, part);
  const std::size_t a_chain = sampler.n_draws() * sums * points.n;
  std::vector<double> found(sampler.draws().size() * a_chain);
  for (std::size_t c = 0; c < sampler.draws().size(); ++c) {
    predict(trees_of(sampler.draws()[c], part), data, sums, of_sum, points, n_threads, found.data() + c * a_chain);
  }
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
