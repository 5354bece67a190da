// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/query/predict.hpp"

#include <bit>

#include "check.hpp"
#include "hedgerow/mondrian/query/forecast.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr label::Query query{0.5, 2.0, 0.1};

/// Points among the rows, on rows, and far away.
Sample questions(const Sample& sample) {
  Sample asked = draw_sample(40, sample.width, Kind::plain, 77);
  asked.features.insert(asked.features.end(), sample.features.begin(), sample.features.end());
  for (const double scale : {-1e3, 1e6, 1e15}) asked.features.insert(asked.features.end(), sample.width, scale);
  asked.labels.assign(asked.features.size() / sample.width, 0.0);
  return asked;
}

std::vector<float> single(const Sample& sample) { return {sample.features.begin(), sample.features.end()}; }

template <class M>
void walk_and_descender_agree(const Forest<M>& forest, const Sample& asked) {
  const std::vector<float> points = single(asked);
  std::vector<Moments> together(asked.size()), alone(asked.size());
  Descender<M> descender;
  Walk<M> walk;
  for (const auto& tree : forest.trees) {
    const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
    descender.descend(asking, points.data(), asked.size(),
                      [&](std::uint32_t i, double weight, const label::Gaussian& part) {
                        together[i].hear(weight, part, query.centre);
                      });
    for (std::size_t i = 0; i < asked.size(); ++i) {
      walk.go_down(asking, points.data() + i * asked.width);
      walk.speak(asking,
                 [&](double weight, const label::Gaussian& part) { alone[i].hear(weight, part, query.centre); });
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(std::bit_cast<std::uint64_t>(together[i].mean) == std::bit_cast<std::uint64_t>(alone[i].mean));
    CHECK(std::bit_cast<std::uint64_t>(together[i].square) == std::bit_cast<std::uint64_t>(alone[i].square));
    CHECK(std::bit_cast<std::uint64_t>(together[i].within) == std::bit_cast<std::uint64_t>(alone[i].within));
    CHECK(std::isfinite(alone[i].mean) && std::isfinite(alone[i].square) && std::isfinite(alone[i].within));
  }
}

template <class M>
void walk_and_descender_agree(const Sample& sample, Growth growth) {
  walk_and_descender_agree(grown_forest<M>(sample, 2, growth), questions(sample));
}

TEST(walking_and_descending_give_the_same_bits) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {1, 3, 9, 20}) {
      for (const double lifetime : {infinity, 1.0}) {
        const Sample sample = draw_sample(60, width, kind);
        walk_and_descender_agree<GaussianHierarchy>(sample, {4.0, lifetime});
        walk_and_descender_agree<ExponentialHierarchy>(sample, {4.0, lifetime});
        walk_and_descender_agree<RunningMoments>(sample, {4.0, lifetime});
      }
    }
  }
}

/// So many that departures are worked off in between, and that groups of points come to subtrees of few rows.
TEST(many_points_are_told_what_each_is_told_alone) {
  for (const std::size_t width : {2, 9, 20, 30}) {
    const Sample sample = draw_sample(150, width), asked = draw_sample(900, width, Kind::plain, 2);
    walk_and_descender_agree(grown_forest<ExponentialHierarchy>(sample, 1), asked);
    walk_and_descender_agree(grown_forest<GaussianHierarchy>(sample, 1), asked);
    const std::size_t window = 40;  // where rows were forgotten, boxes stay below nodes that have none
    walk_and_descender_agree(learned_forest<ExponentialHierarchy>(sample, 1, {}, window), asked);
    walk_and_descender_agree(learned_forest<RunningMoments>(sample, 1, {}, window), asked);
  }
}

TEST(weights_of_a_mixture_add_up_to_one) {
  for (const Kind kind : all_kinds) {
    const Sample sample = draw_sample(60, 3, kind), asked = questions(sample);
    const auto forest = learned_forest<GaussianHierarchy>(sample, 4, {3.0, infinity});
    const Mixtures found = predict_mixtures(forest, {asked.features.data(), asked.size()}, query, 1);
    CHECK(found.first.size() == asked.size() + 1);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      double total = 0.0;
      for (auto k = static_cast<std::size_t>(found.first[i]); k < static_cast<std::size_t>(found.first[i + 1]); ++k) {
        CHECK(found.weights[k] >= 0.0 && found.variances[k] > 0.0);
        total += found.weights[k];
      }
      CHECK_NEAR(total, 1.0, 1e-12);
    }
  }
}

