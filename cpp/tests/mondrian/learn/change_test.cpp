// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out at any allocation of any verb that changes a forest leaves the forest as it was.
#include "hedgerow/mondrian/learn/change.hpp"

#include <algorithm>

#include "check.hpp"
#include "failing_memory.hpp"
#include "hedgerow/label/vector_hierarchy.hpp"
#include "hedgerow/mondrian/query/ask_classes.hpp"
#include "hedgerow/mondrian/query/forecast.hpp"
#include "interrupting.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;
using label::VectorHierarchy;

/// Everything that a file would keep, and what it would not. Links and boxes must be right for what comes next.
template <class M>
bool are_same(const Forest<M>& forest, const archive::Archive& before, std::size_t n_places) {
  if (archived(forest) != before || forest.places.size() != n_places) return false;
  return std::all_of(forest.trees.begin(), forest.trees.end(), [&](const auto& tree) {
    return check_links(tree, forest.rows).empty() &&
           check_blocks(tree, forest.rows, forest.growth, forest.model).empty();
  });
}

template <class M>
Sample sample_for(std::size_t n, Kind kind) {
  Sample sample = draw_sample(n, 2, kind);
  if constexpr (std::is_same_v<M, StableHierarchy>) sample = with_classes(std::move(sample));
  if constexpr (std::is_same_v<M, VectorHierarchy>) {
    for (std::size_t i = 0; i < n; ++i) sample.labels[i] = static_cast<double>(i);
  }
  return sample;
}

template <class M>
Forest<M> forest_for(const Sample& sample, Growth growth, std::size_t window, bool is_keyed) {
  auto forest = empty_forest<M>(sample.width, 3, growth, window, is_keyed);
  if constexpr (std::is_same_v<M, VectorHierarchy>) {
    auto vectors = std::make_shared<label::LabelVectors>(2);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const double vector[] = {sample.features[2 * i], sample.features[2 * i + 1]};
      vectors->append(vector, 1, 2);
    }
    forest.model.vectors = vectors;
  }
  forest.gaps = Gaps({{0, 0.0, 1.0, 1.0}, {1, 0.0, 1.0, 0.5}}, forest.rows);
  return forest;
}

/// Returns how often it failed.
template <class M, class Verb>
std::size_t fail_everywhere(Forest<M>& forest, Verb&& verb) {
  const archive::Archive before = archived(forest);
  const std::size_t n_places = forest.places.size();
  return fail_until_it_succeeds(verb, [&] { return are_same(forest, before, n_places); });
}

template <class M>
void check_verbs(bool is_keyed = false) {
  for (const Kind kind : {Kind::plain, Kind::weighted_duplicates, Kind::one_point}) {
    for (const std::size_t window : {std::size_t{0}, std::size_t{80}}) {
      if (is_keyed && (kind != Kind::weighted_duplicates || window == 0)) continue;  // each row costs more steps
      const Sample sample = sample_for<M>(140, kind);
      auto forest = forest_for<M>(sample, {3.0, kind == Kind::plain ? 4.0 : infinity}, window, is_keyed);
      forest.learn(sample.batch(0, 100), 1);
      auto twin = forest_for<M>(sample, forest.growth, window, is_keyed);
      twin.learn(sample.batch(0, 100), 1);
      std::size_t n = fail_everywhere(forest, [&] { forest.learn(sample.batch(100, 30), 1); });
      CHECK(n > 10);
      twin.learn(sample.batch(100, 30), 1);
      CHECK(archived(forest) == archived(twin));
      fail_everywhere(forest, [&] { forest.learn(sample.batch(130, 1), 1); });
      twin.learn(sample.batch(130, 1), 1);
      const std::vector<RowId> held = forest.rows_in_order(), of_twin = twin.rows_in_order();
      n = fail_everywhere(forest, [&] { forest.forget(std::span(held).subspan(5, 20), 1); });
      CHECK(n > 3);
      twin.forget(std::span(of_twin).subspan(5, 20), 1);
      CHECK(archived(forest) == archived(twin));
      CHECK(fail_everywhere(forest, [&] { forest.set_model(M(forest.model), 1); }) > 0);
      fail_everywhere(forest, [&] { forest.forget(forest.rows_in_order(), 1); });
      CHECK(forest.rows.size() == 0 && forest.trees[0].shape.is_empty());
      fail_everywhere(forest, [&] { forest.learn(sample.batch(0, 20), 1); });
      CHECK(forest.rows.size() == 20);
    }
  }
}

