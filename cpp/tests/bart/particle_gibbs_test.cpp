// SPDX-License-Identifier: BSD-3-Clause
// After many draws by particles, a tree is what its rules make of the rows.
#include "hedgerow/bart/particle_gibbs.hpp"

#include "hedgerow/posterior_tree/moves/grow_prune.hpp"
#include "posterior_tree/check_tree.hpp"

namespace hedgerow::bart {
namespace {

posterior_tree::Moves<Target> moves_with(ParticleGibbs& particles) {
  return {
      {"grow or prune",
       [](auto& t, auto& tree, auto& s) {
         return posterior_tree::grow_or_prune(t, tree, posterior_tree::GrowChance::even, s);
       }},
      {"subtree", [&](auto& t, auto& tree, auto& s) { return particles.draw_subtree(t, tree, s); }},
      {"particles", [&](auto& t, auto& tree, auto& s) { return particles.draw_tree(t, tree, s); }},
  };
}

TEST(trees_are_what_their_rules_make_of_the_rows) {
  for (const bool weighted : {false, true}) {
    for (const double noise : {posterior_tree::noise_variance, 1e6}) {
      posterior_tree::SumStage stage(weighted);
      stage.evidence.set_noise(noise);
      ParticleGibbs particles(stage.data, posterior_tree::sample_weights(weighted), posterior_tree::sample_prior, 4);
      posterior_tree::check_moves(stage, moves_with(particles), 800);
    }
  }
}

TEST(particles_that_are_not_chosen_change_nothing_that_counts) {
  posterior_tree::SumStage stage(false);
  ParticleGibbs particles(stage.data, {}, posterior_tree::sample_prior, 4);
  posterior_tree::check_refusals(stage, moves_with(particles), 600);
}

}  // namespace
}  // namespace hedgerow::bart
