// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/grow_tree.hpp"

#include <map>
#include <numeric>
#include <set>

#include "check.hpp"
#include "greedy/sample_rows.hpp"

namespace hedgerow::greedy {
namespace {

/// A tree of all rows of a sample, in which all labels are seen.
template <std::size_t n_labels, bool has_weights>
struct GrownTree {
  using Grower = TreeGrower<n_labels, has_weights>;

  RowBins bins;
  std::vector<double> gains;
  typename Grower::Grown grown;
  Tree tree;

  GrownTree(const Sample& sample, std::size_t min_leaf, std::uint64_t seed)
      : GrownTree(sample, RowBins(BinnedRows(sample.points(), 1)), sample.units(), min_leaf, seed) {}
  GrownTree(const Sample& sample, const RowBins& bins_, const std::vector<CutUnits>& units, std::size_t min_leaf,
            std::uint64_t seed)
      : bins(bins_), gains(sample.width) {
    std::vector<RowId> rows(sample.n);
    std::iota(rows.begin(), rows.end(), RowId{0});
    std::vector<typename Grower::Numbers> numbers(sample.n);
    for (std::size_t row = 0; row < sample.n; ++row) {
      for (std::size_t k = 0; k < n_labels; ++k) {
        numbers[row][k] = static_cast<float>(sample.labels[row * n_labels + k]);
      }
      if constexpr (has_weights) numbers[row][n_labels] = static_cast<float>(sample.weights[row]);
    }
    random::Stream stream(seed, random::Purpose::greedy_cut, 0, 0);
    Grower grower(bins, units, std::move(rows), std::move(numbers), min_leaf, random::SplitMix(stream));
    grown = std::move(grower).grow(gains);
    tree.nodes = grown.nodes;
  }
};

using RowsOf = std::map<NodeId, std::vector<RowId>>;

/// Squares of rows about their weighted mean.
double squares_of(const Sample& sample, const std::vector<RowId>& rows) {
  double squares = 0.0;
  for (std::size_t k = 0; k < sample.n_outputs; ++k) {
    double weight = 0.0, total = 0.0;
    for (const RowId row : rows) {
      weight += sample.weights[row];
      total += sample.weights[row] * sample.labels[row * sample.n_outputs + k];
    }
    for (const RowId row : rows) {
      squares += sample.weights[row] * std::pow(sample.labels[row * sample.n_outputs + k] - total / weight, 2.0);
    }
  }
  return squares;
}

/// Follows the cuts from the root: the rows of every leaf are those that go there, and each row is in one.
template <class Grown>
RowsOf check_rows(const Sample& sample, const Grown& tree) {
  const auto& [nodes, rows, leaves] = tree.grown;
  CHECK(rows.size() == sample.n && leaves.size() == sample.n);
  CHECK(std::set(rows.begin(), rows.end()).size() == sample.n && *std::ranges::max_element(rows) == sample.n - 1);
  RowsOf found;
  for (std::size_t i = 0; i < rows.size(); ++i) found[leaves[i]].push_back(rows[i]);
  std::set<std::uint32_t> numbers;
  std::size_t n_visited = 0;
  const auto visit = [&](auto&& self, NodeId id, const std::vector<RowId>& here) -> void {
    ++n_visited;
    const Node node = nodes[id];
    if (node.child == id) {
      numbers.insert(node.code);
      CHECK(std::set(here.begin(), here.end()) == std::set(found[id].begin(), found[id].end()));
      return;
    }
    CHECK(node.child > id && node.child + 1 < nodes.size() && node.feature() < sample.width);
    std::vector<RowId> left, right;
    for (const RowId row : here) (tree.bins[row][node.feature()] > node.cut() ? right : left).push_back(row);
    CHECK(!left.empty() && !right.empty());
    self(self, node.child, left);
    self(self, node.child + 1, right);
  };
  std::vector<RowId> all(sample.n);
  std::iota(all.begin(), all.end(), RowId{0});
  visit(visit, 0, all);
  CHECK(n_visited == nodes.size() && found.size() == nodes.size() / 2 + 1);
  CHECK(numbers.size() == found.size() && *numbers.rbegin() == found.size() - 1);
  for (RowId row = 0; row < sample.n; ++row) {
    const auto& own = found[tree.tree.find(tree.bins[row])];
    CHECK(std::ranges::find(own, row) != own.end());
  }
  return found;
}

/// Columns in which rows differ.
template <class Grown>
bool can_be_cut(const Sample& sample, const Grown& tree, const std::vector<RowId>& rows) {
  for (std::size_t d = 0; d < sample.width; ++d) {
    for (const RowId row : rows) {
      if (tree.bins[row][d] != tree.bins[rows[0]][d]) return true;
    }
  }
  return false;
}

bool is_pure(const Sample& sample, const std::vector<RowId>& rows) {
  for (const RowId row : rows) {
    for (std::size_t k = 0; k < sample.n_outputs; ++k) {
      if (sample.labels[row * sample.n_outputs + k] != sample.labels[rows[0] * sample.n_outputs + k]) return false;
    }
  }
  return true;
}

template <std::size_t n_labels, bool has_weights>
void check_trees() {
  std::uint64_t seed = 0;
  for (const std::size_t width : {1, 3, 16, 37}) {
    for (const std::size_t n : {1, 2, 3, 150, 700}) {
      Sample sample = draw_sample({.n = n,
                                   .width = width,
                                   .n_outputs = n_labels,
                                   .n_values = n > 500 ? std::size_t{300} : 5,
                                   .has_weights = has_weights,
                                   .seed = ++seed});
      const bool is_coarse = seed % 2 == 0;  // then many rows have the same labels
      if (is_coarse) {
        for (double& label : sample.labels) label = std::round(label) / 3.0;
      }
      for (const std::size_t min_leaf : {1, 2, 5}) {
        const GrownTree<n_labels, has_weights> tree(sample, min_leaf, seed);
        const RowsOf rows_of = check_rows(sample, tree);
        double left = 0.0, gained = 0.0;
        for (const auto& [leaf, rows] : rows_of) {
          left += squares_of(sample, rows);
          CHECK(rows.size() >= min_leaf || rows.size() == n);
          // With larger leaves a node may stay whole because none of the drawn cuts will do.
          if (min_leaf == 1) CHECK(rows.size() < 2 || is_pure(sample, rows) || !can_be_cut(sample, tree, rows));
        }
        for (const double gain : tree.gains) gained += gain;
        std::vector<RowId> all(n);
        std::iota(all.begin(), all.end(), RowId{0});
        const double whole = squares_of(sample, all);
        CHECK_NEAR(gained, whole - left, 1e-5 * whole + 1e-12);
        for (const Node& node : tree.grown.nodes) {
          const auto id = static_cast<NodeId>(&node - tree.grown.nodes.data());
          if (node.child != id) CHECK(tree.gains[node.feature()] >= 0.0);
        }
      }
    }
  }
}

TEST(trees_of_one_label_keep_their_rows_and_gains) { check_trees<1, false>(), check_trees<1, true>(); }
TEST(trees_of_two_labels_keep_their_rows_and_gains) { check_trees<2, false>(), check_trees<2, true>(); }
TEST(trees_of_three_labels_keep_their_rows_and_gains) { check_trees<3, false>(), check_trees<3, true>(); }
TEST(trees_of_four_labels_keep_their_rows_and_gains) { check_trees<4, false>(), check_trees<4, true>(); }

TEST(every_gain_is_that_of_its_column) {
  const Sample sample = draw_sample({.n = 300, .width = 20, .seed = 3});
  const GrownTree<1, false> tree(sample, 1, 3);
  std::vector<double> expected(20, 0.0);
  const auto visit = [&](auto&& self, NodeId id, const std::vector<RowId>& here) -> void {
    const Node node = tree.grown.nodes[id];
    if (node.child == id) return;
    std::vector<RowId> left, right;
    for (const RowId row : here) (tree.bins[row][node.feature()] > node.cut() ? right : left).push_back(row);
    expected[node.feature()] += squares_of(sample, here) - squares_of(sample, left) - squares_of(sample, right);
    self(self, node.child, left), self(self, node.child + 1, right);
  };
  std::vector<RowId> all(300);
  std::iota(all.begin(), all.end(), RowId{0});
  visit(visit, 0, all);
  for (std::size_t d = 0; d < 20; ++d) CHECK_NEAR(tree.gains[d], expected[d], 1e-3);
}

TEST(twice_the_weight_of_every_row_changes_no_bit) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Sample sample = draw_sample({.n = 400, .width = 20, .n_outputs = 2, .seed = seed});
    sample.weights.assign(400, 2.0);
    const GrownTree<2, false> plain(sample, 2, seed);
    const GrownTree<2, true> twice(sample, 2, seed);
    CHECK(plain.grown.rows == twice.grown.rows && plain.grown.leaves == twice.grown.leaves);
    for (std::size_t d = 0; d < 20; ++d) CHECK_NEAR(twice.gains[d], 2.0 * plain.gains[d], 1e-12);
  }
}