TEST(failed_allocations_leave_forests_of_moments_as_they_were) { check_verbs<RunningMoments>(); }
TEST(failed_allocations_leave_forests_of_hierarchies_as_they_were) { check_verbs<ExponentialHierarchy>(); }
TEST(failed_allocations_leave_forests_of_classes_as_they_were) { check_verbs<StableHierarchy>(); }
TEST(failed_allocations_leave_keyed_forests_as_they_were) { check_verbs<RunningMoments>(true); }
TEST(failed_allocations_leave_keyed_forests_of_classes_as_they_were) { check_verbs<StableHierarchy>(true); }
TEST(failed_allocations_leave_forests_of_vectors_as_they_were) { check_verbs<VectorHierarchy>(); }

TEST(failed_allocations_in_threads_leave_forests_as_they_were) {
  const Sample sample = with_classes(draw_sample(90, 2, Kind::duplicates));
  auto forest = learned_forest<StableHierarchy>(sample, 4, {2.0, infinity}, 50);
  CHECK(fail_everywhere(forest, [&] { forest.learn(sample.all(), 3); }) > 10);
  CHECK(is_sound(forest));
}

TEST(failed_allocations_in_forecasts_leave_forests_as_they_were) {
  const Sample sample = draw_sample(60, 2, Kind::duplicates);
  const QueryRule rule{};
  auto forest = learned_forest<ExponentialHierarchy>(sample, 2, {2.0, infinity}, 50);
  CHECK(fail_everywhere(forest, [&] { predict_then_learn(forest, sample.batch(0, 10), rule, 1); }) > 10);
  CHECK(fail_everywhere(forest, [&] { predict_moments_then_learn(forest, sample.batch(10, 10), rule, 1); }) > 10);
  const Sample classes = with_classes(sample);
  auto voters = learned_forest<StableHierarchy>(classes, 2, {2.0, infinity}, 50);
  const ClassQueryRule votes{true, 1.0, 1.0, n_classes, 1.0};
  CHECK(fail_everywhere(voters, [&] { predict_then_learn(voters, classes.batch(0, 10), votes, 3, 1); }) > 10);
}

TEST(failed_allocations_outside_the_domain_leave_keyed_forests_as_they_were) {
  Sample sample = draw_sample(40, 2, Kind::plain);
  for (const std::size_t far : {33U, 36U}) sample.features[2 * far] = 10.0 * static_cast<double>(far);
  for (const std::size_t window : {0U, 32U}) {
    auto forest = empty_forest<RunningMoments>(2, 2, {2.0, infinity}, window, true);
    forest.keyed->domain.is_close = true;
    forest.store(sample.batch(0, 30));
    forest.grow(0, 2, 1);
    forest.grown();
    CHECK(fail_everywhere(forest, [&] { forest.learn(sample.batch(30, 10), 1); }) > 50);
    CHECK(forest.keyed->domain.n_widened > 0 && is_sound(forest));
  }
}

TEST(failed_allocations_while_rows_are_stored) {
  const Sample sample = draw_sample(50, 2, Kind::weighted);
  auto forest = empty_forest<RunningMoments>(2, 2, {});
  CHECK(fail_everywhere(forest, [&] { forest.store(sample.all()); }) > 3);
  CHECK(forest.rows.size() == 50);
}

TEST(ctrl_c_leaves_forests_as_they_were) {
  const Sample sample = sample_for<RunningMoments>(140, Kind::plain);
  auto forest = forest_for<RunningMoments>(sample, {3.0, 4.0}, 0, false);
  auto twin = forest_for<RunningMoments>(sample, forest.growth, 0, false);
  const auto check = [&](auto&& verb) {
    const archive::Archive before = archived(forest);
    const std::size_t n_places = forest.places.size();
    const std::size_t n_looks =
        interrupt_until_it_ends([&] { verb(forest); }, [&] { return are_same(forest, before, n_places); });
    verb(twin);
    CHECK(archived(forest) == archived(twin));
    return n_looks;
  };
  for (const std::size_t n_threads : {1, 2}) {
    const std::size_t n_looks = check([&](auto& some) { some.set_model(RunningMoments(some.model), n_threads); });
    CHECK(n_looks >= 1 || n_threads > 1);  // a thread that does not look may have been quicker with all trees
    check([&](auto& some) { some.learn(sample.batch(n_threads == 1 ? 0 : 70, 70), n_threads); });  // leaves grow
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
