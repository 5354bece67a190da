// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/archive.hpp"

#include <functional>
#include <type_traits>

#include "check.hpp"
#include "hedgerow/mondrian/query/ask_mixtures.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

/// A forest of the same make as `like`, filled from the archive.
template <class M>
Forest<M> restored(const Forest<M>& like, const Archive& archive) {
  auto forest = empty_forest<M>(like.rows.width(), like.trees.size(), like.growth, like.window);
  restore(forest, archive);
  return forest;
}

/// Rows learned, some forgotten, so that there are freed rows and freed nodes.
template <class M>
Forest<M> lived_forest(Kind kind, std::size_t window, double lifetime = infinity) {
  auto forest = learned_forest<M>(draw_sample(40, 2, kind), 2, {3.0, lifetime}, window);
  const std::vector<RowId> leaving{3, 17, 8};
  if (window == 0) forest.forget(leaving, 1);
  return forest;
}

template <class M>
std::vector<double> answers(const Forest<M>& forest) {
  const Sample sample = draw_sample(20, forest.rows.width(), Kind::plain, 99);
  MixtureMoments found = predict_moments(forest, {sample.features.data(), 20}, {0.5, 1.0}, 1);
  const std::vector<double> variances = found.variances({0.5, 1.0});
  found.mean.insert(found.mean.end(), variances.begin(), variances.end());
  return found.mean;
}

TEST(restore_undoes_archive) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t window : {0, 15}) {
      for (const double lifetime : {infinity, 1.0}) {
        const auto forest = lived_forest<GaussianHierarchy>(kind, window, lifetime);
        const auto copy = restored(forest, archived(forest));
        CHECK(same_bits(copy, forest) && is_sound(copy));
        CHECK(answers(copy) == answers(forest));
      }
    }
  }
}

TEST(an_empty_forest_can_be_restored) {
  const auto forest = empty_forest<RunningMoments>(3, 2);
  CHECK(same_bits(restored(forest, archived(forest)), forest));
}

TEST(a_restored_forest_goes_on_as_if_nothing_had_happened) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t window : {0, 15}) {
      auto forest = lived_forest<GaussianHierarchy>(kind, window);
      auto copy = restored(forest, archived(forest));
      const Sample more = draw_sample(30, 2, kind, 7);
      for (auto* each : {&forest, &copy}) {
        each->learn(more.all(), 1);
        each->forget(each->locate(more.batch(20, 5)), 1);
      }
      CHECK(same_bits(copy, forest) && is_sound(copy));
    }
  }
}

TEST(an_array_of_the_wrong_length_is_refused) {
  const auto forest = lived_forest<RunningMoments>(Kind::weighted, 15);
  Archive good = archived(forest);
  good.for_each([&](const std::string& name, const auto& values) {
    for (const bool longer : {false, true}) {
      if (values.empty() && !longer) continue;
      Archive bad = good;
      auto& own = bad.get<typename std::decay_t<decltype(values)>::value_type>(name);
      own.resize(longer ? own.size() + 1 : own.size() - 1);
      const bool refused = throws<archive::Broken>([&] { restored(forest, bad); });
      if (!refused) std::printf("  %s %s was accepted\n", longer ? "longer" : "shorter", name.c_str());
      CHECK(refused);
    }
  });
}

TEST(an_archive_with_any_number_replaced_is_refused_or_sound) {
  const auto forest = lived_forest<RunningMoments>(Kind::weighted_duplicates, 15);
  const Archive good = archived(forest);
  int n_accepted = 0, n_refused = 0;
  for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0},
                                   std::uint64_t{0x7F8000007F800000}, std::uint64_t{0x3F8000003F800000}}) {
    for (std::size_t position = 0;; ++position) {
      Archive bad = good;
      std::size_t first = 0;
      bool changed = false;
      bad.for_each([&](const std::string&, auto& values) {
        if (position >= first && position < first + values.size()) {
          std::memcpy(&values[position - first], &bits, sizeof(values[0]));
          changed = true;
        }
        first += values.size();
      });
      if (!changed) break;
      try {
        const auto copy = restored(forest, bad);
        ++n_accepted;
        for (const auto& tree : copy.trees) {
          CHECK(check_links(tree, copy.rows).empty() && check_blocks(tree, copy.rows, copy.growth, copy.model).empty());
        }
        CHECK(answers(copy).size() == 40);
      } catch (const std::invalid_argument&) {
        ++n_refused;
      }
    }
  }
  CHECK(n_accepted > 0 && n_refused > n_accepted / 4);
}

