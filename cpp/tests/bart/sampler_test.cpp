// SPDX-License-Identifier: BSD-3-Clause
// Whole chains: residuals stay exact, and threads, pieces of work, files and rounds change no bit.
#include "hedgerow/bart/sampler.hpp"

#include "hedgerow/bart/archive.hpp"
#include "hedgerow/bart/ask.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

const Plan every_move{{{Move::grow_prune, 2},
                       {Move::cgm, 1},
                       {Move::perturb, 1},
                       {Move::change, 1},
                       {Move::swap, 1},
                       {Move::heat_bath, 1},
                       {Move::exchange, 1},
                       {Move::graft, 1},
                       {Move::subtree_particles, 1},
                       {Move::particles, 1}},
                      1};

struct Setting {
  ResponseKind kind;
  bool weighted = false, varying = false;
};
const std::vector<Setting> settings{{ResponseKind::normal},
                                    {ResponseKind::normal, true},
                                    {ResponseKind::normal, false, true},
                                    {ResponseKind::normal, true, true},
                                    {ResponseKind::probit},
                                    {ResponseKind::classes}};

Response sample_response(const Setting& setting) {
  const ResponseKind kind = setting.kind;
  Response response{kind, sample_labels(), {0.0}, 3.0, 0.1};
  if (setting.varying) response.varying = {2, {4.0, 3.5}, 1e-6};
  if (kind == ResponseKind::probit) response.offsets = {0.3};
  if (kind == ResponseKind::classes) response.offsets = {0.3, 0.0, -0.2};
  for (double& label : response.labels) {
    if (kind == ResponseKind::probit) label = label > 0.8 ? 1.0 : 0.0;
    if (kind == ResponseKind::classes) label = label > 1.2 ? 2.0 : label > 0.5 ? 1.0 : 0.0;
  }
  return response;
}

Settings settings_of(const Setting& setting, const Plan& plan) {
  return sample_settings(plan, 3, sample_response(setting).varying);
}

Observed observed(const Setting& setting) {
  Response response = sample_response(setting);
  return {setting.kind, response.labels, sample_weights(setting.weighted), response.offsets};
}

std::unique_ptr<Sampler> started(const Setting& setting, const Plan& plan = every_move) {
  return new_sampler(sample_data(), observed(setting), settings_of(setting, plan), 3, 9, Start::prior);
}

/// Everything that a file has of all chains.
bool are_same(const std::unique_ptr<Sampler>& one, const std::unique_ptr<Sampler>& other) {
  return archived(*one) == archived(*other);
}

TEST(labels_are_residuals_and_values_to_the_last_unit) {
  for (const Setting& setting : settings) {
    for (const Start start : {Start::leaves, Start::prior}) {
      const Problem problem = sample_problem(every_move, 4, setting.weighted, setting.varying);
      const Response response = sample_response(setting);
      Chain chain(problem, response, {9, 0}, start);
      for (int sweep = 0; sweep <= 40; ++sweep) {
        for (std::size_t k = 0; k < chain.sums().size(); ++k) {
          const SumOfTrees& sum = chain.sums()[k];
          for (RowId row = 0; row < sample_rows; ++row) {
            Fixed total = sum.residuals()[row];
            for (const Tree& tree : sum.trees()) total += tree.nodes[leaf_of(tree, problem.data, row)].value;
            CHECK(total == chain.utilities()[k][row]);
            const double mean = static_cast<double>(total - sum.residuals()[row]) * problem.units.label;
            CHECK(chain.mean_at(k, row) == mean);
          }
        }
        chain.sweep();
      }
      if (setting.kind == ResponseKind::normal) {
        CHECK(chain.utilities() == first_utilities(response, problem.units));  // numbers stay as they are
      }
    }
  }
}

TEST(utilities_agree_with_classes) {
  for (const ResponseKind kind : {ResponseKind::probit, ResponseKind::classes}) {
    const Problem problem = sample_problem({{{Move::grow_prune, 2}}, 1}, 3);
    const Response response = sample_response({kind});
    Chain chain(problem, response, {9, 0}, Start::prior);
    for (int sweep = 0; sweep < 50; ++sweep) {
      chain.sweep();
      for (RowId row = 0; row < sample_rows; ++row) {
        std::vector<double> utilities;
        for (std::size_t k = 0; k < chain.sums().size(); ++k) {
          const double trees = static_cast<double>(chain.utilities()[k][row]) * problem.units.label;
          utilities.push_back(trees + response.offsets[k]);
        }
        const auto highest = std::ranges::max_element(utilities) - utilities.begin();
        const double found =
            kind == ResponseKind::probit ? (utilities[0] > 0.0 ? 1.0 : 0.0) : static_cast<double>(highest);
        CHECK(found == response.labels[row]);
      }
    }
  }
}

