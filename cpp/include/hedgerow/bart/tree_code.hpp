// SPDX-License-Identifier: BSD-3-Clause
// Trees written close together: a bit a node, inner or leaf, each followed by its left subtree and then its right one;
// four bytes a rule; a value a leaf. A tree of three leaves takes 20 bytes and 5 bits with values of four bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "hedgerow/bart/tree.hpp"

namespace hedgerow::bart {

template <class V>
struct TreeCode {
  std::vector<std::uint8_t> shape;  ///< a bit a node, 1 for an inner one
  std::uint64_t n_nodes = 0;
  std::vector<std::uint32_t> rules;  ///< feature * 256 + cut
  std::vector<V> values;

  /// `value_of(node)` is what is written of a leaf.
  template <class ValueOf>
  void append(const Tree& tree, ValueOf&& value_of) {
    for (const Node& node : tree.nodes) {
      if (n_nodes % 8 == 0) shape.push_back(0);
      shape.back() = static_cast<std::uint8_t>(shape.back() | (node.is_leaf() ? 0U : 1U) << (n_nodes % 8));
      ++n_nodes;
      if (node.is_leaf()) {
        values.push_back(value_of(node));
      } else {
        rules.push_back((node.rule.feature << 8) | node.rule.cut);
      }
    }
  }

  /// Only the first n nodes stay, and the first rules.
  void cut(std::uint64_t n, std::size_t n_rules) noexcept {
    n_nodes = n;
    rules.resize(n_rules);
    values.resize(n - n_rules);
    shape.resize((n + 7) / 8);
    if (n % 8 != 0) shape.back() = static_cast<std::uint8_t>(shape.back() & ((1U << (n % 8)) - 1U));
  }

  [[nodiscard]] bool is_inner(std::uint64_t node) const { return ((shape[node / 8] >> (node % 8)) & 1U) != 0; }

  /// Deeper than any tree that divides rows will ever be, and not too deep for functions that call themselves.
  static constexpr std::uint32_t most_depth = 4096;

  /// Do so many trees stand here, and nothing else, with rules that the rows know? For files that nobody vouches for.
  [[nodiscard]] bool holds(std::uint64_t n_trees, const std::vector<std::vector<double>>& cuts) const {
    const std::uint64_t n_odd = n_nodes % 8;
    if (shape.size() != n_nodes / 8 + (n_odd > 0 ? 1 : 0) || rules.size() + values.size() != n_nodes) return false;
    if (n_odd > 0 && (shape.back() >> n_odd) != 0) return false;  // bits that trees to come would take for their own
    std::uint64_t n_inner = 0, n_done = 0;
    std::vector<std::uint32_t> depths;  // of the nodes that are still to come in a tree
    for (std::uint64_t i = 0; i < n_nodes; ++i) {
      if (depths.empty()) depths.push_back(0);  // a tree begins
      const std::uint32_t depth = depths.back();
      depths.pop_back();
      if (is_inner(i)) {
        if (depth == most_depth) return false;
        depths.insert(depths.end(), 2, depth + 1);
        ++n_inner;
      }
      n_done += depths.empty() ? 1 : 0;
    }
    if (!depths.empty() || n_done != n_trees || n_inner != rules.size()) return false;
    return std::ranges::all_of(rules, [&](std::uint32_t rule) {
      return (rule >> 8) < cuts.size() && (rule & 0xFFU) < cuts[rule >> 8].size();
    });
  }
};

/// Reads trees one after another, node by node.
template <class V>
class CodeReader {
 public:
  explicit CodeReader(const TreeCode<V>& code) : code_(&code) {}
  /// From a node on, before which so many rules and values stand.
  CodeReader(const TreeCode<V>& code, std::uint64_t node, std::uint64_t rule, std::uint64_t value)
      : code_(&code), node_(node), rule_(rule), value_(value) {}

  [[nodiscard]] bool is_at_inner() const { return code_->is_inner(node_); }
  bool next_is_inner() { return code_->is_inner(node_++); }
  Rule next_rule() {
    const std::uint32_t rule = code_->rules[rule_++];
    return {rule >> 8, static_cast<Bin>(rule & 0xFFU)};
  }
  V next_value() { return code_->values[value_++]; }

  /// A whole tree; its rows are not assigned to its leaves yet.
  template <class SetValue>
  Tree next_tree(const BinnedRows& data, SetValue&& set_value) {
    Tree tree(data);
    const Node root = tree.nodes[0];
    tree.nodes.clear();
    read_subtree(tree, set_value);
    tree.nodes[0].begin = root.begin;
    tree.nodes[0].end = root.end;
    return tree;
  }

 private:
  template <class SetValue>
  void read_subtree(Tree& tree, SetValue& set_value) {
    const std::size_t place = tree.nodes.size();
    tree.nodes.emplace_back();
    if (next_is_inner()) {
      tree.nodes[place].rule = next_rule();
      read_subtree(tree, set_value);
      read_subtree(tree, set_value);
    } else {
      set_value(tree.nodes[place], next_value());
    }
    tree.nodes[place].size = static_cast<std::uint32_t>(tree.nodes.size() - place);
  }

  const TreeCode<V>* code_;
  std::uint64_t node_ = 0, rule_ = 0, value_ = 0;
};

}  // namespace hedgerow::bart
