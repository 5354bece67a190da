// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bart/tree_code.hpp"

#include "check.hpp"

namespace hedgerow::bart {
namespace {

const std::vector<std::vector<double>> cuts{{0.5}, {0.1, 0.2}};

/// A leaf, and a root above a leaf and a node with two leaves.
TreeCode<float> two_trees() { return {{0b00001010}, 6, {256 + 1, 0}, {1.0F, 2.0F, 3.0F, 4.0F}}; }

TEST(a_code_holds_as_many_trees_as_it_has) {
  CHECK(two_trees().holds(2, cuts));
  CHECK(!two_trees().holds(1, cuts));
  CHECK(!two_trees().holds(3, cuts));
  CHECK(TreeCode<float>{}.holds(0, cuts));
}

TEST(rules_must_be_known) {
  CHECK(!two_trees().holds(2, {{0.5}}));
  CHECK(!two_trees().holds(2, {{0.5}, {0.1}}));
}

TEST(shapes_must_end_with_the_last_node) {
  TreeCode<float> code = two_trees();
  code.shape.push_back(0);  // what comes next would be written behind it
  CHECK(!code.holds(2, cuts));
  code = two_trees();
  code.shape[0] |= 0b10000000;  // and would be read as this
  CHECK(!code.holds(2, cuts));
  code = two_trees();
  code.n_nodes = 5;
  CHECK(!code.holds(2, cuts));
}

TEST(trees_are_not_deeper_than_can_be_read) {
  for (const std::size_t depth : {TreeCode<float>::most_depth, TreeCode<float>::most_depth + 1}) {
    TreeCode<float> code;
    code.n_nodes = 2 * depth + 1;
    code.shape.resize(code.n_nodes / 8 + 1);
    for (std::size_t i = 0; i < 2 * depth; i += 2)
      code.shape[i / 8] = static_cast<std::uint8_t>(code.shape[i / 8] | 1U << (i % 8));
    code.rules.resize(depth);
    code.values.resize(depth + 1);
    CHECK(code.holds(1, cuts) == (depth == TreeCode<float>::most_depth));
  }
}

}  // namespace
}  // namespace hedgerow::bart
