// SPDX-License-Identifier: BSD-3-Clause
// Evidence of leaves with normal values against dense algebra.
#include "posterior_tree/sample_target.hpp"

namespace hedgerow::posterior_tree {
namespace {

TEST(evidence_is_that_of_dense_algebra) {
  for (const bool weighted : {false, true}) {
    const SumStage stage(weighted);
    std::vector<RowId> rows(sample_rows);
    std::iota(rows.begin(), rows.end(), RowId{0});
    for (std::size_t n = 1; n <= sample_rows; ++n) {
      const std::span<const RowId> some(rows.data(), n);
      CHECK_NEAR(stage.evidence(stage.target.leaves.statistic(some)), stage.slow_log_likelihood(some), 1e-8);
    }
    CHECK(stage.evidence({}) == 0.0);
  }
}

TEST(evidence_is_the_same_from_the_table_and_without) {
  NormalValues tabulated(2.0, {0x1p-40, 1.0}, 50), plain(2.0, {0x1p-40, 1.0}, 0);
  random::Stream stream(21, random::Purpose::grow, 0, 0);
  for (const double noise : {1e-6, 0.5, 1e3}) {
    tabulated.set_noise(noise);
    plain.set_noise(noise);
    for (int i = 0; i < 200; ++i) {
      const LeafSum statistic{random::draw_below(60, stream), static_cast<Fixed>(0x1p42 * (stream.uniform() - 0.5))};
      CHECK(tabulated(statistic) == plain(statistic));
    }
  }
}

TEST(a_weight_is_a_number_of_copies_or_a_fraction_of_one) {
  // Doubling all weights halves the noise, and nothing else; two copies are one row of weight two.
  const std::vector<double> labels{0.3, -1.2, 0.8}, copies{0.3, -1.2, 0.8, 0.3, -1.2, 0.8};
  const std::vector<double> one{1.0, 0.5, 0.25}, two{2.0, 1.0, 0.5}, threes(3, 2.0);
  CHECK_NEAR(slow_log_evidence(labels, two, 0.4), slow_log_evidence(labels, one, 0.2), 1e-12);
  CHECK_NEAR(slow_log_evidence(labels, threes, 0.4), slow_log_evidence(copies, {}, 0.4), 1e-12);
  const auto evidence_of = [&](const std::vector<double>& y, const std::vector<double>& weights, double noise) {
    NormalValues evidence(leaf_variance, sample_units, 0);
    evidence.set_noise(noise);
    LeafSum statistic;
    for (std::size_t i = 0; i < y.size(); ++i) {
      statistic +=
          {std::llround(weights[i] / sample_units.weight), std::llround(weights[i] * y[i] / sample_units.label)};
    }
    return evidence(statistic);
  };
  CHECK_NEAR(evidence_of(labels, one, 0.2), slow_log_evidence(labels, one, 0.2), 1e-8);
  CHECK_NEAR(evidence_of(labels, two, 0.4), slow_log_evidence(labels, one, 0.2), 1e-8);
  CHECK_NEAR(evidence_of(labels, threes, 0.4), evidence_of(copies, std::vector<double>(6, 1.0), 0.4), 1e-8);
}

TEST(values_are_drawn_from_their_posterior) {
  // Mean and variance of 100,000 draws within five standard errors: a false alarm once in a million for each.
  random::Stream stream(22, random::Purpose::grow, 0, 0);
  for (const bool weighted : {false, true}) {
    const SumStage stage(weighted);
    for (const std::size_t n : {0, 1, 7}) {
      std::vector<RowId> rows(n);
      std::iota(rows.begin(), rows.end(), RowId{0});
      tests::DenseGaussian joint;
      const std::size_t value = joint.add_root(0.0, leaf_variance);
      for (const RowId row : rows) {
        const double label = static_cast<double>(stage.labels[row]) * stage.units.label;
        joint.observe(value, label,
                      noise_variance / (static_cast<double>(stage.target.leaves.weight(row)) * stage.units.weight));
      }
      double sum = 0.0, squares = 0.0;
      const int n_draws = 100000;
      for (int i = 0; i < n_draws; ++i) {
        const LeafSum statistic = stage.target.leaves.statistic(rows);
        const double drawn = static_cast<double>(stage.evidence.draw_value(statistic, stream)) * stage.units.label;
        sum += drawn - joint.mean(value);
        squares += (drawn - joint.mean(value)) * (drawn - joint.mean(value));
      }
      const double variance = joint.variance(value);
      CHECK_NEAR(sum / n_draws, 0.0, 5.0 * std::sqrt(variance / n_draws));
      CHECK_NEAR(squares / n_draws, variance, 5.0 * variance * std::sqrt(2.0 / n_draws));
    }
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