TEST(moments_are_those_of_the_mixture) {
  const Sample sample = draw_sample(80, 2), asked = questions(sample);
  const auto forest = grown_forest<GaussianHierarchy>(sample, 5);
  const Points points{asked.features.data(), asked.size()};
  const auto moments = predict_moments(forest, points, query, 1);
  const std::vector<double> means = moments.mean, variances = moments.variances(query);
  const Mixtures found = predict_mixtures(forest, points, query, 1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    double mean = 0.0, square = 0.0;
    for (auto k = static_cast<std::size_t>(found.first[i]); k < static_cast<std::size_t>(found.first[i + 1]); ++k) {
      mean += found.weights[k] * found.means[k];
      square += found.weights[k] * (found.variances[k] + found.means[k] * found.means[k]);
    }
    CHECK_NEAR(means[i], mean, 1e-12);
    CHECK_NEAR(variances[i], square - mean * mean, 1e-11);
  }
}

/// More points than are gathered at once, each of which must hear what it hears when it is asked about alone.
template <class M>
void many_points_hear_what_each_hears_alone(const label::Query& asking) {
  const Sample sample = draw_sample(90, 3), asked = draw_sample(MixtureGatherer<M>::at_once + 7, 3, Kind::plain, 5);
  const auto forest = grown_forest<M>(sample, 4);
  const Mixtures found = predict_mixtures(forest, {asked.features.data(), asked.size()}, asking, 1);
  CHECK(found.first.size() == asked.size() + 1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Mixtures alone = predict_mixtures(forest, {asked.features.data() + 3 * i, 1}, asking, 1);
    const auto begin = static_cast<std::size_t>(found.first[i]);
    CHECK(found.first[i + 1] - found.first[i] == alone.first[1]);
    for (std::size_t k = 0; k < alone.weights.size(); ++k) {
      CHECK(found.weights[begin + k] == alone.weights[k]);
      CHECK(found.means[begin + k] == alone.means[k]);
      CHECK(found.variances[begin + k] == alone.variances[k]);
    }
  }
}

TEST(mixtures_of_many_points_are_those_of_each_alone) {
  label::Query closer = query;
  closer.spread = 0.7;
  closer.keeps_mean = true;
  many_points_hear_what_each_hears_alone<GaussianHierarchy>(query);
  many_points_hear_what_each_hears_alone<GaussianHierarchy>(closer);
  many_points_hear_what_each_hears_alone<RunningMoments>(closer);
}

TEST(threads_do_not_show_in_answers) {
  const Sample sample = draw_sample(100, 3), asked = questions(sample);
  const auto forest = grown_forest<GaussianHierarchy>(sample, 3);
  const Points points{asked.features.data(), asked.size()};
  const auto moments = predict_moments(forest, points, query, 1);
  const std::vector<double> means = moments.mean, variances = moments.variances(query);
  const Mixtures alone = predict_mixtures(forest, points, query, 1);
  for (const std::size_t n_threads : {2, 5, 64}) {
    const auto others = predict_moments(forest, points, query, n_threads);
    CHECK(others.mean == means && others.variances(query) == variances);
    const Mixtures other = predict_mixtures(forest, points, query, n_threads);
    CHECK(other.first == alone.first && other.weights == alone.weights && other.means == alone.means);
  }
}

TEST(a_row_that_was_learned_cannot_leave_the_tree) {
  const Sample sample = draw_sample(50, 4);
  const auto forest = grown_forest<GaussianHierarchy>(sample, 3);
  const Mixtures found = predict_mixtures(forest, {sample.features.data(), sample.size()}, query, 1);
  for (std::size_t i = 0; i < sample.size(); ++i) CHECK(found.first[i + 1] - found.first[i] == 3);
}

TEST(far_from_all_rows_the_hierarchy_goes_back_to_its_prior) {
  const auto forest = grown_forest<GaussianHierarchy>(draw_sample(100, 2), 3);
  const double far[] = {1e12, -1e12};
  const auto found = predict_moments(forest, {far, 1}, query, 1);
  CHECK_NEAR(found.mean[0], query.centre, 1e-9);
  CHECK_NEAR(found.variances(query)[0], 0.5 * query.variance + query.noise, 1e-9);
}

TEST(asking_about_no_points_is_allowed) {
  const auto forest = grown_forest<GaussianHierarchy>(draw_sample(10, 2), 2);
  CHECK(predict_mixtures(forest, {nullptr, 0}, query, 2).first.size() == 1);
  CHECK(predict_moments(forest, {nullptr, 0}, query, 2).mean.empty());
  Descender<GaussianHierarchy>().descend({forest.trees[0], forest.rows, forest.growth, forest.model, query}, nullptr, 0,
                                         [](std::uint32_t, double, const label::Gaussian&) { CHECK(false); });
}

TEST(a_leaf_is_found_by_its_number) {
  const Sample sample = draw_sample(50, 2);
  const auto forest = grown_forest<RunningMoments>(sample, 3);
  const std::vector<NodeId> leaves = find_leaves(forest, {sample.features.data(), 50}, 2);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t b = 0; b < 3; ++b) {
      const auto& tree = forest.trees[b];
      CHECK(tree.node(leaves[3 * i + b]).is_leaf());
      CHECK(leaves[3 * i + b] == leaf_of(tree, forest.rows.row(static_cast<RowId>(i))));
    }
  }
}

