// SPDX-License-Identifier: BSD-3-Clause
// Predictions are those of points sent down every tree one by one, bit for bit, whatever the trees, the number of
// points and the number of threads.
#include "hedgerow/bart/ask.hpp"

#include <numeric>

#include "hedgerow/bart/new_sampler.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

/// Points in a box larger than that of the rows.
std::vector<double> draw_points(std::size_t n, std::size_t width) {
  random::Stream stream(51, random::Purpose::grow, 0, 0);
  std::vector<double> points(n * width);
  for (double& value : points) value = 1.2 * stream.uniform() - 0.1;
  return points;
}

/// A sampler on so many rows, with draws.
std::unique_ptr<Sampler> drawn(std::size_t n_rows, std::size_t width, const Settings& settings, ResponseKind kind) {
  const auto points = draw_points(n_rows, width);
  Observed observed{kind, {}, {}, std::vector<double>(kind == ResponseKind::classes ? 3 : 1, 0.1)};
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double sum = points[i * width] + 2.0 * points[i * width + width - 1];
    const double most = kind == ResponseKind::classes ? 2.0 : 1.0;
    observed.labels.push_back(kind == ResponseKind::normal ? sum : std::min(most, std::floor(std::abs(sum))));
  }
  auto sampler = new_sampler({{points.data(), n_rows, width}, 1}, observed, settings, 2, 9, Start::prior);
  sampler->run(6, 2, 1);
  return sampler;
}

double walk(CodeReader<float>& reader, const BinnedRows& data, const double* point) {
  if (!reader.next_is_inner()) return static_cast<double>(reader.next_value());
  const Rule rule = reader.next_rule();
  const double left = walk(reader, data, point), right = walk(reader, data, point);
  return point[rule.feature] <= data.cuts[rule.feature][rule.cut] ? left : right;
}

/// By values and cuts instead of bins: points by draws by sums.
std::vector<double> walked(const Sampler& sampler, Part part, Points points) {
  std::vector<double> found;
  for (std::size_t i = 0; i < points.n; ++i) {
    for (const Draws& draws : sampler.draws()) {
      CodeReader<float> reader(trees_of(draws, part).code);
      for (std::size_t sum = 0; sum < sampler.n_draws() * n_sums(sampler, part); ++sum) {
        double total = 0.0;
        for (std::size_t m = 0; m < n_trees(sampler, part); ++m) {
          total += walk(reader, sampler.problem().data, points.values + i * points.width);
        }
        found.push_back(total);
      }
    }
  }
  return found;
}

Settings some_trees(std::size_t n_trees, posterior_tree::TreePrior prior, VaryingNoise varying = {}) {
  return {prior, 0.3, n_trees, {{{Move::grow_prune, 2}, {Move::perturb, 1}}, 1}, 4, 3.0, 0.1, varying};
}

void check_all(const Sampler& sampler, Part part, std::size_t n) {
  const std::size_t width = sampler.problem().data.n_features;
  auto values = draw_points(n, width);
  if (n > 1) values[0] = 1e308, values[width] = -1e308;
  const Points points{values.data(), n, width};
  const auto expected = walked(sampler, part, points);
  for (const std::size_t n_threads : {1, 2, 3}) CHECK(predict(sampler, part, points, n_threads) == expected);
  if (part == Part::noise || sampler.response().n_sums() > 1) return;
  const auto found = moments(sampler, points, 1);
  CHECK(found == moments(sampler, points, 2) && found == moments(sampler, points, 3));
  const std::size_t n_draws = n > 0 ? expected.size() / n : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const auto* own = expected.data() + i * n_draws;
    const double mean = std::accumulate(own, own + n_draws, 0.0) / static_cast<double>(n_draws);
    double squares = 0.0;
    for (std::size_t k = 0; k < n_draws; ++k) squares += (own[k] - mean) * (own[k] - mean);
    CHECK_NEAR(found[i], mean, 1e-13);
    CHECK_NEAR(found[n + i], squares / static_cast<double>(n_draws), 1e-13);
  }
}

const posterior_tree::TreePrior shallow{0.95, 2.0}, deep{0.999, 0.0};

TEST(predictions_are_those_of_points_sent_down_one_by_one) {
  const auto sampler = drawn(200, 3, some_trees(40, shallow), ResponseKind::normal);
  for (const std::size_t n : {0, 1, 2, 3, 31, 255, 256, 257}) check_all(*sampler, Part::mean, n);
}

