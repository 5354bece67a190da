// SPDX-License-Identifier: BSD-3-Clause
// The bins of rows, row by row, and where cuts fall among them. Columns are filled up to a whole number of chunks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "hedgerow/greedy/chunk_kernels.hpp"
#include "hedgerow/posterior_tree/binned_rows.hpp"

namespace hedgerow::greedy {

using posterior_tree::Bin;
using posterior_tree::BinnedRows;

struct RowBins {
  std::size_t n_rows, width, stride;
  std::vector<Bin> bins;  ///< row by row, `stride` each

  explicit RowBins(const BinnedRows& data)
      : n_rows(data.n_rows),
        width(data.n_features),
        stride((data.n_features + chunk - 1) / chunk * chunk),
        bins(n_rows * stride) {
    for (std::uint32_t d = 0; d < width; ++d) {
      const Bin* const column = data.column(d);
      for (std::size_t row = 0; row < n_rows; ++row) bins[row * stride + d] = column[row];
    }
  }

  [[nodiscard]] const Bin* operator[](std::size_t row) const { return bins.data() + row * stride; }
};

/// Draws cuts of a column: as likely in equal lengths of units halfway between its values and the numbers of its bins.
class CutUnits {
 public:
  CutUnits(const std::vector<double>& positions) {
    const std::size_t n = positions.size();
    for (std::size_t bin = 0; bin < n; ++bin) {
      const double share = n > 1 ? static_cast<double>(bin) / static_cast<double>(n - 1) : 0.0;
      begins_[bin] = static_cast<float>(0.5 * (n > 1 ? positions[bin] / positions.back() : 0.0) + 0.5 * share);
    }
    for (std::size_t step = 0, bin = 0; step < n_steps; ++step) {
      const double middle = (static_cast<double>(step) + 0.5) / static_cast<double>(n_steps);
      while (bin + 1 < n && static_cast<double>(begins_[bin + 1]) <= middle) ++bin;
      bins_[step] = static_cast<Bin>(bin);
    }
  }

  /// From `lowest` to the bin before `highest`; `uniform` is drawn from (0, 1). Where bins are narrow, to the nearest
  /// of many steps.
  [[nodiscard]] Bin draw(Bin lowest, Bin highest, float uniform) const {
    const float begin = begins_[lowest], drawn = begin + uniform * (begins_[highest] - begin);
    const auto step = std::min(static_cast<std::size_t>(drawn * static_cast<float>(n_steps)), n_steps - 1);
    return std::clamp(bins_[step], lowest, static_cast<Bin>(highest - 1));
  }

 private:
  static constexpr std::size_t n_steps = 1024;

  std::array<float, 256> begins_{};
  std::array<Bin, n_steps> bins_{};
};

}  // namespace hedgerow::greedy