TEST(threads_and_pieces_change_no_bit) {
  for (const Setting& setting : settings) {
    const auto one = started(setting), three = started(setting), pieces = started(setting);
    one->run(10, 2, 1);
    three->run(10, 2, 3);
    for (int piece = 0; piece < 5; ++piece) pieces->run(2, 2, 2);
    CHECK(one->n_draws() == 5 && one->n_sweeps() == 10);
    CHECK(are_same(one, three) && are_same(one, pieces));
    CHECK(one->draws()[0].code.values != one->draws()[1].code.values);  // chains are not copies of each other
  }
}

TEST(a_stored_chain_goes_on_as_if_never_stopped) {
  for (const Setting& setting : settings) {
    const auto stopped = started(setting), straight = started(setting);
    stopped->run(8, 1, 1);
    straight->run(16, 1, 1);
    const auto loaded = restored(archived(*stopped), observed(setting), settings_of(setting, every_move), 3, 9);
    CHECK(loaded->problem().data.cuts == stopped->problem().data.cuts);
    CHECK(are_same(stopped, loaded));
    loaded->run(8, 1, 2);
    CHECK(are_same(straight, loaded));
  }
}

TEST(two_rounds_are_two_sweeps_of_one) {
  for (const Setting& setting : settings) {
    Plan twice = every_move;
    twice.n_rounds = 2;
    const auto rounds = started(setting, twice), sweeps = started(setting);
    rounds->run(6, 1, 1);
    sweeps->run(12, 2, 1);
    CHECK(rounds->n_sweeps() == 6);
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(rounds->draws()[c].code.rules == sweeps->draws()[c].code.rules);
      CHECK(rounds->draws()[c].code.values == sweeps->draws()[c].code.values);
    }
  }
}

TEST(rows_labels_and_weights_are_as_many) {
  for (const bool weights : {false, true}) {
    Observed few = observed(settings[1]);
    (weights ? few.weights : few.labels).pop_back();
    CHECK(tests::throws<std::invalid_argument>(
        [&] { new_sampler(sample_data(), few, settings_of(settings[1], every_move), 1, 9, Start::leaves); }));
  }
}

TEST(a_sampler_counts_in_the_units_of_its_rows) {
  // They fix the bits of all results: of the largest residual that trees could leave, and of weights.
  for (const bool weighted : {false, true}) {
    const auto weights = sample_weights(weighted);
    const double reach = 256.0 * std::sqrt(3.0 * leaf_variance);
    const Units expected = posterior_tree::units_for(weights, false, sample_rows, reach);
    const Units found = started({ResponseKind::normal, weighted})->problem().units;
    CHECK(found.label == expected.label && found.weight == expected.weight);
  }
}

TEST(a_chain_may_start_in_the_prior) {
  // 4000 trees: shares of nodes that split, by depth, and mean and variance of values, within five standard errors.
  const Problem problem = sample_problem({}, 4000);
  Chain chain(problem, sample_response({ResponseKind::normal}), {10, 0}, Start::prior);
  double n_values = 0.0, sum = 0.0, squares = 0.0;
  std::vector<double> n_nodes(3, 0.0), n_split(3, 0.0);
  for (const Tree& tree : chain.sums()[0].trees()) {
    for (const Node& node : tree.nodes) {
      if (node.splittable && node.depth < n_nodes.size()) {
        n_nodes[node.depth] += 1.0;
        n_split[node.depth] += node.is_leaf() ? 0.0 : 1.0;
      }
      if (!node.is_leaf()) continue;
      const double value = static_cast<double>(node.value) * problem.units.label;
      n_values += 1.0;
      sum += value;
      squares += value * value;
    }
  }
  for (std::size_t depth = 0; depth < n_nodes.size(); ++depth) {
    const double split = 0.95 / std::sqrt(1.0 + static_cast<double>(depth));
    CHECK_NEAR(n_split[depth] / n_nodes[depth], split, 5.0 * std::sqrt(split * (1.0 - split) / n_nodes[depth]));
  }
  CHECK_NEAR(sum / n_values, 0.0, 5.0 * std::sqrt(leaf_variance / n_values));
  CHECK_NEAR(squares / n_values, leaf_variance, 5.0 * leaf_variance * std::sqrt(2.0 / n_values));
}

TEST(splits_are_those_of_the_rules) {
  const auto sampler = started(settings[2]);
  sampler->run(6, 2, 1);
  for (const Part part : {Part::mean, Part::noise}) {
    const auto counts = count_splits(*sampler, part);
    CHECK(counts.size() == 3 * 3 * sample_width);
    std::size_t total = 0, n_rules = 0;
    for (const auto count : counts) total += count;
    for (const Draws& draws : sampler->draws()) n_rules += trees_of(draws, part).code.rules.size();
    CHECK(total == n_rules);
  }
  CHECK(tests::throws<std::invalid_argument>([] { (void)count_splits(*started(settings[0]), Part::noise); }));
  CHECK(traces(*sampler).size() == 3 * 3 * 4);
}

}  // namespace
}  // namespace hedgerow::bart
