// SPDX-License-Identifier: BSD-3-Clause
// One place in an adaptive random forest (Gomes et al. 2017, 2018): a tree that learns bagged rows, detectors that
// watch its errors, and a tree in the background that begins at a warning and takes over at an alarm.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "hedgerow/drift/detector.hpp"
#include "hedgerow/online/hoeffding_tree.hpp"
#include "hedgerow/random/stream.hpp"

namespace hedgerow::online {

/// A row on its way through the forest, with what the forest knew of labels before it.
struct Arrival {
  Row row;
  std::uint64_t number;     ///< how many rows came before
  label::Gaussian outlook;  ///< mean and variance of all labels before
};

template <LeafLabels L>
class AdaptiveTree {
 public:
  AdaptiveTree(std::uint64_t seed, std::uint32_t number, const Growth& growth)
      : name{seed, number, 0},
        warning(make_detector(growth.detector, drift::Level::warning)),
        alarm(make_detector(growth.detector, drift::Level::alarm)) {
    gains.reserve(growth.width);
  }

  HoeffdingTree<L> tree;
  std::optional<HoeffdingTree<L>> background;
  LeafName name;
  drift::Detector warning, alarm;
  std::uint64_t n_warnings = 0, n_alarms = 0;
  std::vector<double> gains;  ///< of each feature: sum of squares explained by its splits

  void begin(const Growth& growth, const label::Gaussian& prior) {
    tree = HoeffdingTree<L>(prior, name.birth);
    ++name.birth;
    gains.assign(growth.width, 0.0);
  }

  /// What n rows may allocate. Each of them is learned by one tree, or by two if a detector is there; of those in the
  /// background and those that take over, new ones begin after warnings and alarms.
  [[nodiscard]] std::size_t need(std::size_t n, const Growth& growth, std::size_t need_of_row) const {
    std::size_t bytes = tree.need(n, need_of_row);
    if (tree.nodes.empty()) bytes += HoeffdingTree<L>::need_of_new(1, n);
    if (growth.detector == drift::Kind::none) return bytes;
    bytes += background ? background->need(n, need_of_row) : n * need_of_row;
    return bytes + HoeffdingTree<L>::need_of_new(2 * (n / drift::least_numbers + 1), 2 * n) + drift::need(warning, n) +
           drift::need(alarm, n);
  }

  [[nodiscard]] label::Gaussian speak(const Row& row, const Growth& growth) const {
    return speak(tree.leaves[tree.leaf_of(row.x)], row, growth);
  }

  /// How often the row is drawn for this tree: 0 if it is out of bag.
  [[nodiscard]] std::uint32_t copies(std::uint64_t number, double rate) const {
    return random::Stream(name.seed, random::Purpose::bag, name.tree, number).poisson(rate);
  }

  /// Learn the row if it is in the bag, and watch the error in any case: no tree has seen the row before. The tree in
  /// the background is given the same bag, so a row that is out of bag stays so when it takes over. `said` becomes what
  /// the tree said of the row before.
  Change learn(const Arrival& arrival, const Growth& growth, SplitSearch& search, label::Gaussian& said) {
    const std::uint32_t at = tree.place_of(arrival.row.x);
    said = speak(tree.leaves[tree.nodes[at].link], arrival.row, growth);
    Change change;
    if (const std::uint32_t n = copies(arrival.number, growth.bagging_rate); n > 0) {
      Row row = arrival.row;
      row.weight *= n;
      const random::Stream stream(name.seed, random::Purpose::split, name.tree, arrival.number);
      if (background) background->learn(row, growth, name, search, stream);
      change = tree.learn_at(at, row, growth, name, search, stream);
      if (change.sibling != Change::nothing) gains[change.split.feature] += change.split.gain * change.split.squares;
    }
    if (growth.detector != drift::Kind::none) {
      watch(std::abs(arrival.row.label - said.mean), arrival.outlook, growth, change);
    }
    return change;
  }

 private:
  static label::Gaussian speak(const Leaf<L>& leaf, const Row& row, const Growth& growth) {
    return growth.linear ? leaf.speak_linearly(*row.standardised) : leaf.speak();
  }

  /// Detectors take numbers from [0, 1]: the error next to the spread of all labels. (Differs from Gomes et al. 2018,
  /// who give the signed error, which a drift need not move.)
  void watch(double error, const label::Gaussian& outlook, const Growth& growth, Change& change) {
    const double spread = std::sqrt(outlook.variance);
    const double share = error > 0.0 ? error / (error + spread) : 0.0;
    if (update(warning, share)) {
      ++n_warnings;
      background.emplace(outlook, name.birth++);
      warning = make_detector(growth.detector, drift::Level::warning);
    }
    if (!update(alarm, share)) return;
    ++n_alarms;
    tree = background ? std::move(*background) : HoeffdingTree<L>(outlook, name.birth++);
    background.reset();
    warning = make_detector(growth.detector, drift::Level::warning);
    alarm = make_detector(growth.detector, drift::Level::alarm);
    change = {Change::nothing, Change::nothing, {}, true, change.is_out_of_bag};
  }
};

}  // namespace hedgerow::online
