// SPDX-License-Identifier: BSD-3-Clause
// Every rule of check.hpp is broken once, on purpose, and must be said.
#include "hedgerow/mondrian/structure/check.hpp"

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

/// Six rows on the corners and in the middle of a square: inner nodes above leaves, one of two equal rows, and, because
/// a seventh row came and went, a freed pair.
struct Victim {
  Victim() {
    Sample sample{2, {0, 0, 1, 0, 0, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}, {}, {}};
    for (const double x : {0.1, 0.2, 0.3, 0.4, 0.6, 0.7}) sample.features.insert(sample.features.end(), {x, 0.9 - x});
    sample.features.insert(sample.features.end(), {0.25, 0.75});
    for (RowId row = 0; row <= forgotten; ++row) sample.labels.push_back(row + 1.0);
    forest = learned_forest<RunningMoments>(sample, 1);
    forest.forget(std::vector<RowId>{forgotten}, 1);
    for (NodeId id = 0; id < tree().shape.nodes.size(); ++id) {
      const Node& node = tree().node(id);
      if (node.is_leaf() && node.n_rows == 1) leaf = id;
      if (node.is_leaf() && node.n_rows == 2) pair_leaf = id;
      if (id > 0 && !node.is_leaf() && !node.is_freed()) inner = id;
    }
  }
  MondrianTree<RunningMoments>& tree() { return forest.trees[0]; }
  Node& node(NodeId id) { return tree().shape.nodes.edit(id); }

  bool says(const std::string& sentence) {
    auto broken = check_links(tree(), forest.rows);
    if (broken.empty()) broken = check_blocks(tree(), forest.rows, forest.growth, forest.model);
    for (const std::string& line : broken) {
      if (line.find(sentence) != std::string::npos) return true;
    }
    for (const std::string& line : broken) std::printf("  said: %s\n", line.c_str());
    return false;
  }

  static constexpr RowId forgotten = 12;
  Forest<RunningMoments> forest = empty_forest<RunningMoments>(2, 1);
  NodeId leaf = none, pair_leaf = none, inner = none;
};

TEST(the_victim_is_sound) {
  Victim victim;
  CHECK(is_sound(victim.forest));
  CHECK(victim.leaf != none && victim.pair_leaf != none && victim.inner != none);
  CHECK(victim.tree().shape.first_freed != none);
}

TEST(columns_of_different_length_are_noticed) {
  Victim victim;
  victim.tree().summaries.pop_back();
  CHECK(victim.says("differ in length"));
}

TEST(a_node_without_sibling_is_noticed) {
  Victim victim;
  victim.tree().shape.nodes.pop_back();
  victim.tree().summaries.pop_back();
  CHECK(victim.says("no sibling"));
}

TEST(a_row_that_does_not_exist_is_noticed) {
  for (const RowId row : {Victim::forgotten + 1, RowId{1000000}, none - 1}) {
    Victim victim;
    victim.node(victim.leaf).first_row = row;
    CHECK(victim.says("lists a row that does not exist"));
  }
}

TEST(a_forgotten_row_in_a_leaf_is_noticed) {
  Victim victim;
  victim.node(victim.leaf).first_row = Victim::forgotten;
  CHECK(victim.says("lists a row that does not exist"));
}

TEST(a_row_in_two_leaves_is_noticed) {
  Victim victim;
  victim.node(victim.leaf).first_row = victim.node(victim.pair_leaf).first_row;
  CHECK(victim.says("lies in two places"));
}

TEST(a_list_of_rows_that_bites_its_tail_is_noticed) {
  Victim victim;
  const RowId row = victim.node(victim.leaf).first_row;
  victim.tree().shape.next_row.edit(row) = row;
  CHECK(victim.says("lies in two places"));
}

TEST(a_list_of_rows_that_leads_nowhere_is_noticed) {
  Victim victim;
  victim.tree().shape.next_row.edit(victim.node(victim.leaf).first_row) = 123456;
  CHECK(victim.says("lists a row that does not exist"));
}

TEST(a_row_beyond_the_list_is_noticed) {
  Victim victim;
  victim.tree().shape.next_row.resize(1);
  CHECK(victim.says("lists a row that does not exist"));
}

TEST(a_leaf_without_rows_is_noticed) {
  Victim victim;
  victim.node(victim.leaf).first_row = none;
  CHECK(victim.says("is a leaf without rows"));
}

TEST(a_wrong_number_of_rows_is_noticed) {
  Victim victim;
  ++victim.node(victim.leaf).n_rows;
  CHECK(victim.says("miscounts its rows"));
}

TEST(a_row_in_no_leaf_is_noticed) {
  Victim victim;
  Node& leaf = victim.node(victim.pair_leaf);
  leaf.first_row = victim.tree().shape.next_row[leaf.first_row];
  --leaf.n_rows;
  CHECK(victim.says("do not hold every row"));
}

TEST(a_column_that_does_not_exist_is_noticed) {
  for (const std::uint32_t feature : {2U, Node::freed_mark}) {
    Victim victim;
    victim.node(victim.inner).feature = feature;
    CHECK(victim.says("splits a column that does not exist"));
  }
}

