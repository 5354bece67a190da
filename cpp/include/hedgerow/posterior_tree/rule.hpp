// SPDX-License-Identifier: BSD-3-Clause
// Rules, and how the prior draws them: a feature uniformly from those that vary among the rows of a node, a location
// uniformly from their range (Lakshminarayanan 2016, section 3.2.3). A location matters to rows only through the two
// neighbouring codes that it lies between, so a rule names these, and a cut is as likely as the gap between them is
// long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hedgerow/posterior_tree/rows.hpp"
#include "hedgerow/random/distributions.hpp"

namespace hedgerow::posterior_tree {

/// Rows with a code up to `cut` go left.
template <class Code>
struct CutRule {
  std::uint32_t feature = 0;
  Code cut = 0;
  friend bool operator==(const CutRule&, const CutRule&) = default;
};

/// Lowest and highest code of a feature among some rows; cuts from the lowest to below the highest divide them.
template <class Code>
struct CodeRange {
  Code lowest, highest;
  [[nodiscard]] bool varies() const { return lowest < highest; }
};

/// A feature that varies, and its range.
template <class Code>
struct VaryingFeature {
  std::uint32_t feature;
  CodeRange<Code> range;
};

template <class Code>
CodeRange<Code> range_of(const Code* column, std::span<const RowId> rows) {
  Code lowest = column[rows[0]], highest = lowest;
  for (const RowId row : rows) {
    lowest = std::min(lowest, column[row]);
    highest = std::max(highest, column[row]);
  }
  return {lowest, highest};
}

/// The same, a few rows at a time, until both ends of the column are met: among many rows that is soon.
template <class Code>
CodeRange<Code> range_of(const CodedRows<Code>& data, std::uint32_t feature, std::span<const RowId> rows) {
  constexpr std::size_t at_a_time = 64;
  const Code* column = data.column(feature);
  const auto last = static_cast<Code>(data.n_cuts(feature));
  CodeRange<Code> found{column[rows[0]], column[rows[0]]};
  while (!rows.empty() && (found.lowest > 0 || found.highest < last)) {
    const auto next = range_of(column, rows.first(std::min(at_a_time, rows.size())));
    found = {std::min(found.lowest, next.lowest), std::max(found.highest, next.highest)};
    rows = rows.subspan(std::min(at_a_time, rows.size()));
  }
  return found;
}

template <class Code>
bool varies(const Code* column, std::span<const RowId> rows) {
  const Code first = column[rows[0]];
  return std::ranges::any_of(rows, [&](RowId row) { return column[row] != first; });
}

/// Could some rule divide these rows? Row by row, because the second one usually says yes at once.
template <class Code>
bool is_splittable(const CodedRows<Code>& data, std::span<const RowId> rows) {
  for (const RowId row : rows.subspan(1)) {
    for (std::uint32_t d = 0; d < data.n_features; ++d) {
      if (data.column(d)[row] != data.column(d)[rows[0]]) return true;
    }
  }
  return false;
}

/// In order.
template <class Code>
std::vector<std::uint32_t> varying_features(const CodedRows<Code>& data, std::span<const RowId> rows) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t d = 0; d < data.n_features; ++d) {
    if (varies(data.column(d), rows)) found.push_back(d);
  }
  return found;
}

template <class Code>
std::size_t n_varying(const CodedRows<Code>& data, std::span<const RowId> rows) {
  std::size_t n = 0;
  for (std::uint32_t d = 0; d < data.n_features; ++d) n += static_cast<std::size_t>(varies(data.column(d), rows));
  return n;
}

/// A feature that varies, each as likely; none if all rows are equal. Features are drawn until one varies, which is
/// cheap where most do; after a few tries all are looked at.
template <class Code>
std::optional<VaryingFeature<Code>> draw_varying_feature(const CodedRows<Code>& data, std::span<const RowId> rows,
                                                         random::Stream& stream) {
  constexpr int most_tries = 8;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    const std::uint32_t feature = random::draw_below(data.n_features, stream);
    const auto range = range_of(data, feature, rows);
    if (range.varies()) return VaryingFeature<Code>{feature, range};
  }
  const auto varying = varying_features(data, rows);
  if (varying.empty()) return std::nullopt;
  const std::uint32_t feature = varying[random::draw_below(varying.size(), stream)];
  return VaryingFeature<Code>{feature, range_of(data, feature, rows)};
}

/// Uniform between two positions of which the lower goes left and the upper right, whatever rounding does.
inline double draw_between(double lower, double upper, random::Stream& stream) {
  const double share = stream.uniform();
  const double drawn = lower * (1.0 - share) + upper * share;  // unlike a difference, it cannot overflow
  if (drawn >= upper) return std::nextafter(upper, lower);
  return drawn < lower ? lower : drawn;
}

/// Length of an interval, halved in case it is too long for a double.
inline double half_length(double lower, double upper) { return 0.5 * upper - 0.5 * lower; }

/// What part of a feature's range lies between two codes: the prior probability of a cut there.
template <class Code>
double share_of_range(const std::vector<double>& positions, CodeRange<Code> part, CodeRange<Code> whole) {
  const double length = positions[whole.highest] - positions[whole.lowest];
  if (std::isfinite(length)) return (positions[part.highest] - positions[part.lowest]) / length;
  return half_length(positions[part.lowest], positions[part.highest]) /
         half_length(positions[whole.lowest], positions[whole.highest]);
}

/// A cut within a range, as likely as its share of it.
template <class Code>
Code draw_cut(const std::vector<double>& positions, CodeRange<Code> range, random::Stream& stream) {
  const double lower = positions[range.lowest], length = positions[range.highest] - lower;
  const double point =
      std::isfinite(length) ? lower + stream.uniform() * length : draw_between(lower, positions[range.highest], stream);
  const auto first = positions.begin() + range.lowest + 1, last = positions.begin() + range.highest;
  return static_cast<Code>(std::upper_bound(first, last, point) - positions.begin() - 1);
}

}  // namespace hedgerow::posterior_tree
