// SPDX-License-Identifier: BSD-3-Clause
// Binned rows in an archive, and back.
#pragma once

#include <algorithm>
#include <cmath>

#include "hedgerow/archive/archive.hpp"
#include "hedgerow/posterior_tree/binned_rows.hpp"

namespace hedgerow::bart {

inline void write_rows(const posterior_tree::BinnedRows& data, archive::Archive& archive) {
  archive.add("rows.bins", data.codes);
  auto& n_cuts = archive.add<std::uint64_t>("rows.n_cuts");
  auto &cuts = archive.add<double>("rows.cuts"), &weights = archive.add<double>("rows.cut_weights");
  for (std::size_t d = 0; d < data.n_features; ++d) {
    n_cuts.push_back(data.cuts[d].size());
    cuts.insert(cuts.end(), data.cuts[d].begin(), data.cuts[d].end());
    weights.insert(weights.end(), data.positions[d].begin() + 1, data.positions[d].end());
  }
}

inline posterior_tree::BinnedRows read_rows(const archive::Archive& archive) {
  using archive::require;
  const auto& n_cuts = archive.get<std::uint64_t>("rows.n_cuts");
  const auto &cuts = archive.get<double>("rows.cuts"), &weights = archive.get<double>("rows.cut_weights");
  posterior_tree::BinnedRows data;
  data.codes = archive.get<posterior_tree::Bin>("rows.bins");
  data.n_features = n_cuts.size();
  require(data.n_features > 0 && data.codes.size() % data.n_features == 0, "rows do not fill their columns");
  data.n_rows = data.codes.size() / data.n_features;
  require(data.n_rows > 0, "there are no rows");
  require(weights.size() == cuts.size(), "cuts and their weights differ in number");
  std::size_t first = 0;
  for (std::uint32_t d = 0; d < data.n_features; ++d) {
    const std::uint64_t n = n_cuts[d];
    require(n <= posterior_tree::BinnedRows::most_cuts && n <= cuts.size() - first, "cuts of a column are missing");
    auto& own = data.cuts.emplace_back();
    auto& positions = data.positions.emplace_back(1, 0.0);
    for (std::size_t i = first; i < first + n; ++i) {
      require(std::isfinite(cuts[i]) && (own.empty() || own.back() < cuts[i]), "cuts of a column do not rise");
      require(weights[i] > positions.back() && weights[i] < 2.0, "weights of cuts do not add up");
      own.push_back(cuts[i]);
      positions.push_back(weights[i]);
    }
    const auto* column = data.column(d);
    require(std::all_of(column, column + data.n_rows, [&](posterior_tree::Bin bin) { return bin <= n; }),
            "a value lies beyond the cuts of its column");
    first += n;
  }
  require(first == cuts.size(), "there are more cuts than columns have");
  return data;
}

}  // namespace hedgerow::bart
