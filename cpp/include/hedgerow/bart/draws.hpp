// SPDX-License-Identifier: BSD-3-Clause
// The states of a chain that are kept, as compact as they can be read, and what they predict.
#pragma once

#include <algorithm>
#include <vector>

#include "hedgerow/bart/chain.hpp"
#include "hedgerow/bart/tree_code.hpp"

namespace hedgerow::bart {

/// Trees, draw after draw, sum after sum, tree after tree.
struct TreesOfDraws {
  TreeCode<float> code;
  std::vector<std::uint64_t> first_node{0};  ///< of each draw, and where the last one ends

  [[nodiscard]] std::size_t size() const { return first_node.size() - 1; }
  [[nodiscard]] std::size_t n_bytes() const {
    return code.shape.size() + 4 * code.rules.size() + 4 * code.values.size() + 8 * first_node.size();
  }

  /// Only the first draws stay, and whatever came after them goes, whole or not.
  struct Mark {
    std::uint64_t n_nodes;
    std::size_t n_rules, n_draws;
  };
  [[nodiscard]] Mark mark() const { return {code.n_nodes, code.rules.size(), size()}; }
  void cut(const Mark& mark) noexcept {
    code.cut(mark.n_nodes, mark.n_rules);
    first_node.resize(mark.n_draws + 1);
  }

  /// How many rules come before a draw. A tree has one leaf more than rules, so where it begins says it.
  [[nodiscard]] std::uint64_t n_rules_before(std::size_t draw, std::size_t trees_a_draw) const {
    return (first_node[draw] - draw * trees_a_draw) / 2;
  }
  [[nodiscard]] CodeReader<float> reader(std::size_t draw, std::size_t trees_a_draw) const {
    const std::uint64_t rules = n_rules_before(draw, trees_a_draw);
    return {code, first_node[draw], rules, first_node[draw] - rules};
  }
};

struct Draws : TreesOfDraws {
  TreesOfDraws noise;  ///< if it varies: the logarithm of a row's variance is the sum of these
  std::vector<TracePoint> trace;

  [[nodiscard]] std::size_t n_bytes() const {
    const std::size_t of_noise = noise.size() > 0 ? noise.n_bytes() : 0;
    return TreesOfDraws::n_bytes() + of_noise + sizeof(TracePoint) * trace.size();
  }

  void cut(const Mark& mark, const Mark& of_noise) noexcept {
    TreesOfDraws::cut(mark);
    noise.cut(of_noise);
    trace.resize(mark.n_draws);
  }

  void add(const Chain& chain, double unit) {
    for (const SumOfTrees& sum : chain.sums()) {
      for (const Tree& tree : sum.trees()) {
        code.append(tree, [&](const Node& leaf) { return static_cast<float>(static_cast<double>(leaf.value) * unit); });
      }
    }
    first_node.push_back(code.n_nodes);
    if (chain.noise_trees()) add_noise(chain);
    trace.push_back(chain.trace_point());
  }

 private:
  /// The variance that all rows share is said by the first tree, on top of what it says.
  void add_noise(const Chain& chain) {
    double shared = std::log(chain.noise_variance());
    for (const Tree& tree : chain.noise_trees()->trees()) {
      noise.code.append(tree, [&](const Node& leaf) {
        return static_cast<float>(shared + static_cast<double>(leaf.value) * NoiseTrees::unit);
      });
      shared = 0.0;
    }
    noise.first_node.push_back(noise.code.n_nodes);
  }
};

/// Four numbers a point.
inline void append(const std::vector<TracePoint>& trace, std::vector<double>& numbers) {
  for (const TracePoint& point : trace) {
    numbers.insert(numbers.end(), {point.noise, point.log_likelihood, point.n_leaves, point.n_roots_changed});
  }
}

/// Bins of some points, column by column.
struct BinnedBlock {
  static constexpr std::size_t most = 256;
  std::size_t n = 0;
  std::vector<Bin> bins;

  BinnedBlock(const BinnedRows& data, Points points, std::size_t first)
      : n(std::min(most, points.n - first)), bins(data.n_features * most) {
    for (std::size_t i = 0; i < n; ++i) {
      const double* point = points.values + (first + i) * points.width;
      for (std::size_t d = 0; d < points.width; ++d) bins[d * most + i] = data.bin_of(d, point[d]);
    }
  }
  [[nodiscard]] const Bin* column(std::uint32_t feature) const { return bins.data() + feature * most; }
};

/// What a tree says of all points of a block: each rule chooses, for every point, between what its two sides say.
/// For the small trees of a sum that is quicker than sending the points down one by one.
class BlockReader {
 public:
  explicit BlockReader(const BinnedBlock& block) : block_(block) {}

  /// Adds the next tree's values.
  void add_tree(CodeReader<float>& reader, double* totals) {
    const Said said = read(reader, 0);
    for (std::size_t i = 0; i < block_.n; ++i)
      totals[i] += static_cast<double>(said.list == nullptr ? said.one : said.list[i]);
  }

 private:
  /// One value for all points, or a list.
  struct Said {
    float one;
    const float* list;
  };

  Said read(CodeReader<float>& reader, std::size_t depth) {
    if (!reader.next_is_inner()) return {reader.next_value(), nullptr};
    const Rule rule = reader.next_rule();
    if (lists_.size() < depth + 2) lists_.resize(depth + 2, std::vector<float>(BinnedBlock::most));
    const Said left = read(reader, depth + 1);
    // The left side's list, if it has one, is the one of depth + 1, which the right side would use too.
    if (left.list != nullptr) lists_[depth].swap(lists_[depth + 1]);
    const Said right = read(reader, depth + 1);
    const Bin* column = block_.column(rule.feature);
    float* out = lists_[depth].data();
    if (left.list == nullptr) std::fill_n(out, block_.n, left.one);
    if (right.list == nullptr) {
      for (std::size_t i = 0; i < block_.n; ++i) out[i] = column[i] <= rule.cut ? out[i] : right.one;
    } else {
      const float* other = lists_[depth + 1].data();
      for (std::size_t i = 0; i < block_.n; ++i) out[i] = column[i] <= rule.cut ? out[i] : other[i];
    }
    return {0.0F, out};
  }

  const BinnedBlock& block_;
  std::vector<std::vector<float>> lists_;
};

/// What each draw of a chain says of each point: draws by sums by points.
inline void predict(const TreesOfDraws& draws, const BinnedRows& data, std::size_t n_sums, std::size_t n_trees,
                    Points points, std::size_t n_threads, double* out) {
  const std::size_t n_blocks = (points.n + BinnedBlock::most - 1) / BinnedBlock::most;
  parallel::for_each_index(n_blocks, n_threads, [&](std::size_t b, std::size_t) {
    const std::size_t first = b * BinnedBlock::most;
    const BinnedBlock block(data, points, first);
    BlockReader block_reader(block);
    for (std::size_t draw = 0; draw < draws.size(); ++draw) {
      CodeReader<float> reader = draws.reader(draw, n_sums * n_trees);
      for (std::size_t k = 0; k < n_sums; ++k) {
        double* totals = out + (draw * n_sums + k) * points.n + first;
        std::fill_n(totals, block.n, 0.0);
        for (std::size_t m = 0; m < n_trees; ++m) block_reader.add_tree(reader, totals);
      }
    }
  });
}

}  // namespace hedgerow::bart
