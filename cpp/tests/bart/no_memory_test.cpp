// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out in the middle of a sweep, and Ctrl-C, leave chains and draws as they were.
#include "failing_memory.hpp"
#include "hedgerow/bart/archive.hpp"
#include "interrupting.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

const Plan some_moves{{{Move::grow_prune, 1}, {Move::change, 1}, {Move::subtree_particles, 1}}, 1};

std::unique_ptr<Sampler> started(ResponseKind kind, bool varies) {
  std::vector<double> labels = sample_labels();
  for (double& label : labels) {
    if (kind == ResponseKind::classes) label = label > 1.2 ? 2.0 : label > 0.5 ? 1.0 : 0.0;
  }
  const std::vector<double> offsets = kind == ResponseKind::classes ? std::vector{0.3, 0.0, -0.2} : std::vector{0.0};
  const VaryingNoise noise{varies ? std::size_t{2} : std::size_t{0}, {4.0, 3.5}, 1e-6};
  return new_sampler(sample_data(), {kind, labels, {}, offsets}, sample_settings(some_moves, 2, noise), 2, 9,
                     Start::prior);
}

TEST(failed_allocations_leave_chains_and_draws_as_they_were) {
  struct Setting {
    ResponseKind kind;
    bool varies;
  };
  for (const auto& [kind, varies] : {Setting{ResponseKind::normal, false}, Setting{ResponseKind::normal, true},
                                     Setting{ResponseKind::classes, false}}) {
    const auto sampler = started(kind, varies), twin = started(kind, varies);
    std::size_t n_failed = 0;
    for (const std::size_t n_threads : {1, 2}) {
      const auto before = archived(*sampler);
      n_failed += tests::fail_until_it_succeeds([&] { sampler->run(2, 1, n_threads); },
                                                [&] { return archived(*sampler) == before; }, 13);
      twin->run(2, 1, 1);
      CHECK(archived(*sampler) == archived(*twin));
    }
    CHECK(n_failed > 30 && sampler->n_draws() == 4);
  }
}

TEST(interrupted_sweeps_leave_chains_and_draws_as_they_were) {
  for (const bool varies : {false, true}) {
    const auto sampler = started(ResponseKind::normal, varies), twin = started(ResponseKind::normal, varies);
    for (const std::size_t n_threads : {1, 2}) {
      const auto before = archived(*sampler);
      const std::size_t n_looks = tests::interrupt_until_it_ends([&] { sampler->run(2, 1, n_threads); },
                                                                 [&] { return archived(*sampler) == before; });
      CHECK(n_threads > 1 || n_looks == 2 * 2 * (sampler->problem().n_trees + (varies ? 2 : 0)));
      twin->run(2, 1, 1);
      CHECK(archived(*sampler) == archived(*twin));
    }
  }
}

}  // namespace
}  // namespace hedgerow::bart
