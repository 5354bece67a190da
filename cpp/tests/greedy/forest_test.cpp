// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/forest.hpp"

#include <limits>

#include "check.hpp"
#include "greedy/sample_rows.hpp"

namespace hedgerow::greedy {
namespace {

/// Two columns and two outputs; one tree has cuts of both columns, one is a lone leaf.
Forest small_forest() {
  Forest forest;
  forest.n_outputs = 2;
  forest.cuts = {{0.0, 1.0}, {-2.0}};
  forest.trees.push_back({{{1, 0 << 8 | 1}, {3, 1 << 8 | 0}, {2, 0}, {3, 2}, {4, 1}}, {1, 10, 2, 20, 3, 30}});
  forest.trees.push_back({{{0, 0}}, {5, -6}});
  forest.gains = {1.0, 2.0};
  return forest;
}

TEST(a_row_at_a_cut_goes_left) {
  const Forest forest = small_forest();
  const double above = std::nextafter(1.0, 2.0), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rows{
      1.0, -2.0, 1.0, std::nextafter(-2.0, 0.0), above, -2.0, above, 7.0, -infinity, -infinity, 1e300, infinity};
  const std::vector<double> expected{3, 2, 1, 1, 3, 1};  // of the first tree, the first output
  const ForestMoments found = predict(forest, {rows.data(), 6, 2}, 1);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK_NEAR(found.means[2 * i], (expected[i] + 5.0) / 2.0, 1e-12);
    CHECK_NEAR(found.means[2 * i + 1], (10.0 * expected[i] - 6.0) / 2.0, 1e-12);
    CHECK_NEAR(found.variances[2 * i], std::pow(expected[i] - 5.0, 2.0) / 2.0, 1e-12);
    CHECK_NEAR(found.variances[2 * i + 1], std::pow(10.0 * expected[i] + 6.0, 2.0) / 2.0, 1e-9);
  }
}

/// A tree whose cuts follow one another along a chain: leaves are at all depths.
Tree chain(std::size_t n_cuts, std::size_t width) {
  Tree tree;
  tree.nodes.push_back({0, 0});
  for (std::uint32_t cut = 0; cut < n_cuts; ++cut) {
    const auto child = static_cast<NodeId>(tree.nodes.size()), parent = child - 1;
    tree.nodes[parent] = {child, static_cast<std::uint32_t>(cut % width) << 8 | cut};
    tree.nodes.push_back({child, cut});
    tree.nodes.push_back({child + 1, cut + 1});
  }
  return tree;
}

TEST(many_rows_find_the_leaves_that_each_finds_alone) {
  constexpr std::size_t width = 3;
  for (const std::size_t n_cuts : {0U, 1U, 2U, 40U, 200U}) {
    const Tree tree = chain(n_cuts, width);
    for (const std::size_t n : {0U, 1U, 5U, 6U, 7U, 500U}) {
      std::vector<Bin> bins(n * width);
      std::uint32_t state = 7;
      for (Bin& bin : bins) bin = static_cast<Bin>((state = state * 1664525U + 1013904223U) >> 24);
      std::vector<NodeId> leaves(n + 1);
      tree.find_all(bins.data(), width, n, leaves.data());
      for (std::size_t i = 0; i < n; ++i) CHECK(leaves[i] == tree.find(bins.data() + i * width));
    }
  }
}

TEST(one_tree_has_no_variance) {
  Forest forest = small_forest();
  forest.trees.pop_back();
  const std::vector<double> row{0.5, 0.5};
  const ForestMoments found = predict(forest, {row.data(), 1, 2}, 1);
  CHECK((found.means == std::vector<double>{2, 20}) && (found.variances == std::vector<double>{0, 0}));
}

TEST(trees_that_agree_have_no_variance_below_zero) {
  TreeSums sums(1);
  for (int i = 0; i < 3; ++i) sums.add(0, 0.1);
  CHECK(sums.variance(0, 3) >= 0.0);
  CHECK_NEAR(sums.variance(0, 3), 0.0, 1e-15);
}

TEST(many_rows_are_predicted_one_by_one_whatever_the_threads) {
  const Forest forest = small_forest();
  for (const std::size_t n : {0, 1, 513, 16385}) {
    Sample sample = draw_sample({.n = n, .width = 2, .seed = n});
    for (double& value : sample.values) value = 8.0 * value - 4.0;
    const ForestMoments one = predict(forest, sample.points(), 1);
    CHECK(one.means.size() == 2 * n && one.variances.size() == 2 * n);
    for (const std::size_t n_threads : {2, 3}) {
      const ForestMoments same = predict(forest, sample.points(), n_threads);
      CHECK(same.means == one.means && same.variances == one.variances);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const ForestMoments alone = predict(forest, {sample.values.data() + 2 * i, 1, 2}, 1);
      CHECK(alone.means[0] == one.means[2 * i] && alone.means[1] == one.means[2 * i + 1]);
      CHECK(alone.variances[0] == one.variances[2 * i] && alone.variances[1] == one.variances[2 * i + 1]);
    }
  }
}

}  // namespace
}  // namespace hedgerow::greedy
