// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "hedgerow/bart/new_sampler.hpp"

namespace hedgerow::bindings {

using bart::Move, bart::ResponseKind, bart::Settings, bart::Start, bart::VaryingNoise;

void bind_bart_settings(nb::module_& m) {
  nb::enum_<Move>(m, "TreeMove")
      .value("grow_prune", Move::grow_prune)
      .value("even_grow_prune", Move::even_grow_prune)
      .value("cgm", Move::cgm)
      .value("perturb", Move::perturb)
      .value("change", Move::change)
      .value("swap", Move::swap)
      .value("heat_bath", Move::heat_bath)
      .value("exchange", Move::exchange)
      .value("graft", Move::graft)
      .value("graft_alike", Move::graft_alike)
      .value("subtree_particles", Move::subtree_particles)
      .value("particles", Move::particles);
  nb::enum_<ResponseKind>(m, "ResponseKind")
      .value("normal", ResponseKind::normal)
      .value("probit", ResponseKind::probit)
      .value("classes", ResponseKind::classes);
  nb::enum_<Start>(m, "ChainStart").value("leaves", Start::leaves).value("prior", Start::prior);
  nb::class_<VaryingNoise>(m, "VaryingNoise")
      .def(
          "__init__",
          [](VaryingNoise* self, std::size_t n_trees, double leaf_shape, double leaf_scale, double floor) {
            new (self) VaryingNoise{n_trees, {leaf_shape, leaf_scale}, floor * floor};
          },
          nb::kw_only(), nb::arg("n_trees"), nb::arg("leaf_shape"), nb::arg("leaf_scale"), nb::arg("floor"));
  nb::class_<Settings>(m, "SumSettings")
      .def(
          "__init__",
          [](Settings* self, posterior_tree::TreePrior prior, double leaf_deviation, std::size_t n_trees,
             std::vector<std::pair<Move, std::uint32_t>> moves, std::uint32_t n_rounds, std::size_t n_particles,
             double noise_df, double noise_scale, const VaryingNoise* varying) {
            new (self) Settings{prior,       leaf_deviation, n_trees,     {std::move(moves), n_rounds},
                                n_particles, noise_df,       noise_scale, varying ? *varying : VaryingNoise{}};
          },
          nb::kw_only(), nb::arg("prior"), nb::arg("leaf_deviation"), nb::arg("n_trees"), nb::arg("moves"),
          nb::arg("n_rounds"), nb::arg("n_particles"), nb::arg("noise_df"), nb::arg("noise_scale"),
          nb::arg("varying").none() = nb::none());
}

}  // namespace hedgerow::bindings
