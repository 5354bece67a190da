// SPDX-License-Identifier: BSD-3-Clause
// A small problem with ties, equal rows and a constant column, for the tests of this room.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "hedgerow/bart/archive.hpp"
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

/// A file in memory: arrays by their names.
using Arrays = std::map<std::string,
                        std::variant<std::vector<std::uint8_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>,
                                     std::vector<Fixed>, std::vector<float>, std::vector<double>>>;

inline Arrays stored(const Sampler& sampler) {
  Arrays arrays;
  archive(sampler, [&](auto&& part, const std::string& prefix) {
    part.for_each_array([&](const char* key, auto& values) { arrays[prefix + key] = values; });
  });
  return arrays;
}

/// Reads such a file.
inline auto from(const Arrays& arrays) {
  return [arrays](auto& part, const std::string& prefix) {
    part.for_each_array([&](const char* key, auto& values) {
      values = std::get<std::decay_t<decltype(values)>>(arrays.at(prefix + key));
    });
  };
}

}  // namespace hedgerow::bart
