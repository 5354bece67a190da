// SPDX-License-Identifier: BSD-3-Clause
// Heat bath: an inner node keeps all rules below it and draws its own from prior times likelihood over all rules there
// are. One scan a feature: the rows pass, bin by bin, from their leaf in the right subtree to their leaf in the left.
// What the rules below would have as their prior is not in the scan, and is left to Metropolis and Hastings. For leaves
// whose statistics add up, and bins, which are so few that rows are sorted by counting.
#pragma once

#include <array>

#include "hedgerow/posterior_tree/leaves/sums.hpp"
#include "hedgerow/posterior_tree/moves/propose_subtree.hpp"

namespace hedgerow::posterior_tree {

class RuleScan {
 public:
  using Tree = SumTarget::Tree;
  using Rule = SumTarget::Rule;
  using BinRange = SumTarget::Range;

  RuleScan(const SumTarget& target, const Tree& tree, NodeId id)
      : target_(target),
        rows_(tree.rows_of(id)),
        left_(rows_.size()),
        right_(rows_.size()),
        n_places_(tree.nodes[id].size),
        n_leaves_((n_places_ + 1) / 2) {
    const NodeId left = tree.left(id), right = tree.right(id);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      left_[i] = leaf_of(tree, left, rows_[i]) - id;
      right_[i] = leaf_of(tree, right, rows_[i]) - id;
    }
    for (std::uint32_t d = 0; d < target.data.n_features; ++d) scan(d);
  }

  /// A rule, as likely as prior times likelihood say. There is one at least, the present one.
  [[nodiscard]] Rule draw(random::Stream& stream) const {
    double highest = runs_[0].log_weight, total = 0.0;
    for (const Run& run : runs_) highest = std::max(highest, run.log_weight);
    for (const Run& run : runs_) total += std::exp(run.log_weight - highest);
    double left = stream.uniform() * total;
    const Run* chosen = &*std::ranges::max_element(runs_, {}, &Run::log_weight);  // if rounding leaves none
    for (const Run& run : runs_) {
      left -= std::exp(run.log_weight - highest);
      if (left < 0.0) {
        chosen = &run;
        break;
      }
    }
    return {chosen->feature, target_.draw_cut(chosen->feature, chosen->between, stream)};
  }

 private:
  /// Cuts between two neighbouring bins that have rows: all divide the rows alike.
  struct Run {
    std::uint32_t feature;
    BinRange between;
    double log_weight;
  };

  [[nodiscard]] NodeId leaf_of(const Tree& tree, NodeId id, RowId row) const {
    while (!tree.nodes[id].is_leaf()) {
      const Rule& rule = tree.nodes[id].rule;
      id = target_.data.column(rule.feature)[row] <= rule.cut ? tree.left(id) : tree.right(id);
    }
    return id;
  }

  /// Rows by rising bin, by counting.
  void sort_rows(const Bin* column) {
    std::array<std::uint32_t, BinnedRows::most_cuts + 2> places{};
    for (const RowId row : rows_) ++places[column[row] + 1];
    for (std::size_t b = 1; b < places.size(); ++b) places[b] += places[b - 1];
    order_.resize(rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) order_[places[column[rows_[i]]]++] = i;
  }

  void scan(std::uint32_t feature) {
    if (!target_.varies(feature, rows_)) return;
    const Bin* column = target_.data.column(feature);
    sort_rows(column);
    const auto bin_at = [&](std::size_t i) { return column[rows_[order_[i]]]; };
    const double whole = target_.cut_weight(feature, bin_at(0), bin_at(rows_.size() - 1));
    sums_.assign(n_places_, {});
    counts_.assign(n_places_, 0);
    n_empty_ = n_leaves_;
    log_likelihood_ = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) pass(rows_[i], right_[i], 1);
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
      pass(rows_[order_[i]], right_[order_[i]], -1);
      pass(rows_[order_[i]], left_[order_[i]], 1);
      if (bin_at(i) == bin_at(i + 1) || n_empty_ > 0) continue;
      const BinRange between{bin_at(i), bin_at(i + 1)};
      const double share = target_.cut_weight(feature, between.lowest, between.highest) / whole;
      runs_.push_back({feature, between, log_likelihood_ + std::log(share)});
    }
  }

  /// A row comes to a leaf (1) or leaves it (-1).
  void pass(RowId row, NodeId leaf, int sign) {
    log_likelihood_ -= target_.leaves.evidence(sums_[leaf]);
    n_empty_ -= static_cast<std::size_t>(counts_[leaf] == 0);
    sums_[leaf].sum += sign * target_.leaves.residuals[row];
    sums_[leaf].weight += sign * target_.leaves.weight(row);
    counts_[leaf] += sign;
    n_empty_ += static_cast<std::size_t>(counts_[leaf] == 0);
    log_likelihood_ += target_.leaves.evidence(sums_[leaf]);
  }

  const SumTarget& target_;
  std::span<const RowId> rows_;
  std::vector<NodeId> left_, right_;  ///< of each row: its leaf if it went that way
  std::size_t n_places_, n_leaves_;   ///< leaves are named by their nodes; the places of others stay empty
  std::vector<std::uint32_t> order_;
  std::vector<LeafSum> sums_;
  std::vector<int> counts_;
  std::size_t n_empty_ = 0;
  double log_likelihood_ = 0.0;
  std::vector<Run> runs_;
};

inline bool heat_bath(const SumTarget& target, SumTarget::Tree& tree, random::Stream& stream) {
  const auto id = draw_inner(tree, stream);
  if (!id) return false;
  auto changed = tree.copy_of(*id);
  changed.nodes[0].rule = RuleScan(target, tree, *id).draw(stream);
  return propose_subtree(target, tree, *id, std::move(changed), stream, [&](auto now, auto before) {
    return log_prior(target, now.subspan(1)) - log_prior(target, before.subspan(1));
  });
}

}  // namespace hedgerow::posterior_tree
