// SPDX-License-Identifier: BSD-3-Clause
// Evidence of leaves against dense algebra, and probabilities of classes against fine integration and closed forms.
#include "hedgerow/bart/class_probability.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

TEST(evidence_is_that_of_dense_algebra) {
  for (const bool weighted : {false, true}) {
    const Stage stage(weighted);
    std::vector<RowId> rows(sample_rows);
    std::iota(rows.begin(), rows.end(), RowId{0});
    for (std::size_t n = 1; n <= sample_rows; ++n) {
      const std::span<const RowId> some(rows.data(), n);
      CHECK_NEAR(stage.evidence(stage.target.hear(some)), slow_log_evidence(stage, some), 1e-8);
    }
    CHECK(stage.evidence({}) == 0.0);
  }
}

TEST(evidence_is_the_same_from_the_table_and_without) {
  LeafEvidence tabulated(2.0, {0x1p-40, 1.0}, 50), plain(2.0, {0x1p-40, 1.0}, 0);
  random::Stream stream(21, random::Purpose::grow, 0, 0);
  for (const double noise : {1e-6, 0.5, 1e3}) {
    tabulated.set_noise(noise);
    plain.set_noise(noise);
    for (int i = 0; i < 200; ++i) {
      const Heard heard{random::draw_below(60, stream), static_cast<Fixed>(0x1p42 * (stream.uniform() - 0.5))};
      CHECK(tabulated(heard) == plain(heard));
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
    LeafEvidence evidence(leaf_variance, sample_units, 0);
    evidence.set_noise(noise);
    Heard heard;
    for (std::size_t i = 0; i < y.size(); ++i) {
      heard += {std::llround(weights[i] / sample_units.weight), std::llround(weights[i] * y[i] / sample_units.label)};
    }
    return evidence(heard);
  };
  CHECK_NEAR(evidence_of(labels, one, 0.2), slow_log_evidence(labels, one, 0.2), 1e-8);
  CHECK_NEAR(evidence_of(labels, two, 0.4), slow_log_evidence(labels, one, 0.2), 1e-8);
  CHECK_NEAR(evidence_of(labels, threes, 0.4), evidence_of(copies, std::vector<double>(6, 1.0), 0.4), 1e-8);
}

TEST(values_are_drawn_from_their_posterior) {
  // Mean and variance of 100,000 draws within five standard errors: a false alarm once in a million for each.
  random::Stream stream(22, random::Purpose::grow, 0, 0);
  for (const bool weighted : {false, true}) {
    const Stage stage(weighted);
    for (const std::size_t n : {0, 1, 7}) {
      std::vector<RowId> rows(n);
      std::iota(rows.begin(), rows.end(), RowId{0});
      tests::DenseGaussian joint;
      const std::size_t value = joint.add_root(0.0, leaf_variance);
      for (const RowId row : rows) {
        const double label = static_cast<double>(stage.labels[row]) * stage.units.label;
        joint.observe(value, label,
                      noise_variance / (static_cast<double>(stage.target.weight(row)) * stage.units.weight));
      }
      double sum = 0.0, squares = 0.0;
      const int n_draws = 100000;
      for (int i = 0; i < n_draws; ++i) {
        const Heard heard = stage.target.hear(rows);
        const double drawn = static_cast<double>(stage.evidence.draw_value(heard, stream)) * stage.units.label;
        sum += drawn - joint.mean(value);
        squares += (drawn - joint.mean(value)) * (drawn - joint.mean(value));
      }
      const double variance = joint.variance(value);
      CHECK_NEAR(sum / n_draws, 0.0, 5.0 * std::sqrt(variance / n_draws));
      CHECK_NEAR(squares / n_draws, variance, 5.0 * variance * std::sqrt(2.0 / n_draws));
    }
  }
}

/// The integral with a far finer step and a longer reach.
double slow_probability(const std::vector<double>& means, std::size_t k) {
  double total = 0.0;
  for (double u = -40.0; u <= 40.0; u += 1.0 / 64.0) {
    double product = std::exp(-0.5 * (u - means[k]) * (u - means[k]));
    for (std::size_t j = 0; j < means.size(); ++j) {
      if (j != k) product *= 0.5 * std::erfc((means[j] - u) / std::numbers::sqrt2);
    }
    total += product;
  }
  return total / 64.0 / std::sqrt(2.0 * std::numbers::pi);
}

TEST(probabilities_of_classes_are_right_and_add_up) {
  random::Stream stream(23, random::Purpose::grow, 0, 0);
  for (const std::size_t n : {2, 3, 4, 5, 10, 30}) {
    for (int repetition = 0; repetition < 30; ++repetition) {
      std::vector<double> means;
      for (std::size_t k = 0; k < n; ++k) means.push_back((repetition % 5) * random::draw_normal(stream));
      std::vector<double> all(n), below;
      class_probabilities(means, all, below);
      double total = 0.0, total_of_all = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double found = class_probability(means, k), expected = slow_probability(means, k);
        total += found;
        total_of_all += all[k];
        CHECK_NEAR(found, expected, 1e-10);
        CHECK_NEAR(all[k], expected, 1e-8);
        CHECK_NEAR(log_class_probability(means, k), std::log(std::max(found, 1e-300)), 1e-12);
      }
      CHECK_NEAR(total, 1.0, 1e-10);
      CHECK_NEAR(total_of_all, 1.0, 1e-14);
    }
  }
}

TEST(two_classes_have_a_closed_form) {
  for (const double gap : {0.0, 0.3, -1.0, 4.0, -9.0}) {
    const std::vector<double> two{1.0 + gap, 1.0}, one{gap};
    const double expected = 0.5 * std::erfc(-0.5 * gap);
    CHECK_NEAR(class_probability(two, 0), expected, 1e-12);
    CHECK_NEAR(class_probability(two, 1), 1.0 - expected, 1e-12);
    CHECK_NEAR(class_probability(one, 1), 0.5 * std::erfc(-gap / std::numbers::sqrt2), 1e-15);
    CHECK_NEAR(class_probability(one, 0) + class_probability(one, 1), 1.0, 1e-15);
    std::vector<double> all(2), below;
    class_probabilities(one, all, below);
    CHECK(all[0] == class_probability(one, 0) && all[1] == class_probability(one, 1));
  }
}

TEST(many_classes_share_evenly_what_they_may) {
  for (const std::size_t n : {4, 5, 30, 100}) {
    const std::vector<double> means(n, 0.7);
    CHECK_NEAR(class_probability(means, 3) * static_cast<double>(n), 1.0, n > 30 ? 2e-9 : 1e-10);
  }
}

}  // namespace
}  // namespace hedgerow::bart
