// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/query/vector_moments.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr std::size_t length = 3;

/// Forests of vectors without rows; the i-th row of the sample has the i-th vector.
VectorForest new_forest(const Sample& sample, std::size_t n_trees, std::size_t window) {
  auto vectors = std::make_shared<label::LabelVectors>(length);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double row[length] = {sample.labels[i], -sample.labels[i], static_cast<double>(i % 7)};
    vectors->append(row, 1, length);
  }
  VectorForest forest(sample.width, n_trees, Growth{2.0, infinity}, 5, window);
  forest.scaling.first_knot.resize(sample.width + 1);
  for (std::size_t d = 0; d <= sample.width; ++d) forest.scaling.first_knot[d] = d;
  forest.scaling.values.assign(sample.width, 0.0);
  forest.scaling.images.assign(sample.width, 0.0);
  forest.scaling.slopes.assign(sample.width, 1.0);
  set_vectors(forest, vectors);
  forest.model.precisions = label::ExponentialHierarchy::make(1.3, 40.0, infinity);
  return forest;
}

TEST(rows_are_asked_about_before_they_are_learned) {
  for (const std::size_t window : {std::size_t{0}, std::size_t{20}}) {
    for (const Kind kind : all_kinds) {
      Sample sample = draw_sample(60, 2, kind);
      for (std::size_t i = 0; i < sample.size(); ++i) sample.labels[i] = static_cast<double>(i);
      VectorForest together = new_forest(sample, 3, window), alone = new_forest(sample, 3, window);
      const VectorMoments found = predict_vector_moments_then_learn(together, sample.all(), 2);
      CHECK(found.mean[0] == 0.0 && found.within[0] == 1.0 && found.between[0] == 0.0);
      for (std::size_t i = 0; i < sample.size(); ++i) {
        if (i > 0) {
          const Points point{sample.features.data() + i * sample.width, 1};
          const VectorMoments expected = predict_vector_moments(alone, point, 1);
          CHECK(found.within[i] == expected.within[0] && found.added[i] == expected.added[0]);
          for (std::size_t k = 0; k < length; ++k) {
            CHECK(found.mean[i * length + k] == expected.mean[k]);
            CHECK(found.between[i * length + k] == expected.between[k]);
          }
        }
        alone.learn(sample.batch(i, 1), 1);
      }
    }
  }
}

TEST(rows_take_other_vectors_before_trees_grow) {
  Sample sample = draw_sample(30, 2);
  for (std::size_t i = 0; i < sample.size(); ++i) sample.labels[i] = static_cast<double>(i);
  VectorForest forest = new_forest(sample, 2, 0);
  forest.store(sample.all());
  forest.grow(0, 2, 1);
  forest.grown();
  auto fewer = std::make_shared<label::LabelVectors>(length);
  fewer->append(std::vector<double>(30 * length, 2.0).data(), 30, length);
  fewer->clear(29);
  CHECK((*fewer)[29][0] == 0.0F && (*fewer)[28][length - 1] == 2.0F);
  CHECK_THROWS(std::invalid_argument, fewer->clear(30));
  CHECK_THROWS(std::invalid_argument, relabel(forest, fewer, sample.labels));
  VectorForest fresh = forest.rescaled(forest.scaling);
  CHECK_THROWS(std::invalid_argument, relabel(fresh, fewer, std::vector<double>(29, 0.0)));
  CHECK_THROWS(std::invalid_argument, relabel(fresh, fewer, std::vector<double>(30, 30.0)));
  relabel(fresh, fewer, std::vector<double>(30, 3.0));
  fresh.grow(0, 2, 1);
  fresh.grown();
  const VectorMoments found = predict_vector_moments(fresh, Points{sample.features.data(), 30}, 1);
  CHECK_NEAR(found.mean[0], found.mean[1], 0.0);
  CHECK(found.mean[0] > 1.0 && found.mean[0] <= 2.0);
}

}  // namespace
}  // namespace hedgerow::mondrian