TEST(more_points_than_a_block_has) {
  const auto sampler = drawn(60, 2, some_trees(5, shallow), ResponseKind::normal);
  check_all(*sampler, Part::mean, PointBlock::most + 1);
}

TEST(one_tree_of_many_leaves) {
  Settings settings = some_trees(1, deep);
  settings.plan.moves.clear();  // as the prior has drawn it
  const auto sampler = drawn(600, 4, settings, ResponseKind::normal);
  const TreesOfDraws& draws = sampler->draws()[0];
  CHECK(draws.first_node[1] > 200);  // far more than a byte has bits
  check_all(*sampler, Part::mean, 100);
}

TEST(one_column) {
  const auto sampler = drawn(300, 1, some_trees(10, deep), ResponseKind::normal);
  check_all(*sampler, Part::mean, 100);
}

TEST(more_columns_than_trees) {
  const auto sampler = drawn(100, 60, some_trees(20, shallow), ResponseKind::normal);
  check_all(*sampler, Part::mean, 50);
}

TEST(trees_of_the_noise_and_of_classes) {
  const auto varying = drawn(100, 3, some_trees(10, shallow, {8, {4.0, 3.5}, 1e-6}), ResponseKind::normal);
  for (const Part part : {Part::mean, Part::noise}) check_all(*varying, part, 50);
  check_all(*drawn(100, 3, some_trees(10, shallow), ResponseKind::classes), Part::mean, 50);
}

TEST(probabilities_of_two_classes) {
  const auto sampler = drawn(100, 3, some_trees(10, shallow), ResponseKind::probit);
  const auto values = draw_points(77, 3);
  const Points points{values.data(), 77, 3};
  const auto utilities = walked(*sampler, Part::mean, points);
  const std::size_t n_draws = utilities.size() / points.n;
  for (const std::array<double, 2>& weights : {std::array{1.0, 1.0}, std::array{1.0, 0.01}}) {
    const auto found = sum_probabilities(*sampler, points, weights, 1);
    CHECK(found == sum_probabilities(*sampler, points, weights, 3));
    for (std::size_t i = 0; i < points.n; ++i) {
      double expected = 0.0;
      for (std::size_t k = 0; k < n_draws; ++k) {
        const double mean = utilities[i * n_draws + k] + sampler->response().offsets[0];
        const double first = weights[0] * normal_probability_below(-mean);
        expected += first / (first + weights[1] * normal_probability_below(mean));
      }
      CHECK_NEAR(found[i], expected, 1e-12);
      CHECK_NEAR(found[i] + found[points.n + i], static_cast<double>(n_draws), 1e-12);
    }
  }
  const auto classes = drawn(50, 3, some_trees(2, shallow), ResponseKind::classes);
  CHECK(tests::throws<std::invalid_argument>([&] { (void)sum_probabilities(*classes, points, {1.0, 1.0}, 1); }));
}

TEST(far_utilities_leave_no_class_impossible) {
  const double far[] = {40.0, -40.0, 1e300, 0.0}, weights[] = {1.0, 1.0};
  double first[4] = {}, second[4] = {};
  add_probabilities(far, 0.0, weights, 4, first, second);
  for (std::size_t i = 0; i < 4; ++i) CHECK(first[i] > 0.0 && second[i] > 0.0 && first[i] + second[i] == 1.0);
  CHECK(first[0] == second[1] && first[2] <= 1e-300);
  CHECK_NEAR(first[3], 0.5, 1e-13);
}

TEST(rules_that_no_point_obeys) {
  // As a file may have them: cuts of a column that leave nothing between them, at the root and below another column.
  const auto sampler = drawn(100, 2, some_trees(2, shallow), ResponseKind::normal);
  const auto rule = [](std::uint32_t feature, std::uint32_t cut) { return (feature << 8) | cut; };
  for (Draws& draws : sampler->draws()) {
    draws.code = {{0b10001011, 0b00000110},
                  14,
                  {rule(0, 20), rule(0, 30), rule(1, 5), rule(1, 5), rule(0, 20), rule(0, 30)},
                  {1.0F, 2.0F, 4.0F, 8.0F, 16.0F, 32.0F, 64.0F, 128.0F}};
    draws.first_node = {0, 14};
    draws.trace.resize(1);
    CHECK(draws.code.holds(2, sampler->problem().data.cuts));
  }
  check_all(*sampler, Part::mean, 100);
}

}  // namespace
}  // namespace hedgerow::bart
