// SPDX-License-Identifier: BSD-3-Clause
// Cross-validation by unlearning: each row as predicted by the forest without all rows of its block. Unlearning is
// exact, so what is asked are Mondrian trees that have never seen the block, and no tree is grown. The forest itself
// stays as it is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/query/class_rule.hpp"
#include "hedgerow/mondrian/query/vote.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::mondrian {

/// What the forest says of the rows of one block after it has unlearned them.
struct BlockVotes {
  /// Summed over the trees in their order.
  struct Sums {
    std::vector<double> votes;         ///< [i * n_classes + c]
    std::vector<double> left_to_base;  ///< [i]
  };
  std::vector<RowId> rows;
  label::ClassQuery query;  ///< at the rows left
  std::vector<Sums> sums;   ///< for each leaf discount asked about
};

/// While it lives, rows are marked as repeated as if those of a block had left; see `Places::leave`.
class BlockLeaves {
 public:
  template <class IsIn>
  BlockLeaves(ClassForest& forest, std::span<const RowId> block, IsIn&& is_in)
      : seen(forest.labels_seen), places(forest.places.by_class()), rows_(forest.rows), before_(rows_.repeated) {
    for (const RowId row : block) {
      forest.model.unsee(seen, rows_.labels[row], rows_.weight(row));
      if (rows_.is_repeated(row)) continue;
      const RowId follower = forest.places.first_follower(row, [&](RowId other) { return !is_in(other); });
      if (follower == none) {
        --places[static_cast<std::size_t>(rows_.labels[row])];
      } else {
        rows_.mark_repeated(row, true);
        rows_.mark_repeated(follower, false);
      }
    }
  }
  BlockLeaves(const BlockLeaves&) = delete;
  BlockLeaves& operator=(const BlockLeaves&) = delete;
  ~BlockLeaves() { rows_.repeated.swap(before_); }

  std::vector<double> seen;         ///< weight of each class among the rows left
  std::vector<std::size_t> places;  ///< and how many places they take

 private:
  Rows& rows_;
  std::vector<std::uint8_t> before_;
};

/// Blocks are numbered from 0, by row number; rows of no block (`none`) are never left out. The rule's own leaf
/// discount does not matter: votes are counted with each of those given.
inline std::vector<BlockVotes> vote_without_blocks(ClassForest& forest, const ClassQueryRule& rule,
                                                   std::span<const double> leaf_discounts,
                                                   std::span<const std::uint32_t> blocks, std::uint32_t n_blocks,
                                                   std::size_t n_threads) {
  const Rows& rows = forest.rows;
  if (blocks.size() != rows.capacity()) throw std::invalid_argument("every row needs a block, or none");
  const std::size_t n_classes = rule.n_classes, width = rows.width(), n_trees = forest.trees.size();
  if (n_classes < forest.labels_seen.size()) throw std::invalid_argument("the forest knows more classes");
  std::vector<BlockVotes> found(n_blocks);
  rows.for_each([&](RowId row) {
    if (blocks[row] == none) return;
    if (blocks[row] >= n_blocks) throw std::invalid_argument("there are fewer blocks");
    found[blocks[row]].rows.push_back(row);
  });
  struct Worker {
    MondrianTree<label::StableHierarchy> tree;
    Forgetter<label::StableHierarchy> forgetter;
    Voter voter;
    std::vector<BlockVotes::Sums> sums;
  };
  std::vector<Worker> workers(std::max<std::size_t>(1, n_threads));
  std::vector<float> points;
  for (std::uint32_t block = 0; block < n_blocks; ++block) {
    BlockVotes& said = found[block];
    const std::size_t n = said.rows.size();
    if (n == 0) continue;
    const auto is_in_block = [&](RowId row) { return blocks[row] == block; };
    const BlockLeaves left(forest, said.rows, is_in_block);
    said.query = rule.at(left.seen, left.places, n_classes);
    said.sums.assign(leaf_discounts.size(), {std::vector<double>(n * n_classes), std::vector<double>(n)});
    points.clear();
    for (const RowId row : said.rows) points.insert(points.end(), rows.row(row), rows.row(row) + width);
    for (std::size_t begin = 0; begin < n_trees; begin += workers.size()) {
      const std::size_t count = std::min(workers.size(), n_trees - begin);
      parallel::for_each_index(count, n_threads, [&](std::size_t index, std::size_t) {
        auto& [tree, forgetter, voter, sums] = workers[index];
        sums.assign(leaf_discounts.size(), {std::vector<double>(n * n_classes), std::vector<double>(n, 1.0)});
        parallel::may_stop();
        tree = forest.trees[begin + index];
        forgetter.forget_all(tree, said.rows, is_in_block, rows, forest.growth, forest.model);
        if (tree.shape.is_empty()) return;
        label::ClassQuery query = said.query;
        const Asking<label::StableHierarchy> asking{tree, rows, forest.growth, forest.model, query};
        voter.go_down(asking, points.data(), n);
        for (std::size_t d = 0; d < leaf_discounts.size(); ++d) {
          query.leaf_discount = leaf_discounts[d];
          auto& [votes, left_to_base] = sums[d];
          voter.vote(
              asking, [&](std::size_t i, label::ClassId c, double vote) { votes[i * n_classes + c] += vote; },
              [&](std::size_t i, double vote) { left_to_base[i] = vote; });
        }
      });
      for (std::size_t index = 0; index < count; ++index) {  // sums in the order of the trees
        for (std::size_t d = 0; d < leaf_discounts.size(); ++d) {
          const auto& [votes, left_to_base] = workers[index].sums[d];
          for (std::size_t k = 0; k < n * n_classes; ++k) said.sums[d].votes[k] += votes[k];
          for (std::size_t i = 0; i < n; ++i) said.sums[d].left_to_base[i] += left_to_base[i];
        }
      }
    }
  }
  return found;
}

