// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/training.hpp"

#include <set>

#include "check.hpp"
#include "greedy/sample_rows.hpp"

namespace hedgerow::greedy {
namespace {

constexpr std::size_t n_shrinkages = Training::shrinkages.size();

TrainingRows rows_of(const Sample& sample, std::size_t n_folds) {
  TrainingRows rows{sample.points(), sample.labels, sample.weights, {}, sample.n_outputs, n_folds};
  for (std::size_t row = 0; row < sample.n; ++row) rows.folds.push_back(static_cast<std::uint32_t>(row % n_folds));
  return rows;
}

Training trained(const Sample& sample, std::size_t n_folds, std::size_t n_rounds, std::size_t n_threads = 1) {
  Training training(rows_of(sample, n_folds), 1, 5, n_threads);
  for (std::size_t round = 0; round < n_rounds; ++round) training.grow_round(n_threads);
  CHECK(training.n_rounds() == n_rounds);
  return training;
}

/// The leaf of a row, from its values.
NodeId walk(const Forest& forest, const Tree& tree, const double* row) {
  NodeId id = 0;
  while (!tree.is_leaf(id)) {
    const Node node = tree.nodes[id];
    id = row[node.feature()] > forest.cuts[node.feature()][node.cut()] ? node.child + 1 : node.child;
  }
  return id;
}

double value_of(const Forest& forest, const Tree& tree, const double* row, std::size_t output) {
  return static_cast<double>(tree.values[tree.nodes[walk(forest, tree, row)].code * forest.n_outputs + output]);
}

bool all_finite(const ForestMoments& found) {
  return std::ranges::all_of(found.means, [](double x) { return std::isfinite(x); }) &&
         std::ranges::all_of(found.variances, [](double x) { return std::isfinite(x) && x >= 0.0; });
}

TEST(what_is_predicted_without_a_fold_knows_none_of_its_labels) {
  for (const std::size_t n_outputs : {1, 2, 6}) {
    for (const bool has_weights : {false, true}) {
      const Sample sample =
          draw_sample({.n = 90, .width = 5, .n_outputs = n_outputs, .has_weights = has_weights, .seed = n_outputs});
      const Training base = trained(sample, 3, 4);
      for (std::size_t fold = 0; fold < 3; ++fold) {
        for (const bool whole_fold : {false, true}) {
          Sample other = sample;
          for (std::size_t row = fold; row < (whole_fold ? 90 : fold + 1); row += 3) {
            for (std::size_t k = 0; k < n_outputs; ++k) other.labels[row * n_outputs + k] += 100.0;
          }
          const Training changed = trained(other, 3, 4);
          for (std::size_t which = 0; which < n_shrinkages; ++which) {
            const ForestMoments before = base.left_out(which), after = changed.left_out(which);
            std::size_t n_changed = 0;
            for (std::size_t at = 0; at < 90 * n_outputs; ++at) {
              const bool is_same = before.means[at] == after.means[at] && before.variances[at] == after.variances[at];
              if (at / n_outputs % 3 == fold) CHECK(is_same);
              n_changed += is_same ? 0 : 1;
            }
            CHECK(n_changed > 0);  // others do know them
          }
        }
      }
    }
  }
}

TEST(threads_change_no_bit_of_a_training) {
  const Sample sample = draw_sample({.n = 200, .width = 18, .n_outputs = 2, .n_values = 300, .has_weights = true});
  Training one = trained(sample, 5, 3, 1);
  const ForestMoments left_out = one.left_out(2);
  const Forest forest = one.finish(2, 1);
  for (const std::size_t n_threads : {2, 3}) {
    Training same = trained(sample, 5, 3, n_threads);
    CHECK(same.left_out(2).means == left_out.means && same.left_out(2).variances == left_out.variances);
    const Forest other = same.finish(2, n_threads);
    CHECK(other.gains == forest.gains && other.cuts == forest.cuts && other.trees.size() == 15);
    for (std::size_t t = 0; t < 15; ++t) {
      CHECK(other.trees[t].values == forest.trees[t].values);
      CHECK(std::ranges::equal(other.trees[t].nodes, forest.trees[t].nodes,
                               [](const Node& a, const Node& b) { return a.child == b.child && a.code == b.code; }));
    }
  }
}

TEST(trees_seeds_and_rounds_differ) {
  const Sample sample = draw_sample({.n = 100});
  std::set<std::vector<float>> seen;
  for (const std::uint64_t seed : {1, 2}) {
    Training training(rows_of(sample, 2), 1, seed, 1);
    for (int round = 0; round < 3; ++round) training.grow_round(1);
    for (const Tree& tree : training.finish(0, 1).trees) seen.insert(tree.values);
  }
  CHECK(seen.size() == 12);
}

TEST(the_shrinkage_of_the_smallest_error_is_chosen) {
  std::set<std::size_t> chosen;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Sample sample = draw_sample({.n = 120,
                                 .width = 3,
                                 .n_outputs = 1 + seed % 2,
                                 .noise = 0.4 * static_cast<double>(seed % 6),
                                 .has_weights = true,
                                 .seed = seed});
    for (std::size_t row = 0; row < 30; ++row) sample.weights[row] *= 20.0;  // enough to change the choice
    const Training training = trained(sample, 4, 5);
    std::size_t best = 0;
    std::vector<double> errors(n_shrinkages, 0.0);
    for (std::size_t which = 0; which < n_shrinkages; ++which) {
      const ForestMoments found = training.left_out(which);
      for (std::size_t at = 0; at < sample.labels.size(); ++at) {
        errors[which] += sample.weights[at / sample.n_outputs] * std::pow(sample.labels[at] - found.means[at], 2.0);
      }
      if (errors[which] < errors[best]) best = which;
    }
    CHECK(training.best_shrinkage() == best);
    chosen.insert(best);
  }
  CHECK(chosen.size() >= 3);  // or the test would say little
}

TEST(left_out_predictions_are_those_of_trees_without_the_fold) {
  for (const std::size_t n_folds : {2, 3}) {
    const Sample sample = draw_sample({.n = 70, .width = 3, .n_outputs = 2, .has_weights = true, .seed = n_folds});
    for (std::size_t which = 0; which < n_shrinkages; ++which) {
      Training training = trained(sample, n_folds, 4);
      const ForestMoments left_out = training.left_out(which);
      const Forest forest = training.finish(which, 2);
      CHECK(forest.trees.size() == 4 * n_folds);
      for (std::size_t at = 0; at < sample.labels.size(); ++at) {
        const std::size_t row = at / 2;
        double mean = 0.0, variance = 0.0;
        std::vector<double> predicted;
        for (std::size_t t = row % n_folds; t < forest.trees.size(); t += n_folds) {
          predicted.push_back(value_of(forest, forest.trees[t], sample.values.data() + 3 * row, at % 2));
          mean += predicted.back() / 4.0;
        }
        for (const double one : predicted) variance += (one - mean) * (one - mean) / 3.0;
        CHECK_NEAR(left_out.means[at], mean, 1e-12);
        CHECK_NEAR(left_out.variances[at], variance, 1e-12);
      }
    }
  }
}

TEST(left_out_predictions_stay_when_the_forest_is_handed_over) {
  const Sample sample = draw_sample({.n = 50});
  Training training = trained(sample, 2, 3);
  const ForestMoments before = training.left_out(1);
  const std::size_t best = training.best_shrinkage();
  CHECK(training.finish(1, 1).trees.size() == 6);
  const ForestMoments after = training.left_out(1);
  CHECK(after.means == before.means && after.variances == before.variances && training.best_shrinkage() == best);
}

TEST(a_forest_predicts_what_its_trees_do) {
  for (const std::size_t n_values : {4, 1000}) {
    const Sample sample = draw_sample({.n = 600, .width = 18, .n_outputs = 3, .n_values = n_values, .seed = 3});
    Training training = trained(sample, 2, 3);
    const Forest forest = training.finish(1, 1);
    Sample drawn = draw_sample({.n = 700, .width = 18, .n_outputs = 1, .n_values = 500, .seed = 4});
    for (double& value : drawn.values) value = 1.4 * value - 0.2;
    const Sample queries = drawn;
    for (const Sample* asked : {&sample, &queries}) {
      const ForestMoments found = predict(forest, asked->points(), 2);
      for (std::size_t at = 0; at < asked->n * 3; ++at) {
        double mean = 0.0;
        for (const Tree& tree : forest.trees) {
          mean += value_of(forest, tree, asked->values.data() + at / 3 * 18, at % 3) / 6.0;
        }
        CHECK_NEAR(found.means[at], mean, 1e-12);
      }
    }
  }
}

/// Rows outside the fold, by the leaf to which their values lead.
std::vector<std::vector<std::size_t>> rows_by_leaf(const Sample& sample, const Forest& forest, std::size_t t,
                                                   std::size_t n_folds) {
  std::vector<std::vector<std::size_t>> found(forest.trees[t].nodes.size());
  for (std::size_t row = 0; row < sample.n; ++row) {
    if (row % n_folds == t % n_folds) continue;
    found[walk(forest, forest.trees[t], sample.values.data() + row * sample.width)].push_back(row);
  }
  return found;
}

/// Squares of some numbers of rows about their weighted mean.
template <class Number>
double squares_about_mean(const Sample& sample, const std::vector<std::size_t>& rows, Number&& number) {
  double weight = 0.0, total = 0.0, squares = 0.0;
  for (const std::size_t row : rows) weight += sample.weights[row], total += sample.weights[row] * number(row);
  for (const std::size_t row : rows) squares += sample.weights[row] * std::pow(number(row) - total / weight, 2.0);
  return squares;
}

TEST(gains_are_what_trees_take_off_the_squares) {
  for (const std::size_t n_outputs : {1, 2, 3, 4, 7}) {
    for (const bool has_weights : {false, true}) {
      const Sample sample =
          draw_sample({.n = 300, .width = 20, .n_outputs = n_outputs, .has_weights = has_weights, .seed = n_outputs});
      Training training(rows_of(sample, 3), 4, 8, 1);
      training.grow_round(1), training.grow_round(1);
      const Forest forest = training.finish(0, 1);
      const std::size_t n_labels = std::min(n_outputs, Training::most_labels);
      double expected = 0.0, gained = 0.0;
      for (std::size_t t = 0; t < 6; ++t) {
        // More outputs than are looked at are projected: the same numbers of the same stream.
        random::Stream stream(8, random::Purpose::greedy_cut, static_cast<std::uint32_t>(t), 0);
        std::vector<double> directions(n_labels * n_outputs);
        for (std::size_t i = 0; i < directions.size(); ++i) {
          directions[i] = n_labels < n_outputs ? random::draw_normal(stream) : (i / n_outputs == i % n_outputs ? 1 : 0);
        }
        const auto by_leaf = rows_by_leaf(sample, forest, t, 3);
        std::vector<std::size_t> all;
        for (const auto& rows : by_leaf) all.insert(all.end(), rows.begin(), rows.end());
        for (std::size_t k = 0; k < n_labels; ++k) {
          const auto number = [&](std::size_t row) {
            double sum = 0.0;
            for (std::size_t j = 0; j < n_outputs; ++j) {
              sum += directions[k * n_outputs + j] * sample.labels[row * n_outputs + j];
            }
            return sum;
          };
          expected += squares_about_mean(sample, all, number);
          for (const auto& rows : by_leaf) expected -= squares_about_mean(sample, rows, number);
        }
      }
      for (const double gain : forest.gains) gained += gain;
      CHECK(expected > 100.0);
      CHECK_NEAR(gained, expected, 1e-5 * expected);
    }
  }
}

TEST(leaves_predict_the_mean_of_the_rows_outside_the_fold) {
  for (const std::size_t n_outputs : {1, 3, 6}) {
    const Sample sample = draw_sample({.n = 150, .width = 4, .n_outputs = n_outputs, .has_weights = true});
    Training training(rows_of(sample, 3), 3, 9, 1);
    training.grow_round(1);
    const Forest forest = training.finish(0, 1);
    for (std::size_t t = 0; t < 3; ++t) {
      const Tree& tree = forest.trees[t];
      const auto by_leaf = rows_by_leaf(sample, forest, t, 3);
      CHECK(tree.nodes.size() > 20 && tree.values.size() == (tree.nodes.size() / 2 + 1) * n_outputs);
      for (NodeId id = 0; id < tree.nodes.size(); ++id) {
        if (!tree.is_leaf(id)) continue;
        CHECK(by_leaf[id].size() >= 3);
        for (std::size_t k = 0; k < n_outputs; ++k) {
          double weight = 0.0, total = 0.0;
          for (const std::size_t row : by_leaf[id]) {
            weight += sample.weights[row], total += sample.weights[row] * sample.labels[row * n_outputs + k];
          }
          CHECK_NEAR(static_cast<double>(tree.values[tree.nodes[id].code * n_outputs + k]), total / weight, 1e-5);
        }
      }
    }
  }
}

TEST(wrong_folds_are_refused) {
  const Sample sample = draw_sample({.n = 10});
  const auto refuses = [&](auto&& spoil) {
    TrainingRows rows = rows_of(sample, 3);
    spoil(rows);
    return tests::throws<std::invalid_argument>([&] { Training(std::move(rows), 1, 1, 1); });
  };
  CHECK(!refuses([](TrainingRows&) {}));
  CHECK(refuses([](TrainingRows& rows) { rows.n_folds = 1, rows.folds.assign(10, 0); }));
  CHECK(refuses([](TrainingRows& rows) { rows.n_folds = 0; }));
  CHECK(refuses([](TrainingRows& rows) { rows.folds[4] = 3; }));
  CHECK(refuses([](TrainingRows& rows) { rows.n_folds = 4; }));
  CHECK(refuses([](TrainingRows& rows) { std::ranges::replace(rows.folds, 1U, 0U); }));
}

TEST(constant_columns_are_never_cut) {
  Sample sample = draw_sample({.n = 60, .width = 3});
  for (std::size_t row = 0; row < 60; ++row) sample.values[3 * row + 1] = -4.0;
  Training some = trained(sample, 2, 3);
  const Forest forest = some.finish(0, 1);
  CHECK(forest.gains[0] > 0.0 && forest.gains[1] == 0.0 && forest.gains[2] > 0.0 && forest.cuts[1].empty());
  for (double& value : sample.values) value = 2.0;
  Training none = trained(sample, 2, 3);
  CHECK(all_finite(none.left_out(3)));
  const Forest flat = none.finish(0, 1);
  for (const Tree& tree : flat.trees) CHECK(tree.nodes.size() == 1);
  CHECK(all_finite(predict(flat, sample.points(), 1)));
}

TEST(constant_labels_need_no_cut) {
  for (const bool has_weights : {false, true}) {
    Sample sample = draw_sample({.n = 60, .width = 3, .has_weights = has_weights});
    for (double& label : sample.labels) label = 0.1;
    Training training = trained(sample, 3, 2);
    const ForestMoments left_out = training.left_out(0);
    for (const double mean : left_out.means) CHECK_NEAR(mean, 0.1, 1e-7);
    for (const double variance : left_out.variances) CHECK_NEAR(variance, 0.0, 1e-15);
    for (const Tree& tree : training.finish(0, 1).trees) CHECK(tree.nodes.size() == 1);
  }
}

TEST(two_rows_in_two_folds_predict_each_other) {
  Sample sample = draw_sample({.n = 2, .width = 2, .n_outputs = 2, .seed = 6});
  sample.labels = {1.0, 2.0, -3.0, 5.0};
  Training training = trained(sample, 2, 3);
  for (std::size_t which = 0; which < n_shrinkages; ++which) {
    CHECK((training.left_out(which).means == std::vector<double>{-3.0, 5.0, 1.0, 2.0}));
    CHECK((training.left_out(which).variances == std::vector<double>(4, 0.0)));
  }
  const ForestMoments found = predict(training.finish(0, 1), sample.points(), 1);
  CHECK((found.means == std::vector<double>{-1.0, 3.5, -1.0, 3.5}));
}

TEST(without_rounds_nothing_is_known) {
  const Training training = trained(draw_sample({.n = 10}), 2, 0);
  CHECK((training.left_out(0).means == std::vector<double>(10, 0.0)));
}

TEST(rows_that_weigh_nothing_say_nothing) {
  Sample sample = draw_sample({.n = 90, .width = 4, .n_values = 3, .has_weights = true, .seed = 7});
  for (std::size_t row = 0; row < 90; ++row) {
    if (row % 7 < 4) sample.weights[row] = 0.0;
  }
  Sample other = sample;
  for (std::size_t row = 0; row < 90; ++row) other.labels[row] += row % 7 < 4 ? 50.0 : 0.0;
  Training one = trained(sample, 3, 20), same = trained(other, 3, 20);
  for (std::size_t which = 0; which < n_shrinkages; ++which) {
    CHECK(all_finite(one.left_out(which)));
    CHECK(one.left_out(which).means == same.left_out(which).means);
  }
  CHECK(one.best_shrinkage() == same.best_shrinkage());
  CHECK(predict(one.finish(0, 1), sample.points(), 1).means == predict(same.finish(0, 1), sample.points(), 1).means);
  // All that weighs anything may be in one fold.
  for (std::size_t row = 0; row < 90; ++row) sample.weights[row] = row % 3 == 0 ? 1.0 : 0.0;
  const Training lone = trained(sample, 3, 2);
  CHECK(all_finite(lone.left_out(0)) && all_finite(lone.left_out(4)));
}

TEST(weights_may_be_far_apart) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Sample sample = draw_sample({.n = 200, .width = 4, .seed = seed});
    random::Stream stream(seed, random::Purpose::grow, 1, 0);
    for (double& weight : sample.weights) weight = std::exp(6.0 * random::draw_normal(stream));
    Training training = trained(sample, 2, 1);
    CHECK(all_finite(training.left_out(0)) && all_finite(training.left_out(4)));
    const Forest forest = training.finish(0, 1);
    double expected = 0.0, gained = 0.0;
    for (std::size_t t = 0; t < 2; ++t) {
      const auto by_leaf = rows_by_leaf(sample, forest, t, 2);
      std::vector<std::size_t> all;
      for (const auto& rows : by_leaf) all.insert(all.end(), rows.begin(), rows.end());
      const auto number = [&](std::size_t row) { return sample.labels[row]; };
      expected += squares_about_mean(sample, all, number);
      for (const auto& rows : by_leaf) expected -= rows.empty() ? 0.0 : squares_about_mean(sample, rows, number);
    }
    for (const double gain : forest.gains) gained += gain;
    CHECK_NEAR(gained, expected, 1e-4 * expected);
  }
}

}  // namespace
}  // namespace hedgerow::greedy
