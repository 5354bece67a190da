// SPDX-License-Identifier: BSD-3-Clause
// Trees as deep as they have rows. Nothing may recurse, and nothing may take a square of the depth for granted.
#include <numeric>

#include "check.hpp"
#include "hedgerow/mondrian/query/ask_mixtures.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr label::Query query{0.0, 1.0};

/// Asks, saves, restores and forgets all rows.
template <class M>
void lives_through_everything(Forest<M>& forest, const Sample& sample) {
  CHECK(is_sound(forest));
  const auto found = predict_moments(forest, {sample.features.data(), sample.size()}, query, 1);
  for (std::size_t i = 0; i < sample.size(); ++i)
    CHECK(std::isfinite(found.mean[i]) && found.variances(query)[i] > 0.0);
  auto copy = empty_forest<M>(sample.width, forest.trees.size(), forest.growth);
  restore(copy, archived(forest));
  CHECK(same_bits(copy, forest));
  const auto located = forest.locate(sample.all());
  CHECK(located.size() == sample.size());
  forest.forget(located, 1);
  CHECK(forest.rows.size() == 0 && is_sound(forest));
}

/// Points at 2^-k: every cut is likely to take the outermost point away.
Sample halving(int n) {
  Sample sample{1, {}, {}, {}};
  for (int k = 0; k < n; ++k) {
    sample.features.push_back(std::ldexp(1.0, -k));
    sample.labels.push_back(k);
  }
  return sample;
}

/// Row i is the i-th unit vector: every cut takes exactly one row away.
Sample one_hot(std::size_t n) {
  Sample sample{n, std::vector<double>(n * n, 0.0), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    sample.features[i * n + i] = 1.0;
    sample.labels.push_back(static_cast<double>(i));
  }
  return sample;
}

TEST(points_that_halve_make_a_chain_in_batch) {
  const Sample sample = halving(120);
  auto forest = grown_forest<GaussianHierarchy>(sample, 2);
  CHECK(depth(forest.trees[0]) > 30);
  lives_through_everything(forest, sample);
}

TEST(points_that_halve_make_a_chain_online) {
  const Sample sample = halving(120);
  auto forest = learned_forest<GaussianHierarchy>(sample, 2);
  CHECK(depth(forest.trees[0]) > 30);
  lives_through_everything(forest, sample);
}

TEST(a_chain_to_the_other_side_is_no_different) {
  Sample sample = halving(120);
  for (double& x : sample.features) x = -x;
  auto forest = learned_forest<GaussianHierarchy>(sample, 2);
  CHECK(depth(forest.trees[0]) > 30);
  lives_through_everything(forest, sample);
}

TEST(unit_vectors_make_a_chain_in_batch) {
  const Sample sample = one_hot(200);
  auto forest = grown_forest<RunningMoments>(sample, 1);
  CHECK(depth(forest.trees[0]) == 199);
  lives_through_everything(forest, sample);
}

TEST(unit_vectors_make_a_chain_online) {
  const Sample sample = one_hot(100);
  auto forest = learned_forest<RunningMoments>(sample, 1);
  CHECK(depth(forest.trees[0]) == 99);
  lives_through_everything(forest, sample);
}

TEST(a_chain_of_a_hundred_thousand_nodes_does_not_overflow_the_stack) {
  // Rows at 0, 1, 2, ...; each enters above the root, so that row i hangs i levels from the bottom.
  constexpr RowId n = 100000;
  Sample sample{1, std::vector<double>(n), std::vector<double>(n, 0.5), {}};
  std::iota(sample.features.begin(), sample.features.end(), 0.0);
  auto forest = empty_forest<GaussianHierarchy>(1, 1);
  forest.store(sample.all());
  auto& tree = forest.trees[0];
  BoxRooms rooms;
  tree.shape.plant();
  tree.summaries.resize(1);
  for (RowId row = 0; row < n; ++row) {
    const auto place = static_cast<float>(row);
    const NodeId leaf = row == 0 ? tree.root : tree.insert_above(tree.root, 0, place - 0.5F, 1.0F / place, true);
    tree.shape.push_row(leaf, row, 1.0);
    tree.hear_rows(leaf, forest.rows, forest.model);
    if (row == 0) continue;
    measure_children(tree, tree.root, forest.rows, rooms);
    tree.hear_children(tree.root, forest.model);
  }
  CHECK(depth(tree) == n - 1);
  CHECK(is_sound(forest));
  const double bottom = 0.0;
  const auto found = predict_moments(forest, {&bottom, 1}, query, 1);
  CHECK(std::isfinite(found.mean[0]) && found.variances(query)[0] > 0.0);
  auto copy = empty_forest<GaussianHierarchy>(1, 1);
  restore(copy, archived(forest));
  CHECK(same_bits(copy, forest));
  forest.forget(std::vector<RowId>{0, 1, 2, n - 1}, 1);
  CHECK(is_sound(forest));
}

}  // namespace
}  // namespace hedgerow::mondrian
