// SPDX-License-Identifier: BSD-3-Clause
// How much labels change along each column. The cuts of a Mondrian tree do not look at labels, so the squared
// difference of the mean labels on the two sides of a cut, less what noise alone would give it, is an unbiased measure
// of that change; added up over the cuts of a column and divided by the squared distances crossed, it is a squared
// slope.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/label/running_moments.hpp"
#include "hedgerow/label/stable_hierarchy.hpp"
#include "hedgerow/label/vector_hierarchy.hpp"
#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/leave_one_out/tree_passes.hpp"

namespace hedgerow::mondrian {

/// Per column, added up over the cuts of all trees.
struct Contrasts {
  std::vector<double> gains;      ///< sum of n_l n_r / n (ybar_l - ybar_r)^2 - s^2
  std::vector<double> distances;  ///< sum of n_l n_r / n (distance of the centres of the two boxes)^2
};

/// Weight, mean and spread of real labels.
struct RealSpread {
  label::LabelMoments moments;

  template <class M>
  void add(const M&, double label, double weight) {
    moments.add(label, weight);
  }
  static RealSpread joined(const RealSpread& left, const RealSpread& right) {
    return {label::RunningMoments{}.merge(left.moments, 0.0, right.moments, 0.0, 0.0)};
  }
  [[nodiscard]] double weight() const { return moments.weight; }
  [[nodiscard]] double squares() const { return moments.squares; }  ///< about the mean
};

/// The same for classes, each an indicator of its own: squares are added over the classes.
struct ClassSpread {
  label::ClassTally counts;
  double total = 0.0;

  void add(const label::StableHierarchy&, double label, double weight) {
    counts.add(static_cast<label::ClassId>(label), weight, 1);
    total += weight;
  }
  static ClassSpread joined(const ClassSpread& left, const ClassSpread& right) {
    ClassSpread both = left;
    for (const auto& entry : right.counts.entries()) both.counts.add(entry.label, entry.weight, entry.count);
    both.total += right.total;
    return both;
  }
  [[nodiscard]] double weight() const { return total; }
  [[nodiscard]] double squares() const {
    double within = 0.0;
    for (const auto& entry : counts.entries()) within += entry.weight * entry.weight;
    return std::max(total - within / total, 0.0);
  }
};

/// The same for vectors: squares are added over the components.
struct VectorSpread {
  std::vector<double> mean;
  double total = 0.0;
  double about_mean = 0.0;

  void add(const label::VectorHierarchy& model, double label, double weight) {
    mean.resize(model.length(), 0.0);
    const float* vector = (*model.vectors)[static_cast<std::size_t>(label)];
    total += weight;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const double before = static_cast<double>(vector[k]) - mean[k];
      mean[k] += weight / total * before;
      about_mean += weight * before * (static_cast<double>(vector[k]) - mean[k]);
    }
  }
  static VectorSpread joined(const VectorSpread& left, const VectorSpread& right) {
    VectorSpread both{left.mean, left.total + right.total, left.about_mean + right.about_mean};
    const double share = right.total / both.total;
    for (std::size_t k = 0; k < both.mean.size(); ++k) {
      const double gap = right.mean[k] - left.mean[k];
      both.mean[k] += share * gap;
      both.about_mean += gap * gap * left.total * share;
    }
    return both;
  }
  [[nodiscard]] double weight() const { return total; }
  [[nodiscard]] double squares() const { return about_mean; }
};

/// Blocks of `fewest` rows or more are asked, copies (rows of one group; see `Groups`) counted once: what noise alone
/// would give a cut is told by rows that differ, whatever they weigh.
template <class Spread, label::LabelModel M>
Contrasts contrasts(const Forest<M>& forest, double fewest, Groups groups) {
  const std::size_t width = forest.rows.width();
  Contrasts found{std::vector<double>(width, 0.0), std::vector<double>(width, 0.0)};
  std::vector<Spread> spreads;
  std::vector<double> counts;
  std::vector<std::uint32_t> met;
  BoxRooms rooms;
  for (const auto& tree : forest.trees) {
    if (tree.shape.is_empty()) continue;
    spreads.assign(tree.shape.nodes.size(), {});
    counts.assign(spreads.size(), 0.0);
    tree.bottom_up(
        [&](NodeId leaf) {
          met.clear();
          for_each_row_of(tree.shape, leaf, forest.rows, [&](RowId row) {
            spreads[leaf].add(forest.model, forest.rows.labels[row], forest.rows.weight(row));
            met.push_back(groups.empty() ? row : groups[row]);
          });
          std::sort(met.begin(), met.end());
          counts[leaf] = static_cast<double>(std::unique(met.begin(), met.end()) - met.begin());
        },
        [&](NodeId id) {
          const Node& node = tree.node(id);
          const Spread& left = spreads[node.left()];
          const Spread& right = spreads[node.right()];
          spreads[id] = Spread::joined(left, right);
          counts[id] = counts[node.left()] + counts[node.right()];
          if (counts[id] < fewest) return;
          const double within = left.squares() + right.squares();
          const Box low = tree.box(node.left(), forest.rows, rooms.left);
          const Box high = tree.box(node.right(), forest.rows, rooms.right);
          const auto centre = [d = node.feature](const Box& box) {
            return 0.5 * (static_cast<double>(box.lower[d]) + static_cast<double>(box.upper[d]));
          };
          const double apart = centre(high) - centre(low);
          found.gains[node.feature] += (spreads[id].squares() - within) - within / (counts[id] - 2.0);
          found.distances[node.feature] += left.weight() * right.weight() / spreads[id].weight() * apart * apart;
        });
  }
  return found;
}

}  // namespace hedgerow::mondrian
