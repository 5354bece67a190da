// SPDX-License-Identifier: BSD-3-Clause
// How a sampler is put together from what a user sets and the rows.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hedgerow/bart/sampler.hpp"

namespace hedgerow::bart {

/// All that is not learned, and travels with a model's parameters.
struct Settings {
  posterior_tree::TreePrior prior;
  double leaf_deviation;  ///< of the values of leaves, before anything is known
  std::size_t n_trees;
  Plan plan;
  std::size_t n_particles;
  double noise_df, noise_scale;
  VaryingNoise varying;  ///< no trees if noise is constant
};

/// What trees should explain.
struct Observed {
  ResponseKind kind;
  std::vector<double> labels, weights;  ///< weights: empty if all are one
  std::vector<double> offsets;          ///< of each sum
};

/// Residuals up to so many times the prior deviation of a sum, or of a label, are exact.
inline constexpr double reach_of_residuals = 256.0;

inline Problem problem_for(BinnedRows data, std::vector<double> weights, const Settings& settings) {
  const double spread = settings.leaf_deviation * std::sqrt(static_cast<double>(settings.n_trees));
  const bool varies = settings.varying.n_trees > 0;
  const Units units =
      posterior_tree::units_for(weights, varies, data.n_rows, reach_of_residuals * std::max(1.0, spread));
  return {std::move(data), std::move(weights), settings.prior, settings.leaf_deviation * settings.leaf_deviation,
          units,           settings.n_trees,   settings.plan,  settings.n_particles,
          varies};
}

inline std::unique_ptr<Sampler> new_sampler(BinnedRows data, Observed observed, const Settings& settings,
                                            std::size_t n_chains, std::uint64_t seed, Start start) {
  const std::size_t n = data.n_rows;
  if (observed.labels.size() != n || (!observed.weights.empty() && observed.weights.size() != n)) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  Response response{observed.kind,     std::move(observed.labels), std::move(observed.offsets),
                    settings.noise_df, settings.noise_scale,       settings.varying};
  return std::make_unique<Sampler>(problem_for(std::move(data), std::move(observed.weights), settings),
                                   std::move(response), n_chains, seed, start);
}

}  // namespace hedgerow::bart
