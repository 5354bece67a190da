// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/posterior_tree/binned_rows.hpp"

#include <cfloat>
#include <cmath>
#include <map>
#include <set>

#include "check.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::posterior_tree {
namespace {

BinnedRows binned(const std::vector<double>& column) { return {Points{column.data(), column.size(), 1}, 1}; }

/// What holds of any column: bins rise with values, cuts and their weights rise, and every cut has rows on both sides.
void check_column(const std::vector<double>& values, const BinnedRows& data) {
  const auto &cuts = data.cuts[0], &before = data.positions[0];
  CHECK(cuts.size() <= BinnedRows::most_cuts);
  CHECK(before.size() == cuts.size() + 1 && before[0] == 0.0);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    CHECK(std::isfinite(cuts[i]) && (i == 0 || cuts[i - 1] < cuts[i]));
    CHECK(before[i] < before[i + 1]);
  }
  CHECK_NEAR(cuts.empty() ? 1.0 : before.back(), 1.0, 1e-8);
  std::set<Bin> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bin bin = data.column(0)[i];
    seen.insert(bin);
    CHECK(bin == 0 || values[i] > cuts[bin - std::size_t{1}]);
    CHECK(bin == cuts.size() || values[i] <= cuts[bin]);
    CHECK(bin == data.bin_of(0, values[i]));
  }
  CHECK(seen.size() == cuts.size() + 1);
}

TEST(few_values_have_a_bin_each) {
  random::Stream stream(1, random::Purpose::grow, 0, 0);
  for (const std::size_t n_values : {2, 3, 17, 255, 256}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < 3 * n_values; ++i) values.push_back(0.1 * static_cast<double>(i % n_values) - 7.0);
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random::draw_below(i, stream)]);
    const BinnedRows data = binned(values);
    check_column(values, data);
    CHECK(data.cuts[0].size() == n_values - 1);
  }
}

TEST(many_values_share_bins_evenly) {
  random::Stream stream(2, random::Purpose::grow, 0, 0);
  for (const std::size_t n : {257, 300, 1000, 20000}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(random::draw_normal(stream));
    const BinnedRows data = binned(values);
    check_column(values, data);
    CHECK(data.cuts[0].size() > 200);
    std::map<Bin, std::size_t> counts;
    for (const Bin bin : data.codes) ++counts[bin];
    for (const auto& [bin, count] : counts) CHECK(count <= 2 * (n / BinnedRows::most_cuts + 1));
  }
}

TEST(few_values_next_to_many_zeros_have_cuts_among_them) {
  std::vector<double> values(100000, 0.0);
  for (std::size_t i = 0; i < 300; ++i) values[i] = 1.0 + static_cast<double>(i);
  const BinnedRows data = binned(values);
  check_column(values, data);
  CHECK(data.cuts[0].size() > 100);
}

TEST(clusters_are_always_apart) {
  // Each cluster has more rows than a run, so no run has two gaps between clusters.
  random::Stream stream(3, random::Purpose::grow, 0, 0);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::vector<double> values;
    std::vector<std::size_t> cluster;
    for (std::size_t c = 0; c < 30; ++c) {
      const std::size_t size = 20 + random::draw_below(100, stream);
      for (std::size_t i = 0; i < size; ++i) {
        values.push_back(static_cast<double>(c) + 0.1 * stream.uniform());
        cluster.push_back(c);
      }
    }
    const BinnedRows data = binned(values);
    check_column(values, data);
    std::map<Bin, std::size_t> owner;
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(owner.try_emplace(data.column(0)[i], cluster[i]).first->second == cluster[i]);
    }
  }
}

TEST(a_cut_weighs_as_much_as_what_it_stands_for) {
  const BinnedRows few = binned({0.0, 1.0, 1.0, 3.0, 10.0});
  const std::vector<double> shares{0.1, 0.2, 0.7};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CHECK_NEAR(few.positions[0][i + 1] - few.positions[0][i], shares[i], 1e-8);
  }
  // Many values: the cut in the middle of 0, 1, .., 999 stands for half of all lengths, with those below it.
  std::vector<double> many;
  for (int i = 0; i < 1000; ++i) many.push_back(i);
  const BinnedRows data = binned(many);
  for (std::size_t i = 0; i < data.cuts[0].size(); ++i) {
    CHECK_NEAR(data.positions[0][i], data.cuts[0][i] / 999.0, 5.0 / 999.0);
  }
}

TEST(a_constant_column_and_a_lone_row_have_no_cuts) {
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{4.0}, {0.0, -0.0}, std::vector<double>(500, -3.25)}) {
    const BinnedRows data = binned(values);
    check_column(values, data);
    CHECK(data.cuts[0].empty());
  }
}

TEST(values_may_be_huge_tiny_or_next_to_each_other) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const double next = std::nextafter(1.0, 2.0);
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{-1e308, 1e308},
                                        {-DBL_MAX, 1.0, DBL_MAX},
                                        {-DBL_MAX, DBL_MAX, std::nextafter(DBL_MAX, 0.0)},
                                        {0.0, tiny},
                                        {-tiny, 0.0},
                                        {-tiny, tiny, 0.0, 2 * tiny, 3 * tiny},
                                        {tiny, 1e308},
                                        {1.0, next, std::nextafter(next, 2.0)},
                                        {DBL_MIN, DBL_MIN / 2, 0.0}}) {
    const BinnedRows data = binned(values);
    check_column(values, data);
    CHECK(data.cuts[0].size() == std::set(values.begin(), values.end()).size() - 1);
  }
  std::vector<double> denormals, spread;
  random::Stream stream(4, random::Purpose::grow, 0, 0);
  for (int i = 0; i < 400; ++i) {
    denormals.push_back(i * tiny);
    spread.push_back((stream.uniform() - 0.5) * std::exp2(2040.0 * stream.uniform() - 1020.0) * 2.0);
  }
  check_column(denormals, binned(denormals));
  check_column(spread, binned(spread));
}

TEST(columns_know_nothing_of_each_other_or_of_threads) {
  random::Stream stream(5, random::Purpose::grow, 0, 0);
  const std::size_t n = 600, width = 5;
  std::vector<double> points;
  for (std::size_t i = 0; i < n * width; ++i) points.push_back(std::floor(std::exp(8.0 * stream.uniform())));
  const BinnedRows one(Points{points.data(), n, width}, 1), three(Points{points.data(), n, width}, 3);
  CHECK(one.codes == three.codes && one.cuts == three.cuts && one.positions == three.positions);
  for (std::uint32_t d = 0; d < width; ++d) {
    std::vector<double> column;
    for (std::size_t i = 0; i < n; ++i) column.push_back(points[i * width + d]);
    const BinnedRows alone = binned(column);
    CHECK(std::equal(alone.codes.begin(), alone.codes.end(), one.column(d)) && alone.cuts[0] == one.cuts[d]);
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