TEST(children_that_do_not_exist_are_noticed) {
  for (const NodeId children : {NodeId{0}, NodeId{2}, NodeId{9999}, NodeId{10001}, none}) {
    Victim victim;
    victim.node(victim.inner).children = children;
    CHECK(victim.says("has children that do not exist or hang in two places"));
  }
}

TEST(children_of_two_parents_are_noticed) {
  Victim victim;
  victim.node(victim.inner).children = victim.node(0).children;
  CHECK(victim.says("hang in two places"));
}

TEST(a_broken_list_of_freed_nodes_is_noticed) {
  for (const NodeId pair : {NodeId{0}, NodeId{1}, NodeId{9999}, NodeId{10001}}) {
    Victim victim;
    victim.tree().shape.first_freed = pair;
    CHECK(victim.says("list of freed nodes is broken"));
  }
}

TEST(a_list_of_freed_nodes_that_bites_its_tail_is_noticed) {
  Victim victim;
  const NodeId pair = victim.tree().shape.first_freed;
  victim.node(pair).next_freed = pair;
  CHECK(victim.says("list of freed nodes is broken"));
}

TEST(a_lost_node_is_noticed) {
  Victim victim;
  victim.tree().shape.first_freed = none;
  CHECK(victim.says("is lost"));
}

TEST(a_wrong_weight_is_noticed) {
  for (const float weight : {0.0F, 1.5F, -1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    Victim victim;
    victim.node(victim.leaf).count = weight;
    CHECK(victim.says("miscounts its rows"));
  }
}

TEST(a_leaf_that_should_have_been_split_is_noticed) {
  Victim victim;
  victim.forest = grown_forest<RunningMoments>(draw_sample(20, 2), 1, {10.0, infinity});
  victim.forest.growth.min_samples_split = 2.0;
  CHECK(victim.says("is a leaf that should have been split"));
}

TEST(a_split_of_too_few_rows_is_noticed) {
  Victim victim;
  victim.forest.growth.min_samples_split = 4.0;
  CHECK(victim.says("its rows are too few"));
}

TEST(a_point_with_a_box_is_noticed) {
  Victim victim;
  victim.node(victim.leaf).box = victim.tree().boxes.new_slot();
  CHECK(victim.says("has a box for a point"));
}

TEST(an_inner_node_without_a_box_is_noticed) {
  for (const std::size_t n : {FewRows::most, FewRows::most + 1}) {  // few rows need none
    auto forest = grown_forest<RunningMoments>(draw_sample(n, 2), 1);
    auto& tree = forest.trees[0];
    tree.boxes.release(std::exchange(tree.shape.nodes.edit(0).box, none));
    const auto broken = check_blocks(tree, forest.rows, forest.growth, forest.model);
    CHECK(broken.empty() == (n <= FewRows::most));
    CHECK(broken.empty() || broken[0].find("has no box") != std::string::npos);
  }
}

TEST(a_time_outside_the_lifetime_is_noticed) {
  for (const float time : {-1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    Victim victim;
    victim.node(0).time = time;
    CHECK(victim.says("has a time outside the lifetime"));
  }
  Victim victim;
  victim.forest.growth.lifetime = 0.5 * double{victim.node(victim.inner).time};
  CHECK(victim.says("has a time outside the lifetime"));
}

TEST(a_child_split_before_its_parent_is_noticed) {
  Victim victim;
  victim.node(0).time = 1e30F;
  CHECK(victim.says("is split before its parent"));
}

TEST(a_row_on_the_wrong_side_is_noticed) {
  Victim left, right;
  left.node(0).location = -1.0F;
  CHECK(left.says("wrong side, left"));
  right.node(0).location = 1.0F;
  CHECK(right.says("wrong side, right"));
  Victim nowhere;
  nowhere.node(0).location = std::numeric_limits<float>::quiet_NaN();
  CHECK(nowhere.says("wrong side"));
}

TEST(a_box_that_is_too_large_or_too_small_is_noticed) {
  for (const float change : {0.5F, -0.5F}) {
    Victim victim;
    victim.tree().boxes.edit(victim.node(0).box).upper[1] += change;
    CHECK(victim.says("not the smallest around its rows"));
  }
}

TEST(a_shared_box_is_noticed) {
  Victim victim;
  victim.node(victim.inner).box = victim.node(0).box;
  CHECK(victim.says("shares its box"));
}

TEST(a_freed_box_in_use_is_noticed) {
  Victim victim;
  victim.tree().boxes.release(victim.node(0).box);
  CHECK(victim.says("a freed box is in use"));
}

TEST(a_lost_box_is_noticed) {
  Victim victim;
  victim.tree().boxes.new_slot();
  victim.tree().boxes.new_slot();
  CHECK(victim.says("a box is lost"));
}

TEST(a_box_that_does_not_exist_is_noticed) {
  Victim victim;
  victim.node(0).box = 12345;
  CHECK(!check_links(victim.tree(), victim.forest.rows).empty());
}

}  // namespace
}  // namespace hedgerow::mondrian