/// Probabilities of each row, by row number, as the forest without its block would give them; zeros for rows of no
/// block. probabilities[row * n_classes + c].
inline std::vector<double> leave_blocks_out(ClassForest& forest, const ClassQueryRule& rule,
                                            std::span<const std::uint32_t> blocks, std::uint32_t n_blocks,
                                            std::size_t n_threads) {
  const std::size_t n_classes = rule.n_classes;
  std::vector<double> probabilities(forest.rows.capacity() * n_classes, 0.0);
  const std::array<double, 1> own{rule.leaf_discount};
  for (BlockVotes& said : vote_without_blocks(forest, rule, own, blocks, n_blocks, n_threads)) {
    if (said.rows.empty()) continue;
    auto& [all_votes, left_to_base] = said.sums[0];
    for (std::size_t i = 0; i < said.rows.size(); ++i) {
      double* const votes = all_votes.data() + i * n_classes;
      add_base(said.query, left_to_base[i], votes);
      std::copy_n(votes, n_classes, probabilities.data() + said.rows[i] * n_classes);
    }
  }
  return probabilities;
}

/// The search for the leaf discount and the power of calibration: rows are predicted without their blocks once, and
/// asked for their log loss under one pair after another. Votes are linear in the leaf discount, so they are counted at
/// 0 and at 1 only. Classes count as if their places weighed the same, so that class weights do not change what is
/// learned; nor do classes that have never come, though they may be known.
class CalibrationProblem {
 public:
  CalibrationProblem(ClassForest& forest, ClassQueryRule rule, std::span<const std::uint32_t> blocks,
                     std::uint32_t n_blocks, std::size_t n_threads) {
    rule.power = 0.5;  // so that queries know what any power needs
    rule.n_classes = forest.labels_seen.size();
    blocks_ = vote_without_blocks(forest, rule, ends, blocks, n_blocks, n_threads);
    const label::ClassQuery whole = rule.at(forest);
    for (BlockVotes& said : blocks_) {
      for (auto& [votes, left_to_base] : said.sums) {
        for (std::size_t k = 0; k < votes.size(); ++k) votes[k] /= said.query.scale(k % rule.n_classes);
      }
      said.query.scales.clear();
      if (!said.query.plain_base.empty()) said.query.base = std::exchange(said.query.plain_base, {});
      for (const RowId row : said.rows) {
        const auto label = static_cast<std::size_t>(forest.rows.labels[row]);
        rows_.push_back({label, forest.rows.weight(row) / whole.scale(label)});
      }
    }
  }

  /// Weighted mean over the rows.
  [[nodiscard]] double log_loss(double power, double leaf_discount) {
    double losses = 0.0, weights = 0.0;
    auto row = rows_.begin();
    for (BlockVotes& said : blocks_) {
      const std::size_t n_classes = said.query.base.size();
      said.query.power = power;
      for (std::size_t i = 0; i < said.rows.size(); ++i, ++row) {
        const auto between = [&](auto part, std::size_t k) {
          return std::lerp((said.sums[0].*part)[k], (said.sums[1].*part)[k], leaf_discount);
        };
        probabilities_.resize(n_classes);
        for (std::size_t c = 0; c < n_classes; ++c) {
          probabilities_[c] = between(&BlockVotes::Sums::votes, i * n_classes + c);
        }
        add_base(said.query, between(&BlockVotes::Sums::left_to_base, i), probabilities_.data());
        losses -= row->weight * std::log(std::max(probabilities_[row->label], std::numeric_limits<double>::min()));
        weights += row->weight;
      }
    }
    return losses / weights;
  }

 private:
  static constexpr std::array ends{0.0, 1.0};
  struct Row {
    std::size_t label;
    double weight;
  };
  std::vector<BlockVotes> blocks_;
  std::vector<Row> rows_;  ///< of all blocks
  std::vector<double> probabilities_;
};

}  // namespace hedgerow::mondrian
