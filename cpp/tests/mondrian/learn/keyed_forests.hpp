// SPDX-License-Identifier: BSD-3-Clause
// Forests with keyed cuts, the process as it is defined, and what their tests compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::tests {

using mondrian::MondrianTree;
using tree::NodeId;
using tree::RowId;

template <class M>
Forest<M> keyed_forest(std::size_t width, std::size_t n_trees, Growth growth, std::size_t window = 0,
                       std::uint64_t seed = 42) {
  return empty_forest<M>(width, n_trees, growth, window, true, seed);
}

template <class M>
Forest<M> grown_keyed(const Sample& sample, Growth growth, std::size_t n_threads = 1) {
  auto forest = keyed_forest<M>(sample.width, 3, growth);
  forest.store(sample.all());
  forest.grow(0, 3, n_threads);
  forest.grown();
  return forest;
}

inline Sample chosen(const Sample& sample, const std::vector<std::size_t>& places) {
  Sample part{sample.width, {}, {}, {}};
  for (const std::size_t i : places) {
    for (std::size_t d = 0; d < sample.width; ++d) part.features.push_back(sample.features[i * sample.width + d]);
    part.labels.push_back(sample.labels[i]);
    if (!sample.weights.empty()) part.weights.push_back(sample.weights[i]);
  }
  return part;
}

inline std::vector<std::size_t> shuffled_places(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  random::Stream stream = dice(seed);
  for (std::size_t i = n; i > 1; --i)
    std::swap(places[i - 1], places[static_cast<std::size_t>(stream.uniform() * static_cast<double>(i))]);
  return places;
}

/// All of an archive but when rows came, and how many ever did.
template <class M>
mondrian::Archive portrait_of(const Forest<M>& forest) {
  mondrian::Archive whole = archived(forest), rest;
  whole.for_each([&](const std::string& name, const auto& values) {
    if (name != "rows.arrival_order" && name != "counters") rest.add(name, values);
  });
  return rest;
}

template <class M>
bool same_forest(const Forest<M>& a, const Forest<M>& b) {
  return same_bits(portrait_of(a), portrait_of(b));
}

template <class M>
Sample sample_for(std::size_t n, std::size_t width, Kind kind) {
  Sample sample = draw_sample(n, width, kind);
  return std::is_same_v<M, StableHierarchy> ? with_classes(std::move(sample)) : sample;
}

template <class Try>
void for_each_setting(Try&& f) {
  for (const Kind kind : all_kinds) {
    for (const Growth growth : {Growth{2.0, infinity}, Growth{5.0, 2.0}}) f(kind, growth);
  }
}

// The process as it is defined: one cell at a time, with lists of rows, and no shortcuts.

struct SlowCell {
  random::Block name;
  double time;
  std::vector<float> lower, upper;
  std::vector<RowId> rows;
};

struct SlowCut {
  std::uint32_t feature = tree::none;  ///< none for a leaf
  float location = 0.0F;
  double time = 0.0;
  std::set<RowId> rows;
  friend bool operator==(const SlowCut&, const SlowCut&) = default;
};

