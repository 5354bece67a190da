// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/gaussian_hierarchy.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "dense_gaussian.hpp"

namespace hedgerow::label {
namespace {

using tests::DenseGaussian;
constexpr double infinity = std::numeric_limits<double>::infinity();

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// A root split at 0.7 above two leaves with labels of several weights; in units where gamma_1 = 3.
struct TwoLeaves {
  explicit TwoLeaves(double lifetime_ = infinity) : lifetime(lifetime_) {
    model.add(left, 1.5, 1.0);
    model.add(left, -0.5, 2.0);
    model.add(right, 4.0, 0.5);
    root = model.merge(left, model.clock(lifetime), right, model.clock(lifetime), model.clock(time));
    at_root = model.infer(model.prior(query), root, model.clock(time));
    at_left = model.infer(at_root, left, model.clock(lifetime));
    at_right = model.infer(at_root, right, model.clock(lifetime));
  }

  /// phi = gamma_1 (sigma(gamma_2 to) - sigma(gamma_2 from)), as the paper writes it.
  [[nodiscard]] double drift(double from, double to) const {
    return query.variance * (logistic(model.drift_rate * to) - logistic(model.drift_rate * from));
  }
  void observe_all(DenseGaussian& dense, std::size_t left_leaf, std::size_t right_leaf) const {
    const double noise = query.variance / model.signal_to_noise;
    dense.observe(left_leaf, 1.5, noise);
    dense.observe(left_leaf, -0.5, noise / 2.0);
    dense.observe(right_leaf, 4.0, noise / 0.5);
  }

