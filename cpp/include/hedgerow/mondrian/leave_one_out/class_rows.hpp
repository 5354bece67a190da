// SPDX-License-Identifier: BSD-3-Clause
// Exact leave-one-out of classes: each row as predicted by the forest without it. In each tree the row is unlearned,
// its class is predicted, and the change is taken back, which costs one path for each row and tree. Rows that are
// copies of each other leave together. The forest itself stays as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/query/class_rule.hpp"
#include "hedgerow/mondrian/query/vote.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::mondrian {

/// A row and its copies, which lie on one place and are of one class.
struct RowsLeftOut {
  std::span<const RowId> rows;
  RowId stands = none;     ///< which of them stands for the place; see places.hpp
  RowId successor = none;  ///< and who will, if there is another row on the place

  [[nodiscard]] bool is_succeeded() const { return successor != none; }
  [[nodiscard]] bool ends_place() const { return stands != none && !is_succeeded(); }

  /// What a query needs to know of the labels that are left.
  [[nodiscard]] label::ClassQuery query(const ClassForest& forest, const ClassQueryRule& rule) const {
    std::vector<double> seen = forest.labels_seen;
    std::vector<std::size_t> places = forest.places.by_class();
    for (const RowId row : rows) forest.model.unsee(seen, forest.rows.labels[row], forest.rows.weight(row));
    if (ends_place()) --places[static_cast<std::size_t>(forest.rows.labels[stands])];
    return rule.at(seen, places, rule.n_classes);
  }
};

/// Rows of one number in `groups` are copies, by row number; without groups there are none. Rows are moved into
/// `order`, copies side by side.
inline std::vector<RowsLeftOut> all_left_out(const ClassForest& forest, std::span<const std::uint32_t> groups,
                                             std::vector<RowId>& order) {
  if (!groups.empty() && groups.size() != forest.rows.capacity()) {
    throw std::invalid_argument("every row needs the number of its copies");
  }
  const auto are_copies = [&](RowId a, RowId b) { return a == b || (!groups.empty() && groups[a] == groups[b]); };
  order = forest.rows_in_order();
  if (!groups.empty()) std::ranges::stable_sort(order, {}, [&](RowId row) { return groups[row]; });
  std::vector<RowsLeftOut> all;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && are_copies(order[begin], order[end])) ++end;
    RowsLeftOut& own = all.emplace_back(std::span(order).subspan(begin, end - begin));
    for (const RowId row : own.rows) {
      if (forest.rows.is_repeated(row)) continue;
      own.stands = row;
      own.successor = forest.places.first_follower(row, [&](RowId other) { return !are_copies(other, row); });
    }
  }
  return all;
}

/// A copy of the rows in which successors stand for their places, which no tree can tell.
inline Rows with_successors(Rows rows, std::span<const RowsLeftOut> all) {
  for (const RowsLeftOut& left_out : all) {
    rows.mark_repeated(left_out.stands, true);
    rows.mark_repeated(left_out.successor, false);
  }
  return rows;
}

/// What one tree predicts for each of some rows without it.
class LeaveOneOutVoter {
 public:
  using Model = label::StableHierarchy;

  std::vector<double> votes;         ///< [k * n_classes + c]
  std::vector<double> left_to_base;  ///< [k]

  /// `unit` of a query for each of those that leave is given, too: the rest of a query is the same for all of them.
  void vote(const ClassForest& forest, std::size_t b, const Rows& rows, std::span<const RowsLeftOut> all,
            std::span<const double> units, label::ClassQuery query) {
    const std::size_t n_classes = query.base.size();
    votes.assign(all.size() * n_classes, 0.0);
    left_to_base.assign(all.size(), 1.0);
    tree_ = forest.trees[b];
    for (const std::uint32_t k : in_order_of_leaves(all, rows.capacity())) {
      parallel::may_stop();
      const NodeId leaf = leaf_of(tree_, rows.row(all[k].rows[0]));
      tree_.record(false);
      for (const RowId row : all[k].rows) forgetter_.forget(tree_, row, rows, forest.growth, forest.model);
      if (!tree_.shape.is_empty()) {
        query.unit = units[k];
        const Asking<Model> asking{tree_, rows, forest.growth, forest.model, query};
        voter_.go_down(asking, rows.row(all[k].rows[0]), 1);
        voter_.vote(
            asking, [&](std::size_t, label::ClassId c, double vote) { votes[k * n_classes + c] += vote; },
            [&](std::size_t, double vote) { left_to_base[k] = vote; });
      }
      take_back(leaf, all[k], rows, forest.model);
    }
  }