/// Cuts that separate rows and leaves, from the root down, left before right.
inline std::vector<SlowCut> slow_tree(const mondrian::Rows& rows, std::uint64_t seed, std::uint32_t tree,
                                      double most_rows, double lifetime, const std::vector<float>& domain = {}) {
  const random::Key key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const float reach = std::ldexp(1.0F, 60);
  SlowCell whole{random::philox({0, 0, tree, 25U << 24}, key),
                 0.0,
                 std::vector<float>(rows.width(), -reach),
                 std::vector<float>(rows.width(), reach),
                 {}};
  if (!domain.empty()) {
    const auto middle = domain.begin() + static_cast<std::ptrdiff_t>(rows.width());
    whole.lower.assign(domain.begin(), middle);
    whole.upper.assign(middle, domain.end());
  }
  rows.for_each([&](RowId id) { whole.rows.push_back(id); });
  std::vector<SlowCell> pending{whole};
  std::vector<SlowCut> found;
  while (!pending.empty()) {
    SlowCell cell = pending.back();
    pending.pop_back();
    const std::set<RowId> names(cell.rows.begin(), cell.rows.end());
    const auto are_equal = [&](RowId a, RowId b) {
      return std::equal(rows.row(a), rows.row(a) + rows.width(), rows.row(b));
    };
    const bool is_point =
        std::all_of(cell.rows.begin(), cell.rows.end(), [&](RowId id) { return are_equal(id, cell.rows[0]); });
    if (is_point || static_cast<double>(cell.rows.size()) < most_rows) {
      found.push_back({tree::none, 0.0F, 0.0, names});
      continue;
    }
    // Sides are added up by the same code: their rounding is not at stake here, and all that follows from it is.
    std::vector<float> from = cell.lower, to = cell.upper;
    from.resize(mondrian::SideSums::padded(rows.width()), 0.0F);
    to.resize(from.size(), 0.0F);
    mondrian::SideSums sums;
    const double length = sums.add_up(from.data(), to.data(), from.size());
    double plain = 0.0;
    for (std::size_t d = 0; d < rows.width(); ++d) {
      plain += static_cast<double>(cell.upper[d]) - static_cast<double>(cell.lower[d]);
    }
    CHECK_NEAR(length, plain, 1e-5 * plain);
    const auto number = [&](std::size_t k) {
      return (static_cast<double>((static_cast<std::uint64_t>(cell.name[k]) << 32 | cell.name[k + 1]) >> 12) + 0.5) /
             std::ldexp(1.0, 52);
    };
    const double time = cell.time - std::log(number(0)) / length;
    if (!(time < lifetime)) {
      found.push_back({tree::none, 0.0F, 0.0, names});
      continue;
    }
    double along = number(2) * length;
    std::uint32_t d = 0;
    for (std::size_t b = 0; along >= sums.sums[b]; ++b, d += 8) along -= sums.sums[b];
    while (along >= static_cast<double>(cell.upper[d]) - static_cast<double>(cell.lower[d])) {
      along -= static_cast<double>(cell.upper[d]) - static_cast<double>(cell.lower[d]);
      ++d;
    }
    const double exact = static_cast<double>(cell.lower[d]) + along;
    auto location = static_cast<float>(exact);
    while (static_cast<double>(location) > exact) location = std::nextafter(location, -reach);
    SlowCell parts[2] = {cell, cell};
    for (const bool right : {false, true}) {
      SlowCell& part = parts[right];
      part.name[0] = (cell.name[0] >> 1 << 1) + (right ? 1U : 0U);
      part.name = random::philox(part.name, key);
      part.time = time;
      std::erase_if(part.rows, [&](RowId id) { return (rows.row(id)[d] > location) != right; });
    }
    parts[0].upper[d] = location;
    parts[1].lower[d] = std::nextafter(location, reach);
    const bool separates = !parts[0].rows.empty() && !parts[1].rows.empty();
    if (separates) found.push_back({d, location, time, names});
    if (!parts[1].rows.empty()) pending.push_back(parts[1]);
    if (!parts[0].rows.empty()) pending.push_back(parts[0]);
  }
  return found;
}

template <class M>
std::vector<SlowCut> as_slow(const MondrianTree<M>& tree) {
  std::vector<NodeId> order;
  append_preorder(tree.shape, tree.root, order);
  std::vector<SlowCut> found;
  for (const NodeId id : order) {
    std::vector<NodeId> below;
    SlowCut cut;
    append_preorder(tree.shape, id, below);
    for (const NodeId each : below) {
      if (tree.node(each).is_leaf()) tree.shape.for_each_row(each, [&](RowId row) { cut.rows.insert(row); });
    }
    if (!tree.node(id).is_leaf()) {
      cut.feature = tree.node(id).feature;
      cut.location = tree.node(id).location;
      cut.time = static_cast<double>(tree.node(id).time);
    }
    found.push_back(cut);
  }
  return found;
}

}  // namespace hedgerow::tests
