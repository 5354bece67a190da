// SPDX-License-Identifier: BSD-3-Clause
// Split rules, and how the prior draws them: a feature uniformly from those that vary among the rows of the node, a
// location uniformly from their range (document 004, section 3.2.3).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hedgerow/bayesian_tree/ranked_rows.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::bayesian_tree {

/// Rows with x[feature] <= location go left.
struct Rule {
  std::uint32_t feature;
  double location;
};

/// Lowest and highest rank of a feature among some rows.
struct RankRange {
  Rank lowest, highest;
  [[nodiscard]] bool varies() const { return lowest < highest; }
};

/// A feature that varies, and its range.
struct VaryingFeature {
  std::uint32_t feature;
  RankRange range;
};

inline RankRange range_of(const Rank* column, std::span<const RowId> rows) {
  Rank lowest = column[rows[0]], highest = lowest;
  for (const RowId row : rows) {
    lowest = std::min(lowest, column[row]);
    highest = std::max(highest, column[row]);
  }
  return {lowest, highest};
}

inline bool varies(const Rank* column, std::span<const RowId> rows) {
  const Rank first = column[rows[0]];
  for (const RowId row : rows) {
    if (column[row] != first) return true;
  }
  return false;
}

/// Could some rule divide these rows? Row by row, because the second one usually says yes at once.
inline bool is_splittable(const RankedRows& data, std::span<const RowId> rows) {
  for (const RowId row : rows.subspan(1)) {
    for (std::uint32_t d = 0; d < data.n_features; ++d) {
      if (data.column(d)[row] != data.column(d)[rows[0]]) return true;
    }
  }
  return false;
}

/// V_j, in order.
inline std::vector<std::uint32_t> varying_features(const RankedRows& data, std::span<const RowId> rows) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t d = 0; d < data.n_features; ++d) {
    if (varies(data.column(d), rows)) found.push_back(d);
  }
  return found;
}

/// A feature of V_j, each as likely; none if all rows are equal. Features are drawn until one varies, which is cheap
/// where most do; after a few tries all are looked at.
inline std::optional<VaryingFeature> draw_varying_feature(const RankedRows& data, std::span<const RowId> rows,
                                                          random::Stream& stream) {
  constexpr int most_tries = 8;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    const std::uint32_t feature = random::draw_below(data.n_features, stream);
    const RankRange range = range_of(data.column(feature), rows);
    if (range.varies()) return VaryingFeature{feature, range};
  }
  const auto varying = varying_features(data, rows);
  if (varying.empty()) return std::nullopt;
  const std::uint32_t feature = varying[random::draw_below(varying.size(), stream)];
  return VaryingFeature{feature, range_of(data.column(feature), rows)};
}

/// Uniform between two values of which the lower goes left and the upper right, whatever rounding does.
inline double draw_between(double lower, double upper, random::Stream& stream) {
  const double share = stream.uniform();
  const double drawn = lower * (1.0 - share) + upper * share;  // unlike a difference, it cannot overflow
  if (drawn >= upper) return std::nextafter(upper, lower);
  return drawn < lower ? lower : drawn;
}

/// Length of an interval, halved in case it is too long for a double.
inline double half_length(double lower, double upper) { return 0.5 * upper - 0.5 * lower; }

inline double log_length(double lower, double upper) {
  const double length = upper - lower;
  return std::isfinite(length) ? std::log(length) : std::log(half_length(lower, upper)) + std::log(2.0);
}

/// What part of a feature's range lies between two ranks: the prior probability of a cut there.
inline double share_of_range(const std::vector<double>& values, RankRange part, RankRange whole) {
  const double length = values[whole.highest] - values[whole.lowest];
  if (std::isfinite(length)) return (values[part.highest] - values[part.lowest]) / length;
  return half_length(values[part.lowest], values[part.highest]) /
         half_length(values[whole.lowest], values[whole.highest]);
}

inline Rule draw_rule(const RankedRows& data, const VaryingFeature& chosen, random::Stream& stream) {
  const auto& values = data.values[chosen.feature];
  return {chosen.feature, draw_between(values[chosen.range.lowest], values[chosen.range.highest], stream)};
}

}  // namespace hedgerow::bayesian_tree
