// SPDX-License-Identifier: BSD-3-Clause
// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): at every node one random cut of each column is tried,
// and the one that leaves the smallest squares is made.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "hedgerow/greedy/row_bins.hpp"
#include "hedgerow/greedy/tree.hpp"
#include "hedgerow/parallel/may_stop.hpp"
#include "hedgerow/random/splitmix.hpp"

namespace hedgerow::greedy {

using posterior_tree::RowId;

/// The rows that a tree is grown from, in an order that changes as it grows: those of a node lie next to each other.
/// Without weights a row counts as one.
template <std::size_t n_labels, bool has_weights>
class TreeGrower {
 public:
  static constexpr std::size_t n_numbers = n_labels + (has_weights ? 1 : 0);
  using Numbers = std::array<float, n_numbers>;  ///< of a row: its labels, and its weight if there are weights

  TreeGrower(const RowBins& all, const std::vector<CutUnits>& units, std::vector<RowId> rows,
             std::vector<Numbers> numbers, std::size_t min_leaf, random::SplitMix random)
      : width_(static_cast<std::uint32_t>(all.width)),
        stride_(all.stride),
        units_(units),
        rows_(std::move(rows)),
        numbers_(std::move(numbers)),
        bins_(rows_.size() * stride_),
        min_leaf_(min_leaf),
        random_(random) {
    // Columns that explain the same are as likely: which is met first decides, so their order is random.
    for (std::uint32_t d = 0; d < width_; ++d) {
      columns_.push_back(d);
      std::swap(columns_[d], columns_[random_.below(d + 1)]);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Bin* const from = all[rows_[i]];
      Bin* const to = row(i);
      for (std::size_t d = 0; d < width_; ++d) to[d] = from[columns_[d]];
    }
  }

  struct Grown {
    std::vector<Node> nodes;
    std::vector<RowId> rows;     ///< in the order in which they lie in leaves
    std::vector<NodeId> leaves;  ///< of each of these
  };

  /// `gains[feature]` grows by what its cuts take off the squares.
  [[nodiscard]] Grown grow(std::vector<double>& gains) && {
    Grown grown{{{0, 0}}, {}, std::vector<NodeId>(rows_.size())};
    std::vector<Node>& nodes = grown.nodes;
    std::vector<Block> open{{0, 0, rows_.size()}};
    std::uint32_t n_leaves = 0;
    while (!open.empty()) {
      const Block block = open.back();
      open.pop_back();
      if (block.size() >= many_rows) parallel::may_stop();
      const Cut best = search(block);
      if (best.gain < 0.0) {
        nodes[block.node] = {block.node, n_leaves++};
        for (std::size_t i = block.first; i < block.last; ++i) grown.leaves[i] = block.node;
        continue;
      }
      const std::uint32_t feature = columns_[best.column];
      gains[feature] += best.gain;
      const auto child = static_cast<NodeId>(nodes.size());
      nodes[block.node] = {child, feature << 8 | best.cut};
      nodes.resize(nodes.size() + 2);
      const std::size_t middle = part(block, best);
      open.push_back({child + 1, middle, block.last});
      open.push_back({child, block.first, middle});
    }
    grown.rows = std::move(rows_);
    return grown;
  }

 private:
  struct Block {
    NodeId node;
    std::size_t first, last;

    [[nodiscard]] std::size_t size() const { return last - first; }
  };
  struct Cut {
    std::uint32_t column = 0;
    Bin cut = 0;
    double gain = -1.0;
  };
  using Bins = std::array<Bin, chunk>;
  using Labels = std::array<double, n_labels>;

  /// The labels of a node: how much they weigh, their mean, and their squares about it, added up.
  struct Moments {
    double weight = 0.0;
    Labels mean{};
    double squares = 0.0;
  };
  /// Of each column of a chunk, over the rows that a cut leaves on the left: the weight, and labels about the node's
  /// mean, added up.
  struct LeftSums {
    std::array<std::uint32_t, chunk> n_rows{};
    std::array<double, chunk> weight{};
    std::array<std::array<double, chunk>, n_labels> labels{};
  };

  [[nodiscard]] Bin* row(std::size_t i) { return bins_.data() + i * stride_; }
  [[nodiscard]] const Bin* row(std::size_t i) const { return bins_.data() + i * stride_; }
  [[nodiscard]] float weight(std::size_t i) const {
    if constexpr (has_weights) return numbers_[i][n_labels];
    return 1.0F;
  }

  [[nodiscard]] Moments moments(const Block& block) const {
    Moments found;
    const Numbers& one = numbers_[block.first];  // about its labels, sums of labels that are all the same are zero
    for (std::size_t i = block.first; i < block.last; ++i) {
      const auto own = static_cast<double>(weight(i));
      found.weight += own;
      for (std::size_t k = 0; k < n_labels; ++k) {
        found.mean[k] += own * (static_cast<double>(numbers_[i][k]) - static_cast<double>(one[k]));
      }
    }
    for (std::size_t k = 0; k < n_labels; ++k) {
      found.mean[k] = static_cast<double>(one[k]) + found.mean[k] / found.weight;
    }
    for (std::size_t i = block.first; i < block.last; ++i) {
      for (std::size_t k = 0; k < n_labels; ++k) {
        const double gap = static_cast<double>(numbers_[i][k]) - found.mean[k];
        found.squares += static_cast<double>(weight(i)) * gap * gap;
      }
    }
    return found;
  }