TEST(each_kind_of_damage_is_refused) {
  const auto forest = lived_forest<RunningMoments>(Kind::weighted, 15);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(Archive&)>> damages{
      [](Archive& a) { a.get<float>("rows.features")[0] = static_cast<float>(infinity); },
      [](Archive& a) { a.get<double>("rows.given")[0] = nan; },
      [](Archive& a) { a.get<double>("rows.given")[2 * a.get<RowId>("rows.arrival_order")[0]] += 1.0; },
      [](Archive& a) { a.get<double>("rows.given").pop_back(); },
      [](Archive& a) { a.get<double>("rows.labels")[0] = nan; },
      [](Archive& a) { a.get<double>("rows.weights")[0] = 0.0; },
      [](Archive& a) { a.get<double>("rows.weights")[0] = -1.0; },
      [](Archive& a) { a.get<RowId>("rows.freed")[1] = a.get<RowId>("rows.freed")[0]; },
      [](Archive& a) { a.get<RowId>("rows.freed")[0] = none; },
      [](Archive& a) { a.get<RowId>("rows.arrival_order")[0] = none; },
      [](Archive& a) { a.get<RowId>("rows.arrival_order")[1] = a.get<RowId>("rows.arrival_order")[0]; },
      [](Archive& a) { a.get<RowId>("rows.arrival_order")[0] = a.get<RowId>("rows.freed")[0]; },
      [](Archive& a) { a.get<double>("summaries.values")[0] = nan; },
      [](Archive& a) { a.get<double>("summaries.values")[0] = 0.0; },
      [](Archive& a) { a.get<std::uint32_t>("summaries.node")[0] = none; },
      [](Archive& a) { a.get<std::uint32_t>("summaries.node").pop_back(); },
      [](Archive& a) { --a.get<std::uint64_t>("trees.n_summaries")[0]; },
      [](Archive& a) { a.get<std::uint64_t>("trees.n_summaries")[0] = ~std::uint64_t{0}; },
      [](Archive& a) { a.get<double>("seen.labels")[1] = infinity; },
      [](Archive& a) { a.get<double>("scaling.slopes")[0] = 0.0; },
      [](Archive& a) { a.get<double>("scaling.values")[0] = nan; },
      [](Archive& a) { a.get<std::uint64_t>("scaling.first_knot")[1] = 2; },
      [](Archive& a) { a.get<std::uint64_t>("scaling.first_knot")[0] = 1; },
      [](Archive& a) { a.get<std::uint64_t>("scaling.first_knot") = {0, ~std::uint64_t{0}, 2}; },
      [](Archive& a) { ++a.get<std::uint64_t>("trees.n_cuts")[0]; },
      [](Archive& a) { --a.get<std::uint64_t>("trees.n_cuts")[0]; },
      [](Archive& a) { a.get<std::uint64_t>("trees.n_cuts")[0] = ~std::uint64_t{0}; },
      [](Archive& a) { a.get<std::uint64_t>("trees.n_cuts")[0] = std::uint64_t{1} << 63; },
      [](Archive& a) { ++a.get<std::uint64_t>("trees.n_freed")[0]; },
      [](Archive& a) { a.get<std::uint64_t>("trees.n_freed")[1] = ~std::uint64_t{0}; },
      [](Archive& a) { a.get<std::uint8_t>("trees.in_order")[0] = 1; },
      [](Archive& a) { a.get<std::uint8_t>("nodes.kind")[0] = 0; },
      [](Archive& a) { a.get<std::uint8_t>("nodes.kind")[0] = 1; },
      [](Archive& a) { a.get<std::uint8_t>("nodes.kind")[0] = 255; },
      [](Archive& a) { a.get<std::uint8_t>("nodes.kind").pop_back(); },
      [](Archive& a) { a.get<std::uint8_t>("nodes.kind").push_back(0); },
      [](Archive& a) { a.get<std::uint32_t>("nodes.freed")[0] = 2; },
      [](Archive& a) { a.get<std::uint32_t>("nodes.freed")[0] = none; },
      [](Archive& a) { a.get<std::uint32_t>("cuts.children")[0] = 0; },
      [](Archive& a) { a.get<std::uint32_t>("cuts.children")[0] = a.get<std::uint32_t>("cuts.children")[1]; },
      [](Archive& a) { a.get<std::uint32_t>("cuts.children")[0] = none; },
      [](Archive& a) { a.get<float>("cuts.time")[0] = std::numeric_limits<float>::quiet_NaN(); },
      [](Archive& a) { a.get<float>("cuts.location")[0] = std::numeric_limits<float>::infinity(); },
      [](Archive& a) { a.get<RowId>("leaves.rows")[0] = none; },
      [](Archive& a) { a.get<RowId>("leaves.rows")[0] = a.get<RowId>("leaves.rows")[1]; },
      [](Archive& a) { a.get<RowId>("leaves.rows")[0] = a.get<RowId>("rows.freed")[0]; },
      [](Archive& a) { a.get<RowId>("leaves.rows").pop_back(); },
      [](Archive& a) { a.get<std::uint32_t>("leaves.n_rows")[0] = 0; },
      [](Archive& a) { a.get<std::uint32_t>("leaves.n_rows")[0] = ~0U; },
      [](Archive& a) { a.get<float>("leaves.count")[0] = 0.0F; },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    Archive bad = archived(forest);
    damages[i](bad);
    const bool refused = throws<std::invalid_argument>([&] { restored(forest, bad); });
    if (!refused) std::printf("  damage %zu was accepted\n", i);
    CHECK(refused);
  }
}

