// SPDX-License-Identifier: BSD-3-Clause
// Random rows of many kinds, forests on them, and what the tests of forests ask again and again.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/label/running_moments.hpp"
#include "hedgerow/label/stable_hierarchy.hpp"
#include "hedgerow/mondrian/archive.hpp"
#include "hedgerow/mondrian/forest.hpp"
#include "hedgerow/mondrian/structure/check.hpp"

namespace hedgerow::tests {

using label::ExponentialHierarchy;
using label::GaussianHierarchy;
using label::RunningMoments;
using label::StableHierarchy;
using mondrian::Batch;
using mondrian::Forest;
using mondrian::Growth;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// What rows look like. Everything but `plain` is a way to be degenerate.
enum class Kind { plain, duplicates, constant_columns, weighted, weighted_duplicates, lattice, one_point };
inline constexpr Kind all_kinds[] = {Kind::plain,    Kind::duplicates,          Kind::constant_columns,
                                     Kind::weighted, Kind::weighted_duplicates, Kind::lattice,
                                     Kind::one_point};

struct Sample {
  std::size_t width;
  std::vector<double> features, labels, weights;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  [[nodiscard]] Batch batch(std::size_t first, std::size_t n) const {
    return {features.data() + first * width, labels.data() + first, weights.empty() ? nullptr : weights.data() + first,
            n};
  }
  [[nodiscard]] Batch all() const { return batch(0, size()); }
};

/// A stream of its own: no forest has so many trees.
inline random::Stream dice(std::uint64_t seed) { return {seed, random::Purpose::grow, 0xFFFFFFFF, 0}; }

/// Weights are multiples of a quarter, which single precision adds up without rounding.
inline Sample draw_sample(std::size_t n, std::size_t width, Kind kind = Kind::plain, std::uint64_t seed = 1) {
  random::Stream stream = dice(seed);
  Sample sample{width, {}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const bool repeats = kind == Kind::duplicates || kind == Kind::weighted_duplicates;
    const auto earlier = static_cast<std::size_t>(stream.uniform() * static_cast<double>(i));
    const bool copy = i > 0 && ((repeats && stream.uniform() < 0.6) || kind == Kind::one_point);
    for (std::size_t d = 0; d < width; ++d) {
      double x = stream.uniform();
      if (kind == Kind::lattice) x = std::floor(3.0 * x) / 2.0;
      if (kind == Kind::constant_columns && d % 2 == 0) x = 0.5;
      sample.features.push_back(copy ? sample.features[earlier * width + d] : x);
    }
    sample.labels.push_back(sample.features[i * width] + stream.uniform());
    if (kind == Kind::weighted || kind == Kind::weighted_duplicates) {
      sample.weights.push_back(0.25 * (1.0 + std::floor(12.0 * stream.uniform())));
    }
  }
  return sample;
}

inline constexpr std::size_t n_classes = 3;

/// Classes in the place of labels.
inline Sample with_classes(Sample sample) {
  for (double& label : sample.labels) label = std::floor(1.5 * label);
  return sample;
}

inline mondrian::Scaling unit_scaling(std::size_t width) {
  mondrian::Scaling scaling;
  for (std::size_t d = 0; d <= width; ++d) scaling.first_knot.push_back(d);
  scaling.values.assign(width, 0.0);
  scaling.images.assign(width, 0.0);
  scaling.slopes.assign(width, 1.0);
  return scaling;
}

template <class M>
Forest<M> empty_forest(std::size_t width, std::size_t n_trees, Growth growth = {}, std::size_t window = 0,
                       bool is_keyed = false, std::uint64_t seed = 42) {
  Forest<M> forest(width, n_trees, growth, seed, window, is_keyed);
  forest.scaling = unit_scaling(width);
  if constexpr (requires { M::make(0.7, 20.0, growth.lifetime); }) {
    forest.model = M::make(0.7, 20.0, growth.lifetime);
  } else if constexpr (std::is_same_v<M, StableHierarchy>) {
    forest.model.n_classes = n_classes;
  }
  return forest;
}

template <class M>
Forest<M> grown_forest(const Sample& sample, std::size_t n_trees, Growth growth = {}, std::size_t n_threads = 1) {
  auto forest = empty_forest<M>(sample.width, n_trees, growth);
  forest.store(sample.all());
  forest.grow(0, n_trees, n_threads);
  forest.grown();
  return forest;
}

template <class M>
Forest<M> learned_forest(const Sample& sample, std::size_t n_trees, Growth growth = {}, std::size_t window = 0) {
  auto forest = empty_forest<M>(sample.width, n_trees, growth, window);
  forest.learn(sample.all(), 1);
  return forest;
}

/// Sums are rebuilt in another order, so the last bits differ.
inline bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a)); }
inline bool nearly(const GaussianHierarchy::Summary& a, const GaussianHierarchy::Summary& b) {
  return nearly(a.precision, b.precision) && nearly(a.mean, b.mean);
}
inline bool nearly(const RunningMoments::Summary& a, const RunningMoments::Summary& b) {
  return nearly(a.weight, b.weight) && nearly(a.mean, b.mean) && nearly(a.squares, b.squares);
}

