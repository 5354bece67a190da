// SPDX-License-Identifier: BSD-3-Clause
// Chains and what they have drawn as an archive, and back. What comes back is checked, all of it, before use.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hedgerow/bart/new_sampler.hpp"
#include "hedgerow/bart/rows_archive.hpp"
#include "hedgerow/bart/trees_archive.hpp"

namespace hedgerow::bart {

inline void write_chain(const Draws& draws, const Chain& chain, bool with_utilities, const std::string& prefix,
                        archive::Archive& archive) {
  TreeCode<Fixed> state;
  for (const SumOfTrees& sum : chain.sums()) append(state, sum);
  write_trees(draws, state, chain.n_rounds(), prefix, archive);
  append(draws.trace, archive.add<double>(prefix + "draws.notes"));
  auto& utilities = archive.add<Fixed>(prefix + "state.utilities");
  for (const auto& of_sum : chain.utilities()) {
    if (with_utilities) utilities.insert(utilities.end(), of_sum.begin(), of_sum.end());
  }
  archive.add(prefix + "state.noise_variance", std::vector<double>{chain.noise_variance()});
}

inline archive::Archive archived(const Sampler& sampler) {
  archive::Archive archive;
  write_rows(sampler.problem().data, archive);
  for (std::size_t c = 0; c < sampler.chains().size(); ++c) {
    const Chain& chain = *sampler.chains()[c];
    write_chain(sampler.draws()[c], chain, sampler.response().kind != ResponseKind::normal, prefix_of(c), archive);
    if (!chain.noise_trees()) continue;
    TreeCode<Fixed> state;
    append(state, *chain.noise_trees());
    write_trees(sampler.draws()[c].noise, state, chain.n_rounds(), noise_prefix_of(c), archive);
  }
  return archive;
}

/// Of the logarithm of a variance: its exponential is a number still, and so are sums of them.
inline constexpr double most_log_variance = 500.0;
/// Of a leaf, of the noise and of a trace, where the range of the targets is 1: in the user's units, squares of these
/// are numbers still.
inline constexpr double most_in_units = 1e30;

inline Draws read_draws(const archive::Archive& archive, std::size_t chain, const Problem& problem,
                        const Response& response) {
  using archive::require;
  const auto& trace = archive.get<double>(prefix_of(chain) + "draws.notes");
  require(trace.size() % 4 == 0, "a trace is not whole");
  require(std::ranges::all_of(trace, [](double x) { return std::abs(x) <= most_in_units; }), "a trace is out of range");
  const std::size_t n_draws = trace.size() / 4;
  Draws draws;
  static_cast<TreesOfDraws&>(draws) =
      read_draws(archive, prefix_of(chain), problem.data, n_draws, response.n_sums() * problem.n_trees, most_in_units);
  for (std::size_t i = 0; i < trace.size(); i += 4) {
    require(trace[i] >= 0.0, "the noise of a draw is negative");
    draws.trace.push_back({trace[i], trace[i + 1], trace[i + 2], trace[i + 3]});
  }
  if (const std::size_t n_trees = response.varying.n_trees; n_trees > 0) {
    draws.noise = read_draws(archive, noise_prefix_of(chain), problem.data, n_draws, n_trees, most_log_variance);
  }
  return draws;
}

/// Utilities of a state, none of which exceeds a quarter of `most`.
inline Utilities read_utilities(const archive::Archive& archive, const std::string& prefix, const Problem& problem,
                                const Response& response, double most) {
  using archive::require;
  const auto& stored = archive.get<Fixed>(prefix + "state.utilities");
  const auto is_small = [&](Fixed value) { return std::abs(static_cast<double>(value)) * 4.0 <= most; };
  require(std::ranges::all_of(stored, is_small), "a utility is out of range");
  Utilities utilities = first_utilities(response, problem.units);
  if (response.kind == ResponseKind::normal) return utilities;
  const std::size_t n = problem.data.n_rows;
  require(stored.size() == n * utilities.size(), "utilities are missing");
  for (std::size_t k = 0; k < utilities.size(); ++k) {
    std::copy_n(stored.begin() + static_cast<std::ptrdiff_t>(k * n), n, utilities[k].begin());
  }
  return utilities;
}

inline void read_chain(const archive::Archive& archive, std::size_t index, const Problem& problem,
                       const Response& response, Chain& chain) {
  using archive::require;
  const std::string prefix = prefix_of(index);
  const auto& variance = archive.get<double>(prefix + "state.noise_variance");
  require(variance.size() == 1, "the state is not whole");
  require(variance[0] > 0.0 && std::isfinite(variance[0]), "the noise is not positive");
  const TreesOfState state = read_state(archive, prefix, response.n_sums() * problem.n_trees, problem.data);
  // So small that no sum over rows overflows, of what trees say and what they leave, each as often as its weight says.
  const double n_rows = static_cast<double>(problem.data.n_rows);
  const double most = 0x1p61 / std::max(n_rows, std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0));
  Utilities utilities = read_utilities(archive, prefix, problem, response, most);
  CodeReader<Fixed> reader(state.code);
  std::vector<std::vector<Tree>> trees(response.n_sums());
  for (auto& sum : trees) sum = next_trees(reader, problem.data, problem.n_trees, most);
  std::vector<Tree> noise_trees;
  if (const std::size_t n = response.varying.n_trees; n > 0) {
    const TreesOfState noise = read_state(archive, noise_prefix_of(index), n, problem.data);
    require(noise.round == state.round, "trees of the noise are of another round");
    CodeReader<Fixed> noise_reader(noise.code);
    noise_trees = next_trees(noise_reader, problem.data, n, most_log_variance / NoiseTrees::unit);
  }
  require(chain.restore(std::move(trees), std::move(noise_trees), std::move(utilities), variance[0], state.round),
          "a rule divides no rows");
}

/// A sampler that goes on as the one that was archived, given what travels with a model's parameters.
inline std::unique_ptr<Sampler> restored(const archive::Archive& archive, Observed observed, const Settings& settings,
                                         std::size_t n_chains, std::uint64_t seed) {
  auto sampler = new_sampler(read_rows(archive), std::move(observed), settings, n_chains, seed, Start::leaves);
  for (std::size_t c = 0; c < n_chains; ++c) {
    sampler->draws()[c] = read_draws(archive, c, sampler->problem(), sampler->response());
    read_chain(archive, c, sampler->problem(), sampler->response(), *sampler->chains()[c]);
    archive::require(sampler->draws()[c].size() == sampler->n_draws() &&
                         sampler->chains()[c]->n_rounds() == sampler->chains()[0]->n_rounds(),
                     "chains differ in length");
  }
  return sampler;
}

}  // namespace hedgerow::bart
