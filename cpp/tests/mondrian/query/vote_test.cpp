// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/query/vote.hpp"

#include <array>
#include <bit>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

/// The votes of one tree on a point, and what it leaves to the base distribution.
using Votes = std::array<double, n_classes + 1>;

std::vector<Votes> votes_on(const Asking<StableHierarchy>& asking, const float* points, std::size_t n) {
  std::vector<Votes> found(n, Votes{});
  Voter voter;
  voter.go_down(asking, points, n);
  voter.vote(
      asking, [&](std::size_t i, label::ClassId c, double probability) { found[i][c] += probability; },
      [&](std::size_t i, double left) { found[i].back() += left; });
  return found;
}

TEST(votes_on_many_points_are_those_on_each) {
  const label::ClassQuery query{std::vector<double>(n_classes, 1.0 / n_classes), 0.0, 0.8};
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {1, 3, 9, 20}) {
      for (const double lifetime : {infinity, 1.0}) {
        const Sample sample = with_classes(draw_sample(60, width, kind));
        const auto forest = grown_forest<StableHierarchy>(sample, 2, {2.0, lifetime});
        Sample asked = draw_sample(40, width, Kind::plain, 77);
        asked.features.insert(asked.features.end(), sample.features.begin(), sample.features.end());
        for (const double scale : {-1e3, 1e6, 1e15}) asked.features.insert(asked.features.end(), width, scale);
        const std::vector<float> points(asked.features.begin(), asked.features.end());
        for (const auto& tree : forest.trees) {
          const Asking<StableHierarchy> asking{tree, forest.rows, forest.growth, forest.model, query};
          const auto together = votes_on(asking, points.data(), points.size() / width);
          for (std::size_t i = 0; i < together.size(); ++i) {
            const Votes alone = votes_on(asking, points.data() + i * width, 1)[0];
            double total = 0.0;
            for (std::size_t c = 0; c < alone.size(); ++c) {
              CHECK(std::bit_cast<std::uint64_t>(together[i][c]) == std::bit_cast<std::uint64_t>(alone[c]));
              CHECK(alone[c] >= 0.0);
              total += alone[c];
            }
            if (kind == Kind::plain) CHECK_NEAR(total, 1.0, 1e-12);
            CHECK(total > 0.0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
