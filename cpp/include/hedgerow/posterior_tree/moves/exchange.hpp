// SPDX-License-Identifier: BSD-3-Clause
// Exchange: where both children of a node split along one feature, that feature comes on top and the node's below it,
// twice; the four grandchildren change places like the entries of a transposed matrix. One of the two cuts that were
// below comes on top, the other is lost; one of the two new children gets the old cut of the node and the other one a
// cut from the prior. All choices undo each other: with u the child whose cut goes up and e the new child that gets
// the node's own, going back chooses u' = e and e' = u, and draws the cut that was lost.
#pragma once

#include "hedgerow/posterior_tree/moves/propose_subtree.hpp"

namespace hedgerow::posterior_tree {

/// Are both children inner, with one feature, which is not the node's own?
template <class AnyTree>
bool is_exchangeable(const AnyTree& tree, NodeId id) {
  const auto& node = tree.nodes[id];
  if (node.size < 7) return false;
  const auto &left = tree.nodes[tree.left(id)], &right = tree.nodes[tree.right(id)];
  return !left.is_leaf() && !right.is_leaf() && left.rule.feature == right.rule.feature &&
         left.rule.feature != node.rule.feature;
}

template <class AnyTree>
std::vector<NodeId> exchangeable(const AnyTree& tree) {
  std::vector<NodeId> found;
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    if (is_exchangeable(tree, id)) found.push_back(id);
  }
  return found;
}

/// The subtree with the second and third grandchild in each other's place.
template <class AnyTree>
AnyTree transposed(const AnyTree& tree, NodeId id) {
  const NodeId left = tree.left(id), right = tree.right(id);
  AnyTree result;
  const auto take = [&](NodeId at, std::size_t size) {
    const auto first = tree.nodes.begin() + at;
    result.nodes.insert(result.nodes.end(), first, first + static_cast<std::ptrdiff_t>(size));
  };
  const auto take_all = [&](NodeId at) { take(at, tree.nodes[at].size); };
  take(id, 1);
  for (const auto grandchild : {&AnyTree::left, &AnyTree::right}) {
    const NodeId of_left = (tree.*grandchild)(left), of_right = (tree.*grandchild)(right);
    take(left, 1);
    result.nodes.back().size = 1 + tree.nodes[of_left].size + tree.nodes[of_right].size;
    take_all(of_left);
    take_all(of_right);
  }
  const auto rows = tree.rows_of(id);
  result.rows.assign(rows.begin(), rows.end());
  result.nodes[0].begin = 0;
  result.nodes[0].end = static_cast<std::uint32_t>(rows.size());
  return result;
}

template <class T>
bool exchange(const T& target, typename T::Tree& tree, random::Stream& stream) {
  const auto before = exchangeable(tree);
  if (before.empty()) return false;
  const NodeId id = before[random::draw_below(before.size(), stream)];
  const typename T::Rule above = tree.nodes[id].rule;
  const NodeId children[2] = {tree.left(id), tree.right(id)};
  const std::size_t up = random::draw_below(2, stream), exact = random::draw_below(2, stream);
  const typename T::Rule on_top = tree.nodes[children[up]].rule;

  divide(target, on_top, tree.rows_of(id));
  const auto& rows_of_other = exact == 0 ? target.right_rows : target.left_rows;
  if (rows_of_other.empty() || !target.varies(above.feature, rows_of_other)) return false;
  const typename T::Rule drawn{above.feature, target.draw_cut(above.feature, rows_of_other, stream)};
  const double log_drawn = target.log_cut(drawn, rows_of_other);
  const double log_lost = target.log_cut(tree.nodes[children[1 - up]].rule, tree.rows_of(children[1 - up]));

  auto changed = transposed(tree, id);
  changed.nodes[0].rule = on_top;
  changed.nodes[changed.left(0)].rule = exact == 0 ? above : drawn;
  changed.nodes[changed.right(0)].rule = exact == 0 ? drawn : above;
  return propose_subtree(target, tree, id, std::move(changed), stream, [&](auto now, auto old) {
    typename T::Tree whole;
    whole.nodes = tree.nodes;
    std::ranges::copy(now, whole.nodes.begin() + id);
    const std::size_t n_then = exchangeable(whole).size();
    const double log_choice = std::log(static_cast<double>(before.size())) - std::log(static_cast<double>(n_then));
    return log_joint(target, now) - log_joint(target, old) + log_lost - log_drawn + log_choice;
  });
}

}  // namespace hedgerow::posterior_tree
