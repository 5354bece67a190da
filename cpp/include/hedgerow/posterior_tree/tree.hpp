// SPDX-License-Identifier: BSD-3-Clause
// A tree as one list of nodes, each followed by its left subtree and then its right one. So a subtree is a slice of the
// nodes, and, as rows lie in the order of their leaves, a slice of the rows too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "hedgerow/posterior_tree/rule.hpp"

namespace hedgerow::posterior_tree {

using NodeId = std::uint32_t;

/// `Leaves` says what is known of a leaf's labels, its statistic, and what a leaf has as its value.
template <class Code, class Leaves>
struct Node {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::uint32_t size = 1;            ///< nodes of its subtree, itself among them
  std::uint32_t begin = 0, end = 0;  ///< its rows, as places in the list of rows
  std::uint32_t depth = 0;
  CutRule<Code> rule{};                    ///< of an inner node
  bool splittable = false;                 ///< could a rule divide its rows?
  double log_rule = unknown;               ///< of an inner node: prior probability of its rule; may be unknown
  typename Leaves::Statistic statistic{};  ///< of a leaf; of an inner node, what is left of when it was one, or none
  [[no_unique_address]] typename Leaves::Value value{};  ///< of a leaf

  [[nodiscard]] bool is_leaf() const { return size == 1; }
  [[nodiscard]] bool has_two_leaves() const { return size == 3; }
  [[nodiscard]] std::uint32_t n_rows() const { return end - begin; }
};

/// A whole tree, or a subtree on its own.
template <class Code, class Leaves>
struct Tree {
  using Node = posterior_tree::Node<Code, Leaves>;

  std::vector<Node> nodes;
  std::vector<RowId> rows;

  Tree() = default;
  /// One leaf with all rows.
  explicit Tree(const CodedRows<Code>& data) : nodes(1), rows(data.n_rows) {
    std::iota(rows.begin(), rows.end(), RowId{0});
    nodes[0].end = static_cast<std::uint32_t>(rows.size());
  }

  [[nodiscard]] NodeId left(NodeId id) const { return id + 1; }
  [[nodiscard]] NodeId right(NodeId id) const { return id + 1 + nodes[id + 1].size; }
  [[nodiscard]] std::size_t n_leaves() const { return (nodes.size() + 1) / 2; }
  [[nodiscard]] std::span<const RowId> rows_of(NodeId id) const {
    return {rows.data() + nodes[id].begin, nodes[id].n_rows()};
  }
  [[nodiscard]] std::span<const Node> subtree(NodeId id) const { return {nodes.data() + id, nodes[id].size}; }

  /// How many nodes are as wanted.
  template <class Predicate>
  [[nodiscard]] std::size_t count(Predicate&& is_wanted) const {
    std::size_t n = 0;
    for (const Node& node : nodes) n += static_cast<std::size_t>(is_wanted(node));
    return n;
  }
  /// The k-th of those.
  template <class Predicate>
  [[nodiscard]] NodeId find(std::size_t k, Predicate&& is_wanted) const {
    NodeId id = 0;
    for (;; ++id) {
      if (is_wanted(nodes[id]) && k-- == 0) return id;
    }
  }

  /// A copy of a subtree, with places that count from its own first row.
  [[nodiscard]] Tree copy_of(NodeId id) const {
    Tree copy;
    const auto nodes_at = nodes.begin() + id;
    copy.nodes.assign(nodes_at, nodes_at + nodes[id].size);
    const std::uint32_t begin = nodes[id].begin;
    copy.rows.assign(rows.begin() + begin, rows.begin() + nodes[id].end);
    for (Node& node : copy.nodes) {
      node.begin -= begin;
      node.end -= begin;
    }
    return copy;
  }

  /// Puts a subtree with the same rows in the place of another.
  void replace(NodeId id, const Tree& other) {
    const std::uint32_t begin = nodes[id].begin;
    resize_subtree(id, other.nodes.size());
    for (std::size_t i = 0; i < other.nodes.size(); ++i) {
      Node& node = nodes[id + i] = other.nodes[i];
      node.begin += begin;
      node.end += begin;
    }
    std::ranges::copy(other.rows, rows.begin() + begin);
  }

  /// Makes room for a subtree of another size, or closes it; what stands there is then up to the caller.
  void resize_subtree(NodeId id, std::size_t size) {
    const std::size_t old = nodes[id].size;
    for (NodeId above = 0; above < id; ++above) {
      if (above + nodes[above].size > id) nodes[above].size += static_cast<std::uint32_t>(size - old);
    }
    const auto after = nodes.begin() + static_cast<std::ptrdiff_t>(id + old);
    if (size > old) {
      nodes.insert(after, size - old, Node{});
    } else {
      nodes.erase(after - static_cast<std::ptrdiff_t>(old - size), after);
    }
    nodes[id].size = static_cast<std::uint32_t>(size);
  }
};

}  // namespace hedgerow::posterior_tree