TEST(knots_that_do_not_increase_are_refused) {
  auto forest = empty_forest<RunningMoments>(1, 1);
  Archive archive = archived(forest);
  archive.get<std::uint64_t>("scaling.first_knot") = {0, 2};
  archive.get<double>("scaling.values") = {1.0, 2.0};
  archive.get<double>("scaling.images") = {0.0, 1.0};
  restore(forest, archive);
  CHECK(forest.scaling.image(0, 1.5) == 0.5F);
  archive.get<double>("scaling.values") = {1.0, 1.0};
  CHECK_THROWS(std::invalid_argument, restore(forest, archive));
  archive.get<double>("scaling.values") = {1.0, 2.0};
  archive.get<double>("scaling.images") = {1.0, 0.0};
  CHECK_THROWS(std::invalid_argument, restore(forest, archive));
}

TEST(a_forest_of_another_make_is_refused) {
  const auto forest = lived_forest<RunningMoments>(Kind::plain, 0);
  const Archive archive = archived(forest);
  auto wider = empty_forest<RunningMoments>(3, 2, forest.growth),
       larger = empty_forest<RunningMoments>(2, 3, forest.growth);
  auto windowed = empty_forest<RunningMoments>(2, 2, forest.growth, 15);
  auto other_model = empty_forest<GaussianHierarchy>(2, 2, forest.growth);
  CHECK_THROWS(std::invalid_argument, restore(wider, archive));
  CHECK_THROWS(std::invalid_argument, restore(larger, archive));
  CHECK_THROWS(std::invalid_argument, restore(windowed, archive));
  CHECK_THROWS(std::invalid_argument, restore(other_model, archive));
}

}  // namespace
}  // namespace hedgerow::mondrian
