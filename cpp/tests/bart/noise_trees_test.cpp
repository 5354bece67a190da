// SPDX-License-Identifier: BSD-3-Clause
// Noise that varies: evidence of factors against integrals, and what trees say of rows to the last unit.
#include "hedgerow/bart/noise_trees.hpp"

#include "hedgerow/bart/chain.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

/// Prior times likelihood of squares, summed over a fine grid of the factor's logarithm.
double slow_log_evidence_of_squares(const posterior_tree::FactorPrior& prior, double weight, double squares) {
  double total = 0.0;
  const double step = 1.0 / 512.0;
  for (double log_factor = -12.0; log_factor < 12.0; log_factor += step) {
    const double log_density = prior.shape * std::log(prior.scale) - std::lgamma(prior.shape) -
                               prior.shape * log_factor - prior.scale * std::exp(-log_factor);
    total += std::exp(log_density - 0.5 * weight * log_factor - 0.5 * squares * std::exp(-log_factor));
  }
  return std::log(total * step);
}

TEST(evidence_of_factors_is_an_integral) {
  const posterior_tree::FactorPrior prior{3.0, 2.5};
  const double unit = 0x1p-30;
  for (const double weight : {0.0, 1.0, 2.0, 7.0, 20.0}) {
    for (const double squares : {0.0, 0.3, 5.0, 60.0}) {
      posterior_tree::VarianceFactors tabulated(prior, NoiseTrees::unit, 1.0, 10),
          weighted(prior, NoiseTrees::unit, 0.25, 0);
      tabulated.set_square_unit(unit);
      weighted.set_square_unit(unit);
      const Fixed sum = std::llround(squares / unit);
      const double expected = slow_log_evidence_of_squares(prior, weight, squares);
      CHECK_NEAR(tabulated({static_cast<Fixed>(weight), sum}), expected, 1e-7);
      CHECK_NEAR(weighted({static_cast<Fixed>(4.0 * weight), sum}), expected, 1e-7);
    }
  }
  CHECK_NEAR(posterior_tree::VarianceFactors(prior, NoiseTrees::unit, 1.0, 10)({}), 0.0, 1e-13);
}

TEST(factors_are_drawn_from_their_posterior) {
  // 1 / h is gamma: mean and variance of 100,000 draws within five standard errors, a false alarm in a million each.
  random::Stream stream(31, random::Purpose::grow, 0, 0);
  posterior_tree::VarianceFactors evidence({3.0, 2.5}, NoiseTrees::unit, 0.5, 0);
  evidence.set_square_unit(0x1p-20);
  const double shape = 3.0 + 0.5 * 0.5 * 9.0, scale = 2.5 + 0.5 * 4.0, n = 100000.0;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const Fixed drawn = evidence.draw_value({9, 4 << 20}, stream);
    const double error = std::exp(-static_cast<double>(drawn) * NoiseTrees::unit) - shape / scale;
    sum += error;
    squares += error * error;
  }
  const double variance = shape / (scale * scale);
  CHECK_NEAR(sum / n, 0.0, 5.0 * std::sqrt(variance / n));
  CHECK_NEAR(squares / n, variance, 5.0 * variance * std::sqrt((2.0 + 6.0 / shape) / n));
}

TEST(what_noise_trees_say_of_a_row_is_what_their_leaves_say_to_the_last_unit) {
  for (const bool weighted : {false, true}) {
    for (const Start start : {Start::leaves, Start::prior}) {
      const Problem problem = sample_problem({{{Move::grow_prune, 1}}, 1}, 3, weighted, true);
      Response response{ResponseKind::normal, sample_labels(), {0.0}, 3.0, 0.1};
      response.varying = {4, {2.0, 1.5}, 1e-6};
      Chain chain(problem, response, {9, 0}, start);
      std::size_t most_leaves = 0;
      for (int sweep = 0; sweep < 40; ++sweep) {
        const NoiseTrees& noise = *chain.noise_trees();
        double mean_variance = 0.0, total_weight = 0.0;
        for (RowId row = 0; row < sample_rows; ++row) {
          Fixed total = noise.residuals()[row];
          for (const Tree& tree : noise.trees()) {
            total += tree.nodes[leaf_of(tree, problem.data, row)].value;
            most_leaves = std::max(most_leaves, tree.n_leaves());
          }
          CHECK(total == 0);
          const double weight = weighted ? problem.weights[row] : 1.0;
          mean_variance += weight * chain.noise_variance() / noise.precision(row);
          total_weight += weight;
        }
        CHECK_NEAR(chain.trace_point().noise, std::sqrt(mean_variance / total_weight), 1e-9);
        chain.sweep();
      }
      CHECK(most_leaves > 2);
    }
  }
}

TEST(without_residuals_the_noise_stays_above_its_floor) {
  // Labels that are all equal: squares are the floor's, and factors settle where it is.
  const Problem problem = sample_problem({{{Move::grow_prune, 1}}, 1}, 3, false, true);
  Response response{ResponseKind::normal, std::vector<double>(sample_rows, 0.0), {0.0}, 3.0, 1e-12};
  response.varying = {10, {10.0, 9.5}, 1e-4};
  Chain chain(problem, response, {9, 0}, Start::leaves);
  for (int sweep = 0; sweep < 200; ++sweep) {
    chain.sweep();
    CHECK(sweep < 20 || (chain.trace_point().noise > 3e-3 && chain.trace_point().noise < 3e-2));
  }
}

}  // namespace
}  // namespace hedgerow::bart