TEST(a_cell_lies_between_the_cuts_on_the_way_to_its_leaf) {
  const Sample sample = draw_sample(50, 2);
  auto forest = learned_forest<RunningMoments>(sample, 3);
  Scaling doubled = unit_scaling(2);
  doubled.slopes = {2.0, 2.0};
  forest = forest.rescaled(doubled);
  forest.grow(0, 3, 1);
  forest.grown();
  const std::vector<double> bounds = find_cells(forest, {sample.features.data(), 50}, 2);
  const std::vector<NodeId> leaves = find_leaves(forest, {sample.features.data(), 50}, 2);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t b = 0; b < 3; ++b) {
      const double* cell = bounds.data() + (i * 3 + b) * 4;
      for (std::size_t j = 0; j < 50; ++j) {  // a row is in the cell if and only if it is in the leaf
        bool inside = true;
        for (std::size_t d = 0; d < 2; ++d) {
          const double x = sample.features[2 * j + d];
          inside = inside && cell[2 * d] < x && x <= cell[2 * d + 1];
        }
        CHECK(inside == (leaves[3 * j + b] == leaves[3 * i + b]));
      }
    }
  }
}

TEST(depth_counts_the_inner_nodes_of_the_longest_way) {
  CHECK(depth(grown_forest<RunningMoments>(draw_sample(0, 2), 1).trees[0]) == 0);
  CHECK(depth(grown_forest<RunningMoments>(draw_sample(1, 2), 1).trees[0]) == 0);
  CHECK(depth(grown_forest<RunningMoments>(draw_sample(2, 2), 1).trees[0]) == 1);
  CHECK(depth(grown_forest<RunningMoments>(draw_sample(3, 2), 1).trees[0]) == 2);
}

TEST(forecasting_while_learning_is_asking_before_each_row) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const QueryRule& rule : {QueryRule{nan, nan, 1.5, 10.0}, QueryRule{nan, 2.0, 1.0, 0.0, 0.1, 0.5, true}})
    for (const Kind kind : {Kind::plain, Kind::weighted_duplicates}) {
      for (const std::size_t window : {0, 10}) {
        const Sample sample = draw_sample(30, 2, kind);
        auto at_once = empty_forest<GaussianHierarchy>(2, 3, {3.0, infinity}, window);
        auto forest = empty_forest<GaussianHierarchy>(2, 3, {3.0, infinity}, window);
        auto by_moments = empty_forest<GaussianHierarchy>(2, 3, {3.0, infinity}, window);
        const Mixtures said = predict_then_learn(at_once, sample.all(), rule, 2);
        const MixtureMoments moments = predict_moments_then_learn(by_moments, sample.all(), rule, 2);
        CHECK(said.first.size() == 31 && said.first[1] == 1 && said.weights[0] == 1.0);
        for (std::size_t i = 0; i < sample.size(); ++i) {
          if (i > 0) {
            const auto asked = rule.at(forest.labels_seen);
            const Mixtures now = predict_mixtures(forest, {sample.features.data() + 2 * i, 1}, asked, 1);
            Mixtures then;
            then.append(said, i);
            CHECK(now.weights == then.weights && now.means == then.means && now.variances == then.variances);
            const MixtureMoments own = predict_moments(forest, {sample.features.data() + 2 * i, 1}, asked, 1);
            CHECK(own.mean[0] == moments.mean[i] && own.within[0] == moments.within[i]);
            CHECK(own.between[0] == moments.between[i]);
          }
          forest.learn(sample.batch(i, 1), 1);
        }
        CHECK(same_trees(archived(forest), archived(at_once)) && is_sound(at_once));
        CHECK(same_trees(archived(forest), archived(by_moments)) && is_sound(by_moments));
      }
    }
}

TEST(rows_that_almost_touch_have_finite_answers) {
  // A gap of 2^-149 is cut after a time that single precision cannot hold.
  const Sample sample{1, {0.0, std::ldexp(1.0, -149), std::ldexp(1.0, -148), 1.0}, {1.0, 2.0, 3.0, 4.0}, {}};
  const double asked[] = {-1.0, 0.5, 1e-44, 2.0};
  for (const bool online : {false, true}) {
    const auto forest =
        online ? learned_forest<GaussianHierarchy>(sample, 3) : grown_forest<GaussianHierarchy>(sample, 3);
    CHECK(is_sound(forest));
    const auto found = predict_moments(forest, {asked, 4}, query, 1);
    for (const std::size_t i : {0, 1, 2, 3}) {
      CHECK(std::isfinite(found.mean[i]) && std::isfinite(found.variances(query)[i]));
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