 private:
  /// The rows of a leaf one after another, so that its crowd, if it is large, is made once.
  std::span<const std::uint32_t> in_order_of_leaves(std::span<const RowsLeftOut> all, std::size_t n_rows) {
    number_.assign(n_rows, none);
    for (std::uint32_t k = 0; k < all.size(); ++k) number_[all[k].rows[0]] = k;
    order_.clear();
    for (NodeId id = 0; id < tree_.shape.nodes.size(); ++id) {
      const Node& node = tree_.node(id);
      if (!node.is_leaf() || node.is_freed()) continue;
      if (node.n_rows > Crowds<Model>::few) tree_.shape.know_previous_rows();
      tree_.shape.for_each_row(id, [&](RowId row) {
        if (number_[row] != none) order_.push_back(number_[row]);
      });
    }
    return order_;
  }

  void take_back(NodeId leaf, const RowsLeftOut& left_out, const Rows& rows, const Model& model) {
    auto crowd = tree_.crowds.take(leaf);
    tree_.undo();
    if (crowd.empty()) return;
    for (const RowId row : left_out.rows) crowd.mapped().count(row, rows, model, 1.0);
    tree_.crowds.give_back(std::move(crowd));
  }

  MondrianTree<Model> tree_;
  Forgetter<Model> forgetter_;
  Voter voter_;
  std::vector<std::uint32_t> number_, order_;
};

/// Probabilities of each row, by row number: probabilities[row * n_classes + c].
inline std::vector<double> leave_rows_out(const ClassForest& forest, const ClassQueryRule& rule,
                                          std::span<const std::uint32_t> groups, std::size_t n_threads) {
  const std::size_t n_classes = rule.n_classes, n_trees = forest.trees.size();
  const label::ClassQuery whole = rule.at(forest);
  std::vector<double> probabilities(forest.rows.capacity() * n_classes, 0.0);
  std::vector<LeaveOneOutVoter> workers(std::clamp<std::size_t>(n_threads, 1, n_trees));
  std::vector<RowId> order;
  std::vector<RowsLeftOut> all = all_left_out(forest, groups, order);
  const std::span<const RowsLeftOut> succeeded =
      std::ranges::stable_partition(all, [](const RowsLeftOut& own) { return !own.is_succeeded(); });
  const std::span<const RowsLeftOut> others = std::span(all).first(all.size() - succeeded.size());

  const auto leave_out = [&](const Rows& rows, std::span<const RowsLeftOut> some) {
    std::vector<double> votes(some.size() * n_classes, 0.0), left_to_base(some.size(), 0.0), units;
    for (const RowsLeftOut& left_out : some) units.push_back(left_out.query(forest, rule).unit);
    for (std::size_t begin = 0; begin < n_trees; begin += workers.size()) {
      const std::size_t count = std::min(workers.size(), n_trees - begin);
      parallel::for_each_index(count, n_threads, [&](std::size_t index, std::size_t) {
        workers[index].vote(forest, begin + index, rows, some, units, whole);
      });
      for (std::size_t index = 0; index < count; ++index) {  // sums in the order of the trees
        const auto add = [](auto& sums, const auto& parts) {
          std::ranges::transform(sums, parts, sums.begin(), std::plus<>());
        };
        add(votes, workers[index].votes);
        add(left_to_base, workers[index].left_to_base);
      }
    }
    for (std::size_t k = 0; k < some.size(); ++k) {
      double* const found = votes.data() + k * n_classes;
      add_base(some[k].query(forest, rule), left_to_base[k], found);
      for (const RowId row : some[k].rows) std::copy_n(found, n_classes, probabilities.data() + row * n_classes);
    }
  };
  leave_out(forest.rows, others);
  if (!succeeded.empty()) leave_out(with_successors(forest.rows, succeeded), succeeded);
  return probabilities;
}

}  // namespace hedgerow::mondrian
