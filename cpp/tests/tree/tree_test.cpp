// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/tree/tree.hpp"

#include <algorithm>

#include "check.hpp"

namespace hedgerow::tree {
namespace {

std::vector<RowId> rows_of(const Tree& tree, NodeId leaf) {
  std::vector<RowId> rows;
  tree.for_each_row(leaf, [&](RowId row) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool same_leaf(const Node& a, const Node& b) {
  return a.is_leaf() && b.is_leaf() && a.n_rows == b.n_rows && a.first_row == b.first_row && a.count == b.count &&
         a.box == b.box;
}

bool same_inner(const Node& a, const Node& b) {
  return !a.is_leaf() && a.feature == b.feature && a.location == b.location && a.children == b.children &&
         a.time == b.time && a.box == b.box;
}

/// Rows 0 and 1 in the left leaf, row 2 in the right one.
Tree two_leaves() {
  Tree tree;
  tree.plant();
  tree.nodes.edit(Tree::root).box = 5;
  tree.split_leaf(Tree::root, 3, 0.25F, 1.5F);
  const Node root = tree.nodes[Tree::root];
  tree.push_row(root.left(), 0, 1.0);
  tree.push_row(root.left(), 1, 2.0);
  tree.push_row(root.right(), 2, 4.0);
  return tree;
}

TEST(a_planted_tree_is_one_leaf_without_rows) {
  Tree tree;
  CHECK(tree.is_empty());
  tree.plant();
  CHECK(!tree.is_empty() && tree.nodes.size() == 1);
  CHECK(same_leaf(tree.nodes[Tree::root], Node::leaf()));
}

TEST(split_leaf_makes_an_inner_node_that_keeps_its_box) {
  const Tree tree = two_leaves();
  const Node& root = tree.nodes[Tree::root];
  CHECK(same_inner(root, Node::inner(3, 0.25F, 1, 1.5F, 5)));
  CHECK(root.left() == 1 && root.right() == 2 && root.child(false) == 1 && root.child(true) == 2);
  CHECK(tree.nodes[1].is_leaf() && tree.nodes[2].is_leaf());
}

TEST(a_point_on_the_location_goes_left) {
  const Node node = Node::inner(1, 0.5F, 1, 0.0F, none);
  const float at[] = {9.0F, 0.5F}, above[] = {0.0F, 0.6F};
  CHECK(!node.sends_right(at));
  CHECK(node.sends_right(above));
}

TEST(a_leaf_counts_and_weighs_its_rows) {
  const Tree tree = two_leaves();
  CHECK(tree.nodes[1].n_rows == 2 && tree.nodes[1].count == 3.0F);
  CHECK(tree.nodes[2].n_rows == 1 && tree.nodes[2].count == 4.0F);
  CHECK((rows_of(tree, 1) == std::vector<RowId>{0, 1}));
}

TEST(contract_undoes_insert_above_a_leaf) {
  for (const bool to_right : {false, true}) {
    Tree tree = two_leaves();
    const Node before = tree.nodes[1];
    tree.insert_above(1, 7, 0.5F, 0.75F, to_right);
    CHECK(same_inner(tree.nodes[1], Node::inner(7, 0.5F, 3, 0.75F, none)));
    CHECK(same_leaf(tree.nodes[tree.nodes[1].child(!to_right)], before));
    CHECK(same_leaf(tree.nodes[tree.nodes[1].child(to_right)], Node::leaf()));
    tree.contract(1, to_right);
    CHECK(same_leaf(tree.nodes[1], before));
    CHECK((rows_of(tree, 1) == std::vector<RowId>{0, 1}));
  }
}

TEST(contract_undoes_insert_above_the_root) {
  for (const bool to_right : {false, true}) {
    Tree tree = two_leaves();
    const Node before = tree.nodes[Tree::root];
    tree.insert_above(Tree::root, 0, 0.0F, 0.5F, to_right);
    CHECK(same_inner(tree.nodes[tree.nodes[Tree::root].child(!to_right)], before));
    tree.contract(Tree::root, to_right);
    CHECK(same_inner(tree.nodes[Tree::root], before));
  }
}

TEST(join_leaves_undoes_split_leaf) {
  Tree tree = two_leaves();
  tree.join_leaves(Tree::root);
  const Node& root = tree.nodes[Tree::root];
  CHECK(root.is_leaf() && root.n_rows == 3 && root.count == 7.0F && root.box == 5);
  CHECK((rows_of(tree, Tree::root) == std::vector<RowId>{0, 1, 2}));
}

TEST(join_leaves_works_with_an_empty_left_list) {
  Tree tree;
  tree.plant();
  tree.split_leaf(Tree::root, 0, 0.0F, 0.0F);
  tree.push_row(2, 4, 1.0);
  tree.join_leaves(Tree::root);
  CHECK((rows_of(tree, Tree::root) == std::vector<RowId>{4}));
}

TEST(freed_pairs_are_reused_last_first) {
  Tree tree = two_leaves();
  tree.split_leaf(1, 0, 0.0F, 2.0F);  // pair 3
  tree.split_leaf(2, 0, 0.0F, 2.0F);  // pair 5
  tree.contract(1, false);
  tree.contract(2, true);
  CHECK(tree.first_freed == 5 && tree.nodes[5].is_freed() && tree.nodes[6].is_freed());
  tree.split_leaf(1, 0, 0.0F, 2.0F);
  tree.insert_above(2, 0, 0.0F, 2.0F, true);
  CHECK(tree.nodes[1].children == 5 && tree.nodes[2].children == 3);
  CHECK(tree.first_freed == none && tree.nodes.size() == 7);
}

TEST(remove_row_takes_out_one_row_wherever_it_stands) {
  for (const RowId leaving : {0U, 1U, 2U}) {
    Tree tree;
    tree.plant();
    for (RowId row = 0; row < 3; ++row) tree.push_row(Tree::root, row, 1.0);
    CHECK(tree.remove_row(Tree::root, leaving));
    std::vector<RowId> left{0, 1, 2};
    std::erase(left, leaving);
    CHECK(rows_of(tree, Tree::root) == left);
    CHECK(tree.nodes[Tree::root].n_rows == 2);
    CHECK(!tree.remove_row(Tree::root, leaving));
    CHECK(tree.nodes[Tree::root].n_rows == 2);
  }
}

TEST(remove_rows_takes_out_all_that_leave) {
  for (std::uint32_t set = 0; set < 8; ++set) {
    Tree tree;
    tree.plant();
    for (RowId row = 0; row < 3; ++row) tree.push_row(Tree::root, row, 1.0);
    const auto leaves = [set](RowId row) { return (set >> row & 1U) != 0; };
    tree.remove_rows(Tree::root, leaves);
    std::vector<RowId> left{0, 1, 2};
    std::erase_if(left, leaves);
    CHECK(rows_of(tree, Tree::root) == left);
    CHECK(tree.nodes[Tree::root].n_rows == left.size());
  }
}

TEST(preorder_has_parents_first_and_left_before_right) {
  Tree tree = two_leaves();
  tree.split_leaf(1, 0, 0.0F, 2.0F);
  std::vector<NodeId> order;
  append_preorder(tree, Tree::root, order);
  CHECK((order == std::vector<NodeId>{0, 1, 3, 4, 2}));
  order.clear();
  append_preorder(Tree{}, Tree::root, order);
  CHECK(order.empty());
}

TEST(clear_leaves_the_empty_tree) {
  Tree tree = two_leaves();
  tree.contract(Tree::root, true);
  tree.clear();
  CHECK(tree.is_empty() && tree.next_row.empty() && tree.first_freed == none);
}

}  // namespace
}  // namespace hedgerow::tree