TEST(a_pure_node_is_a_leaf_whatever_rows_weigh) {
  // Weighted sums are rounded, and so must not be what tells whether labels are the same.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Sample sample = draw_sample({.n = 200, .width = 3, .n_outputs = 2, .has_weights = true, .seed = seed});
    for (double& label : sample.labels) label = 0.1;
    CHECK((GrownTree<2, true>(sample, 1, seed).grown.nodes.size() == 1));
    for (std::size_t row = 0; row < 200; ++row) sample.labels[2 * row] = sample.values[3 * row] > 0.6 ? 0.7 : -0.1;
    for (std::size_t row = 0; row < 200; ++row) sample.values[3 * row] = sample.labels[2 * row];
    CHECK((GrownTree<2, true>(sample, 1, seed).grown.nodes.size() == 3));
  }
}

TEST(the_column_that_explains_most_is_cut) {
  for (const std::size_t width : {1, 2, 16, 17, 40}) {
    for (std::uint32_t informative = 0; informative < width; informative += 5) {
      Sample sample = draw_sample({.n = 200, .width = width, .seed = width + informative});
      for (std::size_t row = 0; row < 200; ++row) {
        sample.values[row * width + informative] = sample.labels[row] > 0.1 ? 1.0 : 0.0;
        sample.labels[row] = sample.labels[row] > 0.1 ? 2.0 : -1.0;
      }
      const GrownTree<1, false> tree(sample, 1, width);
      CHECK(tree.grown.nodes.size() == 3 && tree.grown.nodes[0].feature() == informative);
      CHECK(tree.grown.nodes[0].cut() == 0);
    }
  }
}