  [[nodiscard]] Cut search(const Block& block) {
    if (block.size() < std::max<std::size_t>(2, 2 * min_leaf_)) return {};
    const Moments all = moments(block);
    if (!(all.squares > 0.0)) return {};
    const std::uint32_t start = random_.below(width_);  // nodes of a tree begin with different columns
    if (block.size() == 2) return cut_two(block, start, all.squares);
    Cut best;
    const std::size_t n_chunks = stride_ / chunk, first_chunk = start / chunk;
    for (std::size_t k = 0; k < n_chunks; ++k) {
      const std::size_t which = first_chunk + k < n_chunks ? first_chunk + k : first_chunk + k - n_chunks;
      try_chunk(block, which * chunk, start, all, best);
      if (best.gain >= (1.0 - rounding) * all.squares) break;  // more than all cannot be explained
    }
    return best;
  }

  /// Any column in which two rows differ tells them apart.
  [[nodiscard]] Cut cut_two(const Block& block, std::uint32_t start, double gain) {
    const Bin *const one = row(block.first), *const other = row(block.first + 1);
    for (std::uint32_t k = 0; k < width_; ++k) {
      const std::uint32_t d = start + k < width_ ? start + k : start + k - width_;
      if (one[d] == other[d]) continue;
      const auto [lowest, highest] = std::minmax(one[d], other[d]);
      return {d, units_[columns_[d]].draw(lowest, highest, random_.uniform()), gain};
    }
    return {};
  }

  /// Draws a cut of each column of a chunk, and keeps the best. With S the labels on the left about the mean of all,
  /// added up, a cut takes S^2 / left + S^2 / right off the squares, left and right the weights.
  void try_chunk(const Block& block, std::size_t first_column, std::uint32_t start, const Moments& all, Cut& best) {
    Bins lowest, highest, cuts{};
    find_range(row(block.first) + first_column, stride_, block.size(), lowest.data(), highest.data());
    const std::size_t n_columns = std::min(chunk, width_ - first_column);
    for (std::size_t c = 0; c < n_columns; ++c) {
      if (lowest[c] == highest[c]) continue;
      cuts[c] = units_[columns_[first_column + c]].draw(lowest[c], highest[c], random_.uniform());
    }
    const LeftSums left = sums_up_to(block, first_column, cuts, all.mean);
    for (std::size_t k = 0; k < n_columns; ++k) {
      const std::size_t c = (k + start) % n_columns;
      if (lowest[c] == highest[c]) continue;
      if (std::min<std::size_t>(left.n_rows[c], block.size() - left.n_rows[c]) < min_leaf_) continue;
      const double on_left = left.weight[c], on_right = all.weight - on_left;
      if (!(on_left > 0.0 && on_right > 0.0)) continue;  // lost by rounding
      double squares = 0.0;
      for (std::size_t j = 0; j < n_labels; ++j) squares += left.labels[j][c] * left.labels[j][c];
      // A cut that explains nothing is made all the same, if there is no other: one of the next may explain much.
      const double gain = squares / on_left + squares / on_right;
      if (gain > best.gain) best = {static_cast<std::uint32_t>(first_column + c), cuts[c], gain};
    }
  }

  [[nodiscard]] LeftSums sums_up_to(const Block& block, std::size_t first_column, const Bins& cuts,
                                    const Labels& mean) const {
    LeftSums left;
    std::array<float, batch> numbers;
    std::array<float, chunk> sums;
    for (std::size_t first = block.first; first < block.last; first += batch) {
      const std::size_t n = std::min(batch, block.last - first);
      const Bin* const bins = row(first) + first_column;
      count_up_to(bins, stride_, n, cuts.data(), left.n_rows.data());
      for (std::size_t k = 0; k < n_numbers; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          const float own = numbers_[first + i][k];
          numbers[i] = k < n_labels ? weight(first + i) * (own - static_cast<float>(mean[k])) : own;
        }
        add_up_to(bins, stride_, n, cuts.data(), numbers.data(), sums.data());
        auto& total = k < n_labels ? left.labels[k] : left.weight;
        for (std::size_t c = 0; c < chunk; ++c) total[c] += static_cast<double>(sums[c]);
      }
    }
    if constexpr (!has_weights) {
      for (std::size_t c = 0; c < chunk; ++c) left.weight[c] = left.n_rows[c];
    }
    return left;
  }

  /// Moves rows that go left before those that go right, and returns where these begin.
  std::size_t part(const Block& block, const Cut& cut) {
    std::size_t first = block.first, last = block.last;
    while (true) {
      while (first < last && row(first)[cut.column] <= cut.cut) ++first;
      while (first < last && row(last - 1)[cut.column] > cut.cut) --last;
      if (first >= last) return first;
      --last;
      std::swap(rows_[first], rows_[last]);
      std::swap(numbers_[first], numbers_[last]);
      std::swap_ranges(row(first), row(first) + stride_, row(last));
      ++first;
    }
  }

  static constexpr std::size_t many_rows = 1000;
  static constexpr double rounding = 1e-5;

  std::uint32_t width_;
  std::size_t stride_;
  const std::vector<CutUnits>& units_;
  std::vector<RowId> rows_;
  std::vector<Numbers> numbers_;
  std::vector<Bin> bins_;  ///< row by row
  std::size_t min_leaf_;
  random::SplitMix random_;
  std::vector<std::uint32_t> columns_;  ///< the feature of each column of `bins_`
};

}  // namespace hedgerow::greedy
