// SPDX-License-Identifier: BSD-3-Clause
// The training rows as trees see them: column by column, each value replaced by a code, a whole number that rises with
// it. A code is a bin of a byte (`binned_rows.hpp`) or the rank of the value (`ranked_rows.hpp`). A tree may cut
// between any two neighbouring codes.
#pragma once

#include <cstdint>
#include <vector>

namespace hedgerow::posterior_tree {

using RowId = std::uint32_t;

/// Row by row, as they come.
struct Points {
  const double* values;
  std::size_t n, width;
};

template <class C>
struct CodedRows {
  using Code = C;

  std::size_t n_rows = 0, n_features = 0;
  std::vector<Code> codes;                     ///< column by column
  std::vector<std::vector<double>> positions;  ///< [feature][code], rising: the prior draws cuts uniformly between them

  [[nodiscard]] const Code* column(std::uint32_t feature) const { return codes.data() + feature * n_rows; }
  [[nodiscard]] std::size_t n_cuts(std::uint32_t feature) const { return positions[feature].size() - 1; }
};

}  // namespace hedgerow::posterior_tree