TEST(a_column_that_explains_much_does_not_hide_one_that_explains_all) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Sample sample = draw_sample({.n = 200, .width = 40, .noise = 0.0, .seed = seed});
    for (std::size_t row = 0; row < 200; ++row) {
      const double value = row % 2 == 0 ? 0.0 : 1.0;
      sample.labels[row] = value - 0.5;
      for (std::size_t d = 0; d < 20; ++d) sample.values[row * 40 + d] = row < 190 ? value : 0.0;
      sample.values[row * 40 + 30] = value;
    }
    CHECK((GrownTree<1, false>(sample, 1, seed).grown.nodes[0].feature() == 30));
  }
}

TEST(cuts_are_drawn_in_the_units_of_their_column) {
  // The other columns are constant. Halfway between values and bins, cuts of 0, 1, 2 and 10 are drawn with probability
  // 1 / 20 + 1 / 6, the same, and 8 / 20 + 1 / 6. Chi-squared with 2 degrees of freedom exceeds 33 once in 1e7.
  Sample sample = draw_sample({.n = 4, .width = 18});
  std::fill(sample.values.begin(), sample.values.end(), 0.0);
  for (std::size_t row = 0; row < 4; ++row) sample.values[row * 18 + 5] = row < 3 ? static_cast<double>(row) : 10.0;
  const RowBins bins(BinnedRows(sample.points(), 1));
  const std::vector<CutUnits> units = sample.units();
  std::array<double, 3> counts{};
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const Node root = GrownTree<1, false>(sample, bins, units, 1, seed).grown.nodes[0];
    CHECK(root.feature() == 5);
    counts.at(root.cut()) += 1.0;
  }
  double chi_squared = 0.0;
  for (std::size_t cut = 0; cut < 3; ++cut) {
    const double expected = 6000.0 * ((cut == 2 ? 8.0 : 1.0) / 20.0 + 1.0 / 6.0);
    chi_squared += std::pow(counts[cut] - expected, 2.0) / expected;
  }
  CHECK(chi_squared < 33.0);
}

TEST(a_cut_that_explains_nothing_is_made_if_there_is_no_other) {
  // Neither column explains anything of exclusive or, and both together all.
  const Sample sample{4, 2, 1, {0, 0, 0, 1, 1, 0, 1, 1}, {1, -1, -1, 1}, std::vector<double>(4, 1.0)};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK((GrownTree<1, false>(sample, 1, seed).grown.nodes.size() == 7));
  }
}

/// How often each copy is cut at the root, of trees of rows of two values; other columns vary, or not.
std::vector<double> count_roots(std::size_t width, const std::vector<std::size_t>& copies, std::size_t n, double noise,
                                bool others_vary) {
  std::vector<double> counts(width, 0.0);
  Sample sample = draw_sample({.n = n, .width = width, .noise = 0.0, .seed = width});
  random::Stream stream(7, random::Purpose::grow, 1, 0);
  for (std::size_t row = 0; row < n; ++row) {
    if (!others_vary) std::fill_n(sample.values.begin() + static_cast<std::ptrdiff_t>(row * width), width, 0.5);
    for (const std::size_t d : copies) sample.values[row * width + d] = static_cast<double>(row % 2);
    sample.labels[row] = static_cast<double>(row % 2) + noise * random::draw_normal(stream);
  }
  const RowBins bins(BinnedRows(sample.points(), 1));
  const std::vector<CutUnits> units = sample.units();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const GrownTree<1, false> tree(sample, bins, units, 1, seed);
    counts[tree.grown.nodes[0].feature()] += 1.0;
  }
  return counts;
}

TEST(copies_of_a_column_are_cut_equally_often) {
  const std::vector<std::vector<std::size_t>> positions{{3, 4}, {0, 20}, {1, 2, 3, 18}};
  for (const auto& copies : positions) {
    for (const std::size_t n : {2, 12}) {
      for (const double noise : {0.0, 0.2}) {  // without noise a cut explains all, and the search ends early
        for (const bool others_vary : {false, true}) {
          if (n == 2 && others_vary) continue;  // then any other will do
          const std::vector<double> counts = count_roots(21, copies, n, noise, others_vary);
          double chi_squared = 0.0, total = 0.0;
          for (const std::size_t d : copies) total += counts[d];
          const double expected = total / static_cast<double>(copies.size());
          for (const std::size_t d : copies) chi_squared += std::pow(counts[d] - expected, 2.0) / expected;
          CHECK(total > 2500.0);
          CHECK(chi_squared < 36.0);  // with up to 3 degrees of freedom: once in 1e7
        }
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::greedy
