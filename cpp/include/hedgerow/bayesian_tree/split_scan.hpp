// SPDX-License-Identifier: BSD-3-Clause
// All cuts of a node along one feature, and how likely the labels are on the two sides of each: one sort and a scan
// from either end (Lakshminarayanan 2016, section 3.3.1, footnote 1). Nothing is ever subtracted, so nothing cancels.
#pragma once

#include <algorithm>
#include <vector>

#include "hedgerow/bayesian_tree/block.hpp"
#include "hedgerow/numeric/exponential_kernels.hpp"

namespace hedgerow::bayesian_tree {

/// The space between two neighbouring values of a feature among the rows of a node.
struct Gap {
  RankRange between;
  double log_weight;  ///< of a cut there: its share of the range times the likelihood of both sides
};

class SplitScan {
 public:
  /// Fills `gaps`, and returns log of the sum of their weights. The feature varies in the block.
  template <label::LeafModel M>
  double run(const Problem<M>& problem, const Block<M>& block, const VaryingFeature& chosen) {
    sort_rows(problem.data, block.rows, chosen);
    find_gaps(problem, chosen);
    weights_.resize(gaps.size());
    double highest = gaps[0].log_weight;
    for (const Gap& gap : gaps) highest = std::max(highest, gap.log_weight);
    for (std::size_t i = 0; i < gaps.size(); ++i) weights_[i] = gaps[i].log_weight - highest;
    numeric::exp_nonpositive_all(weights_.data(), weights_.size());
    double total = 0.0;
    for (const double weight : weights_) total += weight;
    return highest + std::log(total);
  }

  /// One of the gaps that were found last, as likely as its weight says.
  [[nodiscard]] const Gap& draw(random::Stream& stream) const {
    double total = 0.0;
    for (const double weight : weights_) total += weight;
    const double point = stream.uniform() * total;
    double covered = 0.0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (point < (covered += weights_[i])) return gaps[i];
    }
    return gaps[static_cast<std::size_t>(std::ranges::max_element(weights_) - weights_.begin())];
  }

  /// Only where the gaps are: the neighbouring ranks of the rows.
  [[nodiscard]] const std::vector<Rank>& distinct_ranks(const RankedRows& data, std::span<const RowId> rows,
                                                        const VaryingFeature& chosen) {
    sort_rows(data, rows, chosen);
    distinct_.clear();
    for (const auto& [rank, row] : sorted_) {
      if (distinct_.empty() || distinct_.back() != rank) distinct_.push_back(rank);
    }
    return distinct_;
  }

  std::vector<Gap> gaps;

 private:
  struct RankedRow {
    Rank rank;
    RowId row;
    friend auto operator<=>(const RankedRow&, const RankedRow&) = default;
  };

  /// By rank, rows of a rank in their order: by counting if there are few ranks for so many rows, else by comparing.
  void sort_rows(const RankedRows& data, std::span<const RowId> rows, const VaryingFeature& chosen) {
    const Rank* column = data.column(chosen.feature);
    const std::size_t n_ranks = std::size_t{chosen.range.highest} - chosen.range.lowest + 1;
    sorted_.resize(rows.size());
    if (n_ranks > 4 * rows.size()) {
      for (std::size_t i = 0; i < rows.size(); ++i) sorted_[i] = {column[rows[i]], rows[i]};
      std::ranges::sort(sorted_);
      return;
    }
    places_.assign(n_ranks + 1, 0);
    for (const RowId row : rows) ++places_[column[row] - chosen.range.lowest + 1];
    for (std::size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
    for (const RowId row : rows) sorted_[places_[column[row] - chosen.range.lowest]++] = {column[row], row};
  }

  template <label::LeafModel M>
  void find_gaps(const Problem<M>& problem, const VaryingFeature& chosen) {
    const RankedRows& data = problem.data;
    gaps.clear();
    auto left = problem.model.scan();
    for (std::size_t i = 0; i + 1 < sorted_.size(); ++i) {
      left.add(data.labels[sorted_[i].row], data.weight(sorted_[i].row));
      const RankRange between{sorted_[i].rank, sorted_[i + 1].rank};
      if (!between.varies()) continue;
      const double share = posterior_tree::share_of_range(data.positions[chosen.feature], between, chosen.range);
      gaps.push_back({between, std::log(share) + left.log_marginal()});
    }
    auto right = problem.model.scan();
    std::size_t gap = gaps.size();
    for (std::size_t i = sorted_.size() - 1; i > 0; --i) {
      right.add(data.labels[sorted_[i].row], data.weight(sorted_[i].row));
      if (sorted_[i - 1].rank != sorted_[i].rank) gaps[--gap].log_weight += right.log_marginal();
    }
  }

  std::vector<RankedRow> sorted_;
  std::vector<std::size_t> places_;
  std::vector<double> weights_;
  std::vector<Rank> distinct_;
};

}  // namespace hedgerow::bayesian_tree
