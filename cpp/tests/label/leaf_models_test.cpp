// SPDX-License-Identifier: BSD-3-Clause
// Leaf models against the chain rule: the marginal likelihood is the product of what was predicted before each label.
#include <vector>

#include "check.hpp"
#include "dense_gaussian.hpp"
#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/known_noise.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"
#include "hedgerow/label/running_moments.hpp"

namespace hedgerow::label {
namespace {

const std::vector<double> classes{0, 2, 2, 1, 2, 0, 2, 2, 2, 4};
const std::vector<double> numbers{1.5, -0.2, 3.0, 2.2, 2.1, 1e3, 2.0};

double student_log_density(const Student& student, double y) {
  const double z = (y - student.location) / student.scale;
  return std::lgamma(0.5 * (student.df + 1.0)) - std::lgamma(0.5 * student.df) -
         0.5 * std::log(student.df * std::numbers::pi) - std::log(student.scale) -
         0.5 * (student.df + 1.0) * std::log1p(z * z / student.df);
}

TEST(classes_are_as_likely_as_an_urn_says) {
  const DirichletMultinomial model(5, 3.0, classes.size());
  auto summary = model.empty();
  auto scan = model.scan();
  double expected = 0.0;
  for (const double label : classes) {
    const double count = summary.counts[static_cast<std::size_t>(label)];
    expected += std::log((count + 0.6) / (summary.total + 3.0));
    model.add(summary, label, 1.0);
    scan.add(label, 1.0);
    CHECK_NEAR(model.log_marginal(summary), expected, 1e-12);
    CHECK_NEAR(scan.log_marginal(), expected, 1e-12);
  }
}

TEST(numbers_are_as_likely_as_predictions_say) {
  const NormalInverseGamma model({1.0, 0.3, 2.5, 0.8}, numbers.size());
  auto summary = model.empty();
  auto scan = model.scan();
  double expected = 0.0;
  for (const double label : numbers) {
    expected += student_log_density(model.predictive(summary), label);
    model.add(summary, label, 1.0);
    scan.add(label, 1.0);
    CHECK_NEAR(model.log_marginal(summary), expected, 1e-9);
    CHECK_NEAR(scan.log_marginal(), expected, 1e-9);
  }
}

TEST(numbers_with_known_noise_are_as_likely_as_dense_algebra_says) {
  // Over how likely they are if the leaf's value is zero: the factor that is left out.
  const KnownNoise model(0.3, 2.0);
  for (const bool weighted : {false, true}) {
    tests::DenseGaussian joint;
    const std::size_t value = joint.add_root(0.0, 2.0);
    auto summary = KnownNoise::empty();
    auto scan = model.scan();
    double expected = 0.0, weight = 1.0;
    for (const double label : numbers) {
      tests::DenseGaussian alone;
      expected +=
          joint.observe(value, label, 0.3 / weight) - alone.observe(alone.add_root(0.0, 0.0), label, 0.3 / weight);
      KnownNoise::add(summary, label, weight);
      scan.add(label, weight);
      CHECK_NEAR(model.log_marginal(summary), expected, 1e-9 * (1.0 + std::abs(expected)));
      CHECK(scan.log_marginal() == model.log_marginal(summary));
      if (weighted) weight *= 0.7;
    }
  }
}

TEST(an_empty_leaf_is_certain) {
  CHECK(KnownNoise(0.3, 2.0).log_marginal(KnownNoise::empty()) == 0.0);
  CHECK_NEAR(DirichletMultinomial(4, 2.0, 3).log_marginal(DirichletMultinomial(4, 2.0, 3).empty()), 0.0, 1e-15);
  CHECK_NEAR(NormalInverseGamma({0.0, 1.0, 3.0, 1.0}, 3).log_marginal({}), 0.0, 1e-15);
}

TEST(one_class_is_certain) {
  const DirichletMultinomial model(1, 5.0, 10);
  auto summary = model.empty();
  for (int i = 0; i < 20; ++i) model.add(summary, 0.0, 1.0);
  CHECK_NEAR(model.log_marginal(summary), 0.0, 1e-12);
}

/// Weights are copies: three of weight 1 are one of weight 3, and halves add up.
template <class M>
void check_weights(const M& model, double label, double other) {
  auto copies = model.empty(), weighted = model.empty(), halves = model.empty();
  for (int i = 0; i < 3; ++i) model.add(copies, label, 1.0);
  model.add(copies, other, 1.0);
  model.add(weighted, label, 3.0);
  model.add(weighted, other, 1.0);
  for (int i = 0; i < 2; ++i) model.add(halves, other, 0.5);
  for (int i = 0; i < 6; ++i) model.add(halves, label, 0.5);
  CHECK_NEAR(model.log_marginal(copies), model.log_marginal(weighted), 1e-12);
  CHECK_NEAR(model.log_marginal(copies), model.log_marginal(halves), 1e-12);
}

TEST(a_weight_is_a_number_of_copies) {
  check_weights(DirichletMultinomial(3, 2.0, 4), 1.0, 2.0);
  check_weights(NormalInverseGamma({0.5, 0.1, 3.0, 0.2}, 4), 1.25, -2.0);
  check_weights(KnownNoise(0.5, 3.0), 1.25, -2.0);
}

TEST(a_large_offset_costs_no_precision) {
  const NormalInverseGamma near({0.0, 0.5, 3.0, 1.0}, 10), far({1e9, 0.5, 3.0, 1.0}, 10);
  LabelMoments here, there;
  for (const double label : {0.5, 0.25, 0.75, -0.5}) {
    near.add(here, label, 1.0);
    far.add(there, 1e9 + label, 1.0);
  }
  CHECK_NEAR(near.log_marginal(here), far.log_marginal(there), 1e-6);
}

TEST(a_label_that_outweighs_the_others_leaves_a_spread_that_is_possible) {
  for (int k = 1; k < 100; ++k) {
    LabelMoments moments;
    moments.add(1.0 / k, 1.0);
    moments.add(std::sqrt(k) / 7.0, 0x1p63);
    CHECK(moments.are_possible());
  }
}

TEST(summaries_go_to_numbers_and_back) {
  const DirichletMultinomial model(6, 2.0, 4);
  auto summary = model.empty();
  model.add(summary, 4.0, 2.0);
  model.add(summary, 1.0, 0.5);
  std::vector<double> written;
  model.write(summary, written);
  CHECK((written == std::vector<double>{1.0, 0.5, 4.0, 2.0}));
  auto again = model.empty();
  CHECK(model.read(written, again) && again.counts == summary.counts && again.total == summary.total);

  WeightedSum sum, same;
  KnownNoise::add(sum, -1.5, 2.0);
  std::vector<double> numbers_of_sum;
  KnownNoise::write(sum, numbers_of_sum);
  CHECK((numbers_of_sum == std::vector<double>{2.0, -3.0}));
  CHECK(KnownNoise::read(numbers_of_sum, same) && same.weight == sum.weight && same.sum == sum.sum);
}

TEST(numbers_that_are_no_summary_are_refused) {
  const DirichletMultinomial model(3, 2.0, 4);
  auto summary = model.empty();
  const double nan = std::nan("");
  for (const std::vector<double>& bad : std::vector<std::vector<double>>{{1.0},
                                                                         {3.0, 1.0},
                                                                         {-1.0, 1.0},
                                                                         {0.5, 1.0},
                                                                         {nan, 1.0},
                                                                         {1.0, 0.0},
                                                                         {1.0, nan},
                                                                         {1.0, HUGE_VAL},
                                                                         {1.0, 1.0, 1.0, 1.0},
                                                                         {2.0, 1.0, 1.0, 1.0}}) {
    CHECK(!model.read(bad, summary));
  }
  LabelMoments moments;
  for (const std::vector<double>& bad : std::vector<std::vector<double>>{{},
                                                                         {1.0, 2.0},
                                                                         {-1.0, 0.0, 0.0},
                                                                         {1.0, nan, 0.0},
                                                                         {1.0, 0.0, -1.0},
                                                                         {HUGE_VAL, 0.0, 0.0},
                                                                         {1.0, 1e155, 0.0},
                                                                         {1.0, -1e155, 0.0},
                                                                         {1.0, 0.0, 1e305},
                                                                         {1e-310, 0.0, 1e150},
                                                                         {1e305, 0.0, 0.0}}) {
    CHECK(!NormalInverseGamma::read(bad, moments));
    if (bad.size() == 3) {
      std::span<const double> left(bad);
      CHECK(!RunningMoments::read(left, moments));
      CHECK(!RunningMoments::read(bad, moments));
    }
  }
  WeightedSum sum;
  for (const std::vector<double>& bad :
       std::vector<std::vector<double>>{{}, {1.0}, {1.0, 2.0, 3.0}, {-1.0, 0.0}, {nan, 0.0}, {1.0, HUGE_VAL}}) {
    CHECK(!KnownNoise::read(bad, sum));
  }
}

}  // namespace
}  // namespace hedgerow::label
