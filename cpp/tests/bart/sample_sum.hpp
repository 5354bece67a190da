// SPDX-License-Identifier: BSD-3-Clause
// A small problem with ties, equal rows and a constant column, for the tests of this room.
#pragma once

#include "hedgerow/bart/new_sampler.hpp"
#include "posterior_tree/sample_target.hpp"

namespace hedgerow::bart {

using posterior_tree::leaf_of, posterior_tree::leaf_variance, posterior_tree::noise_variance;
using posterior_tree::sample_data, posterior_tree::sample_labels, posterior_tree::sample_points;
using posterior_tree::sample_rows, posterior_tree::sample_weights, posterior_tree::sample_width;

inline Settings sample_settings(Plan plan, std::size_t n_trees, VaryingNoise varying = {}) {
  return {posterior_tree::sample_prior, std::sqrt(leaf_variance), n_trees, std::move(plan), 4, 3.0, 0.1, varying};
}

inline Problem sample_problem(Plan plan, std::size_t n_trees, bool weighted = false, bool varying = false) {
  const VaryingNoise noise{varying ? std::size_t{3} : std::size_t{0}, {3.0, 2.5}, 1e-4};
  return problem_for(sample_data(), sample_weights(weighted), sample_settings(std::move(plan), n_trees, noise));
}

}  // namespace hedgerow::bart
