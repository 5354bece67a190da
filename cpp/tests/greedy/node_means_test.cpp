// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/node_means.hpp"

#include "check.hpp"

namespace hedgerow::greedy {
namespace {

// The root has a leaf on the left, number 2, and a node with leaves 0 and 1 on the right.
const std::vector<Node> nodes{{1, 0}, {1, 2}, {3, 0}, {3, 0}, {4, 1}};
const std::vector<NodeId> leaves{1, 3, 4, 1, 4, 4};

/// Two outputs, the second minus ten times the first.
double label_of(std::size_t i, std::size_t k) {
  constexpr double labels[]{1.0, 10.0, 4.0, 3.0, 6.0, 2.0};
  return k == 0 ? labels[i] : -10.0 * labels[i];
}

NodeMeans plain_means() {
  return {nodes, leaves, 2, label_of, [](std::size_t) { return 1.0; }};
}
NodeMeans weighted_means() {
  return {nodes, leaves, 2, label_of, [](std::size_t i) { return i % 2 == 0 ? 3.0 : 0.5; }};
}

void check_all(const std::vector<float>& found, const std::vector<double>& expected) {
  CHECK(found.size() == 2 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK_NEAR(static_cast<double>(found[2 * i]), expected[i], 1e-6);
    CHECK_NEAR(static_cast<double>(found[2 * i + 1]), -10.0 * expected[i], 1e-5);
  }
}

TEST(nodes_have_the_means_of_their_rows) {
  const NodeMeans means = plain_means();
  CHECK((means.weights == std::vector<float>{6, 2, 4, 1, 3}));
  check_all(means.means, {26.0 / 6.0, 2.0, 5.5, 10.0, 4.0});
}

TEST(rows_count_as_much_as_they_weigh) {
  const NodeMeans means = weighted_means();
  CHECK((means.weights == std::vector<float>{10.5, 3.5, 7, 0.5, 6.5}));
  check_all(means.means, {(4.5 + 36.0) / 10.5, 4.5 / 3.5, 36.0 / 7.0, 10.0, 31.0 / 6.5});
}

TEST(nothing_is_shrunk_by_zero) {
  for (const NodeMeans& means : {plain_means(), weighted_means()}) {
    std::vector<float> predicted;
    means.shrink(nodes, 0.0, predicted);
    CHECK(predicted.size() == means.means.size());
    for (std::size_t i = 0; i < predicted.size(); ++i) CHECK_NEAR(predicted[i], means.means[i], 1e-5);
  }
}

TEST(much_shrinkage_leaves_the_mean_of_all) {
  const NodeMeans means = plain_means();
  std::vector<float> predicted;
  means.shrink(nodes, 1e9, predicted);
  check_all(predicted, std::vector<double>(5, 26.0 / 6.0));
}

TEST(differences_are_shrunk_by_the_weight_of_the_parent) {
  // By hand, of shrinkage 2: steps of 1 / (1 + 2 / 6) from the root, and of 1 / (1 + 2 / 4) from its right child.
  std::vector<float> predicted{1.0F};  // what was there is forgotten
  plain_means().shrink(nodes, 2.0, predicted);
  const double root = 26.0 / 6.0, right = root + 0.75 * (5.5 - root);
  check_all(predicted,
            {root, root + 0.75 * (2.0 - root), right, right + (10.0 - 5.5) / 1.5, right + (4.0 - 5.5) / 1.5});
  // The weights of the root and of its right child are 10.5 and 7.
  weighted_means().shrink(nodes, 7.0, predicted);
  const double all = 40.5 / 10.5, share = 10.5 / 17.5, inner = all + share * (36.0 / 7.0 - all);
  check_all(predicted, {all, all + share * (4.5 / 3.5 - all), inner, inner + 0.5 * (10.0 - 36.0 / 7.0),
                        inner + 0.5 * (31.0 / 6.5 - 36.0 / 7.0)});
}

TEST(values_of_leaves_are_in_the_order_of_their_numbers) {
  for (const double shrinkage : {0.0, 2.0}) {
    const NodeMeans means = plain_means();
    std::vector<float> predicted;
    means.shrink(nodes, shrinkage, predicted);
    const std::vector<float> values = means.leaf_values(nodes, shrinkage);
    CHECK((values ==
           std::vector<float>{predicted[6], predicted[7], predicted[8], predicted[9], predicted[2], predicted[3]}));
  }
}

TEST(a_lone_leaf_has_the_mean_of_all) {
  const std::vector<Node> root{{0, 0}};
  const std::vector<NodeId> all(6, 0);
  const NodeMeans means(root, all, 2, label_of, [](std::size_t) { return 1.0; });
  check_all(means.leaf_values(root, 4.0), {26.0 / 6.0});
}

TEST(without_rows_the_mean_is_zero) {
  const std::vector<Node> root{{0, 0}};
  const NodeMeans means(root, {}, 2, label_of, [](std::size_t) { return 1.0; });
  check_all(means.leaf_values(root, 4.0), {0.0});
}

}  // namespace
}  // namespace hedgerow::greedy
