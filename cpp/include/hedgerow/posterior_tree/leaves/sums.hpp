// SPDX-License-Identifier: BSD-3-Clause
// Leaves whose labels matter only through their total weight and weighted sum: those of sums of trees (BART), where a
// leaf has a value, normal or the logarithm of a variance. Statistics add up, so that what a move takes from one leaf
// it gives to another.
#pragma once

#include <span>

#include "hedgerow/posterior_tree/binned_rows.hpp"
#include "hedgerow/posterior_tree/leaves/units.hpp"
#include "hedgerow/posterior_tree/target.hpp"

namespace hedgerow::posterior_tree {

struct LeafSum {
  Fixed weight = 0;
  Fixed sum = 0;

  LeafSum& operator+=(const LeafSum& other) {
    weight += other.weight;
    sum += other.sum;
    return *this;
  }
  LeafSum& operator-=(const LeafSum& other) {
    weight -= other.weight;
    sum -= other.sum;
    return *this;
  }
};

/// How likely the labels of a leaf are with its value integrated out, as a logarithm, up to a factor that all trees
/// share; and a value from its posterior, in units. Moves of trees need nothing else.
class Evidence {
 public:
  [[nodiscard]] virtual double operator()(const LeafSum& statistic) const = 0;
  [[nodiscard]] virtual Fixed draw_value(const LeafSum& statistic, random::Stream& stream) const = 0;

 protected:
  Evidence() = default;
  Evidence(const Evidence&) = default;
  Evidence& operator=(const Evidence&) = default;
  ~Evidence() = default;
};

struct SumLeaves {
  using Statistic = LeafSum;
  using Value = Fixed;
  static constexpr bool adds_up = true;

  std::span<const Fixed> labels;     ///< residuals that all other trees leave
  std::span<const Fixed> residuals;  ///< the same times the row's weight
  std::span<const Fixed> weights;    ///< empty if all are one
  const Evidence& evidence;

  [[nodiscard]] Fixed weight(RowId row) const { return weights.empty() ? 1 : weights[row]; }

  [[nodiscard]] LeafSum statistic(std::span<const RowId> rows) const {
    LeafSum found;
    for (const RowId row : rows) found.sum += residuals[row];
    if (weights.empty()) {
      found.weight = static_cast<Fixed>(rows.size());
    } else {
      for (const RowId row : rows) found.weight += weights[row];
    }
    return found;
  }
  [[nodiscard]] static LeafSum rest(LeafSum whole, const LeafSum& part, std::span<const RowId>) {
    return whole -= part;
  }
  [[nodiscard]] static LeafSum joined(const LeafSum&, LeafSum left, const LeafSum& right, std::span<const RowId>) {
    return left += right;
  }
  [[nodiscard]] double log_likelihood(const LeafSum& statistic) const { return evidence(statistic); }
};

using SumTarget = Target<Bin, SumLeaves>;

}  // namespace hedgerow::posterior_tree
