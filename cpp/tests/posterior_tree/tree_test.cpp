// SPDX-License-Identifier: BSD-3-Clause
// Slices of nodes and rows against a tree of pointers.
#include "hedgerow/posterior_tree/tree.hpp"

#include <memory>

#include "check.hpp"
#include "hedgerow/posterior_tree/leaves/sums.hpp"

namespace hedgerow::posterior_tree {
namespace {

using Tree = SumTarget::Tree;
using Node = SumTarget::Node;
using Rule = SumTarget::Rule;

/// The obvious tree: a leaf has rows, an inner node has a rule and two children.
struct Plain {
  Rule rule{};
  std::vector<RowId> rows{};
  std::unique_ptr<Plain> left{}, right{};

  [[nodiscard]] std::size_t size() const { return left ? 1 + left->size() + right->size() : 1; }
  [[nodiscard]] std::vector<RowId> all_rows() const {
    if (!left) return rows;
    std::vector<RowId> all = left->all_rows();
    const auto others = right->all_rows();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
};

/// A random tree on some rows, no leaf without any.
std::unique_ptr<Plain> random_plain(std::vector<RowId> rows, random::Stream& stream) {
  auto plain = std::make_unique<Plain>();
  if (rows.size() < 2 || stream.uniform() < 0.25) {
    plain->rows = std::move(rows);
    return plain;
  }
  plain->rule = {random::draw_below(1000, stream), static_cast<Bin>(random::draw_below(255, stream))};
  const auto middle = rows.begin() + 1 + random::draw_below(rows.size() - 1, stream);
  plain->left = random_plain({rows.begin(), middle}, stream);
  plain->right = random_plain({middle, rows.end()}, stream);
  return plain;
}

void flatten(const Plain& plain, Tree& tree, std::uint32_t depth) {
  Node node;
  node.size = static_cast<std::uint32_t>(plain.size());
  node.begin = static_cast<std::uint32_t>(tree.rows.size());
  node.end = node.begin + static_cast<std::uint32_t>(plain.all_rows().size());
  node.depth = depth;
  node.rule = plain.rule;
  tree.nodes.push_back(node);
  if (plain.left) {
    flatten(*plain.left, tree, depth + 1);
    flatten(*plain.right, tree, depth + 1);
  } else {
    tree.rows.insert(tree.rows.end(), plain.rows.begin(), plain.rows.end());
  }
}

Tree flat(const Plain& plain, std::uint32_t depth = 0) {
  Tree tree;
  flatten(plain, tree, depth);
  return tree;
}

/// Pointers to all nodes, each followed by its left subtree and then its right one.
void list_nodes(std::unique_ptr<Plain>& plain, std::vector<std::unique_ptr<Plain>*>& list) {
  list.push_back(&plain);
  if (!plain->left) return;
  list_nodes(plain->left, list);
  list_nodes(plain->right, list);
}

void check_same(const Tree& found, const Tree& expected) {
  CHECK(found.rows == expected.rows && found.nodes.size() == expected.nodes.size());
  for (std::size_t i = 0; i < std::min(found.nodes.size(), expected.nodes.size()); ++i) {
    const Node &one = found.nodes[i], &other = expected.nodes[i];
    CHECK(one.size == other.size && one.begin == other.begin && one.end == other.end && one.depth == other.depth);
    CHECK(one.rule == other.rule);
  }
}

std::vector<RowId> all_rows(std::size_t n) {
  std::vector<RowId> rows(n);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return rows;
}

TEST(children_of_a_slice_are_those_of_the_tree) {
  random::Stream stream(1, random::Purpose::grow, 0, 0);
  for (int repetition = 0; repetition < 100; ++repetition) {
    auto plain = random_plain(all_rows(1 + random::draw_below(30, stream)), stream);
    const Tree tree = flat(*plain);
    std::vector<std::unique_ptr<Plain>*> list;
    list_nodes(plain, list);
    std::size_t n_leaves = 0;
    for (NodeId id = 0; id < list.size(); ++id) {
      const Plain& node = **list[id];
      n_leaves += node.left ? 0 : 1;
      CHECK(tree.nodes[id].is_leaf() == !node.left);
      CHECK(tree.nodes[id].has_two_leaves() == (node.left && !node.left->left && !node.right->left));
      const auto rows = node.all_rows();
      CHECK(std::ranges::equal(tree.rows_of(id), rows));
      CHECK(tree.subtree(id).size() == node.size());
      if (!node.left) continue;
      CHECK(list[tree.left(id)]->get() == node.left.get());
      CHECK(list[tree.right(id)]->get() == node.right.get());
    }
    CHECK(tree.n_leaves() == n_leaves);
    const auto is_leaf = [](const Node& node) { return node.is_leaf(); };
    CHECK(tree.count(is_leaf) == n_leaves);
    NodeId id = 0;
    for (std::size_t k = 0; k < n_leaves; ++k, ++id) {
      while (!tree.nodes[id].is_leaf()) ++id;
      CHECK(tree.find(k, is_leaf) == id);
    }
  }
}

TEST(a_copy_is_the_subtree_alone) {
  random::Stream stream(2, random::Purpose::grow, 0, 0);
  for (int repetition = 0; repetition < 100; ++repetition) {
    auto plain = random_plain(all_rows(25), stream);
    const Tree tree = flat(*plain);
    std::vector<std::unique_ptr<Plain>*> list;
    list_nodes(plain, list);
    const NodeId id = random::draw_below(list.size(), stream);
    check_same(tree.copy_of(id), flat(**list[id], tree.nodes[id].depth));
  }
}

TEST(a_subtree_takes_the_place_of_another) {
  random::Stream stream(3, random::Purpose::grow, 0, 0);
  auto plain = random_plain(all_rows(40), stream);
  Tree tree = flat(*plain);
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<std::unique_ptr<Plain>*> list;
    list_nodes(plain, list);
    const NodeId id = random::draw_below(list.size(), stream);
    auto rows = (*list[id])->all_rows();
    std::ranges::reverse(rows);
    *list[id] = random_plain(std::move(rows), stream);
    tree.replace(id, flat(**list[id], tree.nodes[id].depth));
    check_same(tree, flat(*plain));
  }
}

TEST(room_is_made_and_closed_for_all_above) {
  random::Stream stream(4, random::Purpose::grow, 0, 0);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto plain = random_plain(all_rows(30), stream);
    Tree tree = flat(*plain);
    const Tree before = tree;
    const NodeId id = random::draw_below(tree.nodes.size(), stream);
    const std::size_t size = 1 + 2 * random::draw_below(6, stream);
    tree.resize_subtree(id, size);
    CHECK(tree.nodes.size() == before.nodes.size() - before.nodes[id].size + size && tree.nodes[id].size == size);
    for (NodeId other = 0; other < id; ++other) {
      const bool is_above = other + before.nodes[other].size > id;
      CHECK(tree.nodes[other].size == before.nodes[other].size + (is_above ? size - before.nodes[id].size : 0));
    }
    for (std::size_t after = id + before.nodes[id].size; after < before.nodes.size(); ++after) {
      CHECK(tree.nodes[after - before.nodes[id].size + size].rule == before.nodes[after].rule);
    }
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
