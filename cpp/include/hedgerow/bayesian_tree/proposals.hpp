// SPDX-License-Identifier: BSD-3-Clause
// How a particle decides whether and how a node is split: three proposal kernels of Lakshminarayanan (2016),
// section 3.3. Each says what it has drawn and the logarithm of prior over proposal there; equation (3.7) needs no
// more.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "hedgerow/bayesian_tree/block.hpp"
#include "hedgerow/bayesian_tree/split_scan.hpp"
#include "hedgerow/particle/weights.hpp"

namespace hedgerow::bayesian_tree {

enum class Proposal { prior, empirical, optimal };

struct Decision {
  std::optional<Rule> rule;        ///< none: the node stops and is a leaf
  double log_prior_over_proposal;  ///< P / Q of what was drawn
};

/// Room that decisions use again and again.
struct Workspace {
  SplitScan scan;
  Sides sides;
  std::vector<std::uint32_t> features;
};

/// As the prior has it; nothing to correct. A node whose rows are equal stops, whatever was drawn.
template <label::LeafModel M>
Decision decide_by_prior(const Problem<M>& problem, const Block<M>& block, random::Stream& stream) {
  if (stream.uniform() >= problem.prior.split_probability(block.depth)) return {std::nullopt, 0.0};
  const auto chosen = posterior_tree::draw_varying_feature(problem.data, block.rows, stream);
  if (!chosen) return {std::nullopt, 0.0};
  return {draw_rule(problem.data, *chosen, stream), 0.0};
}

/// The same, but the cut falls into each gap between neighbouring values with the same probability, instead of one
/// in proportion to the gap's length.
template <label::LeafModel M>
Decision decide_empirically(const Problem<M>& problem, const Block<M>& block, Workspace& room, random::Stream& stream) {
  if (stream.uniform() >= problem.prior.split_probability(block.depth)) return {std::nullopt, 0.0};
  const auto chosen = posterior_tree::draw_varying_feature(problem.data, block.rows, stream);
  if (!chosen) return {std::nullopt, 0.0};
  const auto& ranks = room.scan.distinct_ranks(problem.data, block.rows, *chosen);
  const auto& values = problem.data.positions[chosen->feature];
  const std::uint32_t gap = random::draw_below(ranks.size() - 1, stream);
  const RankRange between{ranks[gap], ranks[gap + 1]};
  const double share = posterior_tree::share_of_range(values, between, chosen->range);
  const double location = posterior_tree::draw_between(values[between.lowest], values[between.highest], stream);
  return {Rule{chosen->feature, location}, std::log(share * static_cast<double>(ranks.size() - 1))};
}

/// Stop, or split along each of these features, weighed by the labels. The features stand for all that vary.
template <label::LeafModel M>
SplitTable split_table(const Problem<M>& problem, const Block<M>& block, std::vector<std::uint32_t> features,
                       SplitScan& scan) {
  SplitTable table;
  table.log_stop = block.log_marginal + (features.empty() ? 0.0 : problem.prior.log_stop(block.depth));
  const double log_each = problem.prior.log_split(block.depth) - std::log(static_cast<double>(features.size()));
  std::vector<double> logs{table.log_stop};
  for (const std::uint32_t d : features) {
    const double log_cuts = scan.run(problem, block, {d, posterior_tree::range_of(problem.data.column(d), block.rows)});
    logs.push_back(log_each + log_cuts);
  }
  table.log_total = particle::log_sum_exp(logs);
  table.log_splits.assign(logs.begin() + 1, logs.end());
  table.features = std::move(features);
  return table;
}

/// Draws from a table. Q is the entry over the total, so P / Q is the total over the likelihood of what was drawn.
template <label::LeafModel M>
Decision decide_from_table(const Problem<M>& problem, const Block<M>& block, const SplitTable& table, SplitScan& scan,
                           random::Stream& stream) {
  const double point = stream.uniform();
  double covered = std::exp(table.log_stop - table.log_total);
  if (point < covered || table.features.empty()) return {std::nullopt, table.log_total - block.log_marginal};
  std::size_t i = 0;
  while (i + 1 < table.features.size()) {
    covered += std::exp(table.log_splits[i] - table.log_total);
    if (point < covered) break;
    ++i;
  }
  const std::uint32_t feature = table.features[i];
  const VaryingFeature chosen{feature, posterior_tree::range_of(problem.data.column(feature), block.rows)};
  scan.run(problem, block, chosen);
  const Gap& gap = scan.draw(stream);
  const auto& values = problem.data.positions[feature];
  const double log_share = std::log(posterior_tree::share_of_range(values, gap.between, chosen.range));
  const double location = posterior_tree::draw_between(values[gap.between.lowest], values[gap.between.highest], stream);
  return {Rule{feature, location}, table.log_total - (gap.log_weight - log_share)};
}

/// The table of all features, which is remembered by the block, for all particles that share it.
template <label::LeafModel M>
const SplitTable& whole_table(const Problem<M>& problem, const Block<M>& block, Workspace& room) {
  if (!block.table) {
    auto features = posterior_tree::varying_features(problem.data, block.rows);
    block.table = std::make_unique<const SplitTable>(split_table(problem, block, std::move(features), room.scan));
  }
  return *block.table;
}

/// One-step optimal, section 3.3.1: every cut of every feature is weighed by the labels.
template <label::LeafModel M>
Decision decide_optimally(const Problem<M>& problem, const Block<M>& block, Workspace& room, random::Stream& stream) {
  return decide_from_table(problem, block, whole_table(problem, block, room), room.scan, stream);
}

/// Between prior and optimal, as section 3.5 asks: a few features are drawn like the prior draws one, and all cuts of
/// these are weighed. The mean of a table over the draw of its features is the optimal one, entry by entry, so weights
/// are right on average and the filter stays exact.
template <label::LeafModel M>
Decision decide_among_few(const Problem<M>& problem, const Block<M>& block, std::size_t n_features, Workspace& room,
                          random::Stream& stream) {
  auto& all = room.features;
  all.resize(problem.data.n_features);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < all.size() && chosen.size() < n_features; ++i) {
    std::swap(all[i], all[i + random::draw_below(all.size() - i, stream)]);
    if (posterior_tree::varies(problem.data.column(all[i]), block.rows)) chosen.push_back(all[i]);
  }
  std::ranges::sort(chosen);
  const SplitTable table = split_table(problem, block, std::move(chosen), room.scan);
  return decide_from_table(problem, block, table, room.scan, stream);
}

}  // namespace hedgerow::bayesian_tree