  double lifetime;
  double time = 0.7;
  GaussianHierarchy model = GaussianHierarchy::make(1.3, 5.0, lifetime);
  Query query{0.25, 3.0, 3.0 / 5.0};
  GaussianHierarchy::Summary left, right, root;
  GaussianHierarchy::Belief at_root{}, at_left{}, at_right{};
};

TEST(beliefs_of_two_leaves_are_the_exact_posterior) {
  for (const double lifetime : {infinity, 2.0}) {
    const TwoLeaves tree(lifetime);
    DenseGaussian dense;
    const std::size_t root = dense.add_root(tree.query.centre, tree.drift(0.0, tree.time));
    const std::size_t left = dense.add(root, tree.drift(tree.time, lifetime));
    const std::size_t right = dense.add(root, tree.drift(tree.time, lifetime));
    tree.observe_all(dense, left, right);
    const double unit = tree.query.variance;
    CHECK_NEAR(tree.at_root.mean, dense.mean(root), 1e-14);
    CHECK_NEAR(tree.at_left.mean, dense.mean(left), 1e-14);
    CHECK_NEAR(tree.at_right.mean, dense.mean(right), 1e-14);
    CHECK_NEAR(unit * tree.at_root.variance, dense.variance(root), 1e-14);
    CHECK_NEAR(unit * tree.at_left.variance, dense.variance(left), 1e-14);
    CHECK_NEAR(unit * tree.at_right.variance, dense.variance(right), 1e-14);
    CHECK_NEAR(unit * tree.at_root.variance * tree.at_left.coupling, dense.covariance(root, left), 1e-14);
  }
}

TEST(a_leaf_speaks_with_its_belief_and_the_noise) {
  const TwoLeaves tree;
  const Gaussian said = tree.model.speak(tree.at_left, tree.query);
  CHECK(said.mean == tree.at_left.mean);
  CHECK_NEAR(said.variance, 3.0 * tree.at_left.variance + 3.0 / 5.0, 1e-15);
}

TEST(a_branch_speaks_with_the_posterior_on_its_edge) {
  for (const double lifetime : {infinity, 2.0}) {
    const TwoLeaves tree(lifetime);
    const double outside = 2.5, elapsed = lifetime - tree.time;
    Branch branch{tree.time, elapsed, outside, std::exp(-outside * elapsed), 0.0};
    const double when = tree.time + branch.expected_wait();
    branch.clock = tree.model.clock(when);
    DenseGaussian dense;
    const std::size_t root = dense.add_root(tree.query.centre, tree.drift(0.0, tree.time));
    const std::size_t fork = dense.add(root, tree.drift(tree.time, when));
    const std::size_t left = dense.add(fork, tree.drift(when, lifetime));
    const std::size_t right = dense.add(root, tree.drift(tree.time, lifetime));
    tree.observe_all(dense, left, right);
    const std::size_t fresh = dense.add(fork, tree.drift(when, lifetime));
    const Gaussian said = tree.model.speak_outside(tree.at_root, tree.at_left, branch, tree.query);
    CHECK_NEAR(said.mean, dense.mean(fresh), 1e-14);
    CHECK_NEAR(said.variance, dense.variance(fresh) + 3.0 / 5.0, 1e-14);
  }
}

TEST(a_branch_at_once_above_the_root_speaks_with_the_prior) {
  const TwoLeaves tree;
  const Branch branch{0.0, tree.time, 1e12, 0.0, tree.model.clock(1e-12)};
  const auto prior = tree.model.prior(tree.query);
  const Gaussian said = tree.model.speak_outside(prior, tree.at_root, branch, tree.query);
  CHECK_NEAR(said.mean, tree.query.centre, 1e-9);
  CHECK_NEAR(said.variance, 3.0 * 0.5 + 3.0 / 5.0, 1e-9);  // root to leaf gains gamma_1 / 2
}

TEST(no_variance_is_left_to_gain_at_the_lifetime) {
  CHECK(GaussianHierarchy::make(0.8, 1.0, infinity).psi(infinity) == 0.0);
  CHECK(GaussianHierarchy::make(0.8, 1.0, 3.0).psi(3.0) == 0.0);
  CHECK(GaussianHierarchy::make(0.8, 1.0, infinity).psi(0.0) == 0.5);
}

TEST(psi_is_what_the_logistic_function_has_still_to_climb) {
  const auto model = GaussianHierarchy::make(0.8, 1.0, 3.0);
  for (double time = 0.0; time <= 3.0; time += 0.25) {
    CHECK_NEAR(model.psi(time), logistic(0.8 * 3.0) - logistic(0.8 * time), 1e-15);
  }
}

TEST(a_weight_counts_as_repetition) {
  const auto model = GaussianHierarchy::make(1.0, 2.0, infinity);
  GaussianHierarchy::Summary heavy, repeated;
  model.add(heavy, 1.0, 3.0);
  model.add(heavy, 5.0, 1.0);
  for (const double label : {1.0, 1.0, 5.0, 1.0}) model.add(repeated, label, 1.0);
  CHECK_NEAR(heavy.precision, repeated.precision, 1e-14);
  CHECK_NEAR(heavy.mean, repeated.mean, 1e-14);
}

TEST(merge_does_not_care_which_child_is_left) {
  const TwoLeaves tree;
  const auto swapped = tree.model.merge(tree.right, 0.0, tree.left, 0.0, tree.model.clock(tree.time));
  CHECK_NEAR(swapped.precision, tree.root.precision, 1e-14);
  CHECK_NEAR(swapped.mean, tree.root.mean, 1e-14);
}

TEST(expected_wait_is_the_mean_of_a_truncated_exponential) {
  for (const double outside : {1e-6, 1e-3, 0.1, 1.0, 10.0}) {
    for (const double elapsed : {1e-3, 0.5, 1.0, 20.0}) {
      const Branch branch{0.0, elapsed, outside, numeric::exp_nonpositive(-outside * elapsed), 0.0};
      // Midpoint rule for integral t f(t) dt / integral f(t) dt with f(t) = exp(-outside t).
      double mass = 0.0, moment = 0.0;
      const int n = 20000;
      for (int i = 0; i < n; ++i) {
        const double t = (i + 0.5) / n * elapsed, density = std::exp(-outside * t);
        mass += density;
        moment += t * density;
      }
      CHECK_NEAR(branch.expected_wait(), moment / mass, 1e-5 * elapsed);
    }
  }
}

TEST(quantiles_of_the_wait_are_those_of_a_truncated_exponential) {
  for (const double outside : {1e-9, 1e-5, 1e-3, 0.1, 1.0, 10.0}) {
    for (const double elapsed : {1e-3, 0.5, 1.0, 20.0, infinity}) {
      const double survival = numeric::exp_nonpositive(-outside * elapsed);
      for (const double p : {0.25, 0.75}) {
        const double wait = Branch::wait_quantile(p, outside, elapsed, survival);
        CHECK_NEAR(std::expm1(-outside * wait) / std::expm1(-outside * elapsed), p, 1e-9);
      }
    }
  }
  CHECK(Branch::wait_quantile(0.25, 1.0, 0.0, 1.0) == 0.0);
}

TEST(expected_wait_on_an_endless_edge_is_one_over_the_rate) {
  CHECK((Branch{0.0, infinity, 4.0, 0.0, 0.0}.expected_wait()) == 0.25);
}

TEST(expected_wait_for_a_rare_branch_is_half_the_edge) {
  CHECK_NEAR((Branch{0.0, 3.0, 1e-300, 1.0, 0.0}.expected_wait()), 1.5, 1e-15);
}

TEST(clocks_read_together_are_clocks_read_one_by_one) {
  const auto model = GaussianHierarchy::make(0.3, 1.0, 40.0);
  std::vector<double> times;
  for (int i = 0; i <= 400; ++i) times.push_back(0.1 * i);
  std::vector<double> clocks = times;
  model.read_clocks(clocks.data(), clocks.size());
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(clocks[i] == model.clock(times[i]));
}

}  // namespace
}  // namespace hedgerow::label