inline bool nearly(const StableHierarchy::Summary& a, const StableHierarchy::Summary& b) {
  return StableHierarchy::is_same(a, b);
}

/// Broken rules of all trees, with one of this test's own: summaries are what the rows say.
template <class M>
std::vector<std::string> rules_broken_by(const Forest<M>& forest) {
  std::vector<std::string> broken;
  for (const auto& tree : forest.trees) {
    auto found = check_links(tree, forest.rows);
    if (found.empty()) found = check_blocks(tree, forest.rows, forest.growth, forest.model);
    broken.insert(broken.end(), found.begin(), found.end());
    if (!found.empty()) continue;
    auto afresh = tree;
    afresh.hear_everything(forest.rows, forest.model);
    std::vector<tree::NodeId> order;
    append_preorder(tree.shape, tree.root, order);
    for (const tree::NodeId id : order) {
      if (!nearly(tree.summaries[id], afresh.summaries[id])) {
        broken.push_back("node " + std::to_string(id) + " has a stale summary");
      }
    }
  }
  return broken;
}

template <class M>
bool is_sound(const Forest<M>& forest) {
  const auto broken = rules_broken_by(forest);
  for (const std::string& sentence : broken) std::printf("  %s\n", sentence.c_str());
  return broken.empty();
}

/// Equal to the last bit in everything that is saved.
inline bool same_bits(mondrian::Archive a, mondrian::Archive b) {
  const auto bytes_of = [](mondrian::Archive& archive) {
    std::string bytes;
    archive.for_each([&](const std::string& name, const auto& values) {
      bytes += name + std::to_string(values.size());
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    });
    return bytes;
  };
  return bytes_of(a) == bytes_of(b);
}
/// Equal cuts and equal summaries, whatever the numbers of rows.
inline bool same_trees(const mondrian::Archive& a, const mondrian::Archive& b) {
  return a.get<std::uint8_t>("nodes.kind") == b.get<std::uint8_t>("nodes.kind") &&
         a.get<float>("cuts.location") == b.get<float>("cuts.location") &&
         a.get<float>("cuts.time") == b.get<float>("cuts.time") &&
         a.get<double>("summaries.values") == b.get<double>("summaries.values");
}
template <class M>
bool same_bits(const Forest<M>& a, const Forest<M>& b) {
  return same_bits(archived(a), archived(b));
}

}  // namespace hedgerow::tests

// Compiled once each, in units of their own.
#define HEDGEROW_FOREST(EXTERN, M)                                                                                     \
  EXTERN template class hedgerow::mondrian::Forest<M>;                                                                 \
  EXTERN template class hedgerow::mondrian::Grower<M>;                                                                 \
  EXTERN template class hedgerow::mondrian::Extender<M>;                                                               \
  EXTERN template class hedgerow::mondrian::Forgetter<M>;                                                              \
  EXTERN template hedgerow::mondrian::Archive hedgerow::mondrian::archived(const hedgerow::mondrian::Forest<M>&);      \
  EXTERN template void hedgerow::mondrian::restore(hedgerow::mondrian::Forest<M>&, const hedgerow::mondrian::Archive&, \
                                                   hedgerow::mondrian::Writer);                                        \
  EXTERN template std::vector<std::string> hedgerow::tests::rules_broken_by(const hedgerow::mondrian::Forest<M>&);
#ifndef HEDGEROW_COMPILES_A_FOREST
HEDGEROW_FOREST(extern, hedgerow::label::GaussianHierarchy)
HEDGEROW_FOREST(extern, hedgerow::label::RunningMoments)
HEDGEROW_FOREST(extern, hedgerow::label::StableHierarchy)
#endif
