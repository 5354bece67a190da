// SPDX-License-Identifier: BSD-3-Clause
// An adaptive random forest for regression. Trees share nothing but the rows that come by, so threads share out the
// trees; each tree meets the rows in order of arrival, which makes the result the same for any threads and any chunks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "hedgerow/data/batch.hpp"
#include "hedgerow/memory/reserve.hpp"
#include "hedgerow/online/adaptive_tree.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::online {

using data::Batch;

/// What each tree says of each row: [row * n_trees + tree].
struct Answers {
  Answers(std::size_t n_rows, std::size_t n_trees) : means(n_rows * n_trees), variances(n_rows * n_trees) {}
  std::vector<double> means, variances;

  void set(std::size_t place, const label::Gaussian& said) {
    means[place] = said.mean;
    variances[place] = said.variance;
  }
};

template <LeafLabels L>
class Forest {
 public:
  Forest(const Growth& chosen, std::size_t n_trees, std::uint64_t random_seed) : growth(chosen), seed(random_seed) {
    for (std::size_t b = 0; b < n_trees; ++b) slots.emplace_back(seed, static_cast<std::uint32_t>(b), growth);
    if (growth.linear) scales.moments.resize(growth.width);
    origin.reserve(growth.width);
  }

  Growth growth;
  std::uint64_t seed;
  std::vector<AdaptiveTree<L>> slots;
  std::vector<double> origin;  ///< the first row: features are kept as differences from it, in single precision
  label::LabelMoments labels_seen;
  FeatureScales scales;        ///< for linear leaves only
  std::uint64_t arrivals = 0;  ///< rows learned

  /// A row in the units of the trees. What does not fit into single precision stays at its ends: order is kept.
  void shift(const double* features, float* x) const {
    constexpr double most = std::numeric_limits<float>::max();
    for (std::size_t d = 0; d < growth.width; ++d) {
      x[d] = static_cast<float>(std::clamp(features[d] - origin[d], -most, most));
    }
  }

  /// Mean and variance of all labels so far.
  [[nodiscard]] label::Gaussian outlook() const { return outlook(labels_seen); }
  static label::Gaussian outlook(const label::LabelMoments& seen) {
    return seen.weight > 0.0 ? label::Gaussian{seen.mean, seen.squares / seen.weight} : label::Gaussian{0.0, 1.0};
  }

  /// Bagged means of a handful of rows would only be noise: until the first tree may split, the forest says what all
  /// labels say.
  [[nodiscard]] bool is_warm(std::uint64_t n_before) const { return n_before >= growth.grace_period; }

  /// Takes its bearings from the first row.
  void begin_with(const double* features, double label) {
    if (arrivals > 0) return;
    origin.assign(features, features + growth.width);
    for (auto& slot : slots) slot.begin(growth, {label, 0.0});
  }

  /// Count a row that all trees are about to learn. The row as the trees meet it lives in `x` and `z`.
  Arrival announce(const double* features, double label, double weight, float* x, std::vector<double>& z) {
    begin_with(features, label);
    shift(features, x);
    if (growth.linear) scales.standardise(x, z);
    const Arrival arrival{{x, &z, label, weight}, arrivals, outlook()};
    if (growth.linear) scales.see(x);
    labels_seen.add(label, weight);
    ++arrivals;
    return arrival;
  }

  /// What all trees may allocate while they learn n rows more. Where the bound comes from is said at each part of it;
  /// it is that of the worst stream, in which every row makes every tree split its fullest leaf. Memory for all of it
  /// is set aside before the first change.
  [[nodiscard]] std::size_t need(std::size_t n) const {
    const std::size_t need_of_row = HoeffdingTree<L>::need_of_row(growth, n_met(n));
    std::size_t bytes = 0;
    for (const auto& slot : slots) bytes += slot.need(n, growth, need_of_row);
    return bytes;
  }

  /// If there is no memory for it, the forest is as it was.
  void learn(const Batch& batch, std::size_t n_threads) { learn(batch, n_threads, Hear{}); }

  /// What each tree says of each row just before it learns it.
  Answers predict_then_learn(const Batch& batch, std::size_t n_threads) {
    Answers answers(batch.n, slots.size());
    learn(batch, n_threads, [&](std::size_t b, std::size_t i, const Arrival& arrival, const label::Gaussian& said) {
      answers.set(i * slots.size() + b, is_warm(arrival.number) ? said : arrival.outlook);
    });
    return answers;
  }

  [[nodiscard]] Answers predict(const double* features, std::size_t n, std::size_t n_threads) const {
    Answers answers(n, slots.size());
    for_each_point(features, n, n_threads, [&](std::size_t i, const Row& row) {
      for (std::size_t b = 0; b < slots.size(); ++b) {
        answers.set(i * slots.size() + b, is_warm(arrivals) ? slots[b].speak(row, growth) : outlook());
      }
    });
    return answers;
  }

  // Scratch that is made before the first change, for n rows more.

  void make_room(SplitSearch& search, std::size_t n) const {
    search.make_room(growth, std::min(growth.leaf_capacity, n_met(n)));
  }
  /// Standardised features of a row.
  [[nodiscard]] std::vector<double> room_for_z() const { return std::vector<double>(scales.moments.size()); }

  /// f(index, row) for each point, in parallel.
  template <class Function>
  void for_each_point(const double* features, std::size_t n, std::size_t n_threads, Function&& f) const {
    constexpr std::size_t share = 256;
    parallel::for_each_index((n + share - 1) / share, n_threads, [&](std::size_t index, std::size_t) {
      std::vector<float> x(growth.width);
      std::vector<double> z;
      for (std::size_t i = index * share; i < std::min(n, (index + 1) * share); ++i) {
        shift(features + i * growth.width, x.data());
        if (growth.linear) scales.standardise(x.data(), z);
        f(i, Row{x.data(), &z, 0.0, 0.0});
      }
    });
  }

 private:
  [[nodiscard]] std::size_t n_met(std::size_t n_more) const { return static_cast<std::size_t>(arrivals) + n_more; }

  /// hear(tree, index, arrival, what the tree said of the row before it learned it).
  using Hear = std::function<void(std::size_t, std::size_t, const Arrival&, const label::Gaussian&)>;

  void learn(const Batch& batch, std::size_t n_threads, const Hear& hear) {
    std::vector<float> x(batch.n * growth.width);
    std::vector<std::vector<double>> z(growth.linear ? batch.n : 1, room_for_z());
    std::vector<Arrival> arriving;
    arriving.reserve(batch.n);
    searches_.resize(std::max(searches_.size(), std::max<std::size_t>(1, std::min(n_threads, slots.size()))));
    for (auto& search : searches_) make_room(search, batch.n);
    const memory::Reserve reserve(need(batch.n));
    for (std::size_t i = 0; i < batch.n; ++i) {
      arriving.push_back(announce(batch.features + i * growth.width, batch.labels[i], batch.weight(i),
                                  x.data() + i * growth.width, z[growth.linear ? i : 0]));
    }
    parallel::for_each_index(slots.size(), n_threads, [&](std::size_t b, std::size_t worker) {
      const memory::Reserve::Lent lent(reserve);
      for (std::size_t i = 0; i < batch.n; ++i) {
        label::Gaussian said{};
        slots[b].learn(arriving[i], growth, searches_[worker], said);
        if (hear) hear(b, i, arriving[i], said);
      }
    });
  }

  std::vector<SplitSearch> searches_;  ///< one a worker
};

}  // namespace hedgerow::online
