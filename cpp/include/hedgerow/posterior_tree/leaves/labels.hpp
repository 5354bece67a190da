// SPDX-License-Identifier: BSD-3-Clause
// Leaves of a single tree under any leaf model (`label/leaf_model.hpp`): parameters are integrated out, so that a leaf
// is as good as how likely its labels are. That is all that is kept of them.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "hedgerow/label/leaf_model.hpp"
#include "hedgerow/posterior_tree/ranked_rows.hpp"
#include "hedgerow/posterior_tree/target.hpp"

namespace hedgerow::posterior_tree {

struct LogMarginal {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< unknown until it is asked for
  [[nodiscard]] bool is_known() const { return !std::isnan(value); }
};

template <label::LeafModel M>
struct LabelLeaves {
  using Statistic = LogMarginal;
  struct Value {};
  static constexpr bool adds_up = false;

  const M& model;
  const RankedRows& data;

  [[nodiscard]] LogMarginal statistic(std::span<const RowId> rows) const {
    auto summary = model.empty();
    for (const RowId row : rows) model.add(summary, data.labels[row], data.weight(row));
    return {model.log_marginal(summary)};
  }
  [[nodiscard]] LogMarginal rest(const LogMarginal&, const LogMarginal&, std::span<const RowId> rows) const {
    return statistic(rows);
  }
  /// A node that was a leaf before remembers it.
  [[nodiscard]] LogMarginal joined(const LogMarginal& whole, const LogMarginal&, const LogMarginal&,
                                   std::span<const RowId> rows) const {
    return whole.is_known() ? whole : statistic(rows);
  }
  [[nodiscard]] static double log_likelihood(const LogMarginal& statistic) { return statistic.value; }
};

template <label::LeafModel M>
using LabelTarget = Target<Rank, LabelLeaves<M>>;

}  // namespace hedgerow::posterior_tree
