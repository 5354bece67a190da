// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/vector_hierarchy.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "check.hpp"

namespace hedgerow::label {
namespace {

VectorHierarchy model_of(std::vector<float> values, std::size_t length) {
  auto vectors = std::make_shared<LabelVectors>(length);
  vectors->values = std::move(values);
  return {ExponentialHierarchy::make(0.8, 12.0, std::numeric_limits<double>::infinity()), vectors};
}

TEST(each_component_is_what_the_hierarchy_of_numbers_says_of_it) {
  const std::vector<float> values{1.0F, -2.0F, 0.5F, 4.0F, -1.5F, 3.0F};
  const VectorHierarchy model = model_of(values, 2);
  VectorHierarchy::Summary left, right;
  model.add(left, 0.0, 1.0);
  model.add(left, 1.0, 2.5);
  model.add(right, 2.0, 0.5);
  const double clock = model.clock(0.4);
  const auto both = model.merge(left, 0.0, right, 0.0, clock);
  for (std::size_t k = 0; k < 2; ++k) {
    ExponentialHierarchy::Summary a, b;
    model.precisions.add(a, values[k], 1.0);
    model.precisions.add(a, values[2 + k], 2.5);
    model.precisions.add(b, values[4 + k], 0.5);
    const auto expected = model.precisions.merge(a, 0.0, b, 0.0, clock);
    CHECK_NEAR(both.precision, expected.precision, 1e-12);
    CHECK_NEAR(both.mean(*model.vectors)[k], expected.mean, 1e-6);
  }
}

TEST(a_leaf_of_one_row_keeps_no_vector_of_its_own) {
  const VectorHierarchy model = model_of({1.0F, 2.0F}, 2);
  VectorHierarchy::Summary leaf;
  CHECK(model.is_empty(leaf));
  model.add(leaf, 0.0, 3.0);
  CHECK(leaf.is_one_row() && leaf.n_bytes() == 0);
  CHECK(leaf.mean(*model.vectors) == (*model.vectors)[0]);
  model.add(leaf, 0.0, 1.0);
  CHECK(!leaf.is_one_row() && !leaf.is_merged());
  CHECK(leaf.mean(*model.vectors)[1] == 2.0F);
}

TEST(leaves_go_to_numbers_and_back_inner_nodes_leave_nothing) {
  const VectorHierarchy model = model_of({1.0F, 2.0F, 3.0F, 4.0F}, 2);
  VectorHierarchy::Summary one, several;
  model.add(one, 1.0, 1.0);
  model.add(several, 0.0, 1.0);
  model.add(several, 1.0, 1.0);
  const auto inner = model.merge(one, 0.0, several, 0.0, 0.3);
  std::vector<double> numbers;
  for (const auto& summary : {one, several, inner}) model.write(summary, numbers);
  CHECK(numbers.size() == 2 + 4 + 1);
  std::span<const double> rest(numbers);
  VectorHierarchy::Summary back;
  CHECK(model.read(rest, back) && back.row() == 1 && back.precision == one.precision);
  CHECK(model.read(rest, back) && back.mean(*model.vectors)[0] == 2.0F);
  CHECK(model.read(rest, back) && model.is_empty(back) && rest.empty());
}

TEST(numbers_that_no_summary_has_are_refused) {
  const VectorHierarchy model = model_of({1.0F, 2.0F}, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> bad{{},
                                             {-1.0, 0.0},
                                             {nan, 0.0},
                                             {1.0},
                                             {1.0, 1.0},
                                             {1.0, 0.5},
                                             {1.0, -1.0},
                                             {1.0, -1.0, 2.0},
                                             {1.0, -1.0, 2.0, nan},
                                             {1.0, -2.0, 1.0, 1.0}};
  for (const auto& numbers : bad) {
    std::span<const double> rest(numbers);
    VectorHierarchy::Summary summary;
    CHECK(!model.read(rest, summary));
  }
}

}  // namespace
}  // namespace hedgerow::label
