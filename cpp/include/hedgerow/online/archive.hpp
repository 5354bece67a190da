// SPDX-License-Identifier: BSD-3-Clause
// An online forest as an archive, and back.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "hedgerow/archive/reader.hpp"
#include "hedgerow/archive/writer.hpp"
#include "hedgerow/online/forest.hpp"

namespace hedgerow::online {

using archive::Archive;

namespace detail {

using archive::Reader;
using archive::require;

/// The arrays that hold one part after another, of all trees and leaves.
template <template <class> class Of>
struct Columns {
  template <class Archived>
  explicit Columns(Archived& archive)
      : slots(archive, "slots"),
        gains(archive, "slots.gains"),
        detector_counters(archive, "detectors.counters"),
        detector_numbers(archive, "detectors.numbers"),
        bucket_levels(archive, "buckets.level"),
        buckets(archive, "buckets.numbers"),
        trees(archive, "trees"),
        features(archive, "nodes.feature"),
        thresholds(archive, "nodes.threshold"),
        links(archive, "nodes.link"),
        leaf_counters(archive, "leaves.counters"),
        leaf_moments(archive, "leaves.moments"),
        linear(archive, "leaves.linear"),
        slopes(archive, "leaves.slopes"),
        leaf_labels(archive, "leaves.labels"),
        row_features(archive, "rows.features"),
        row_labels(archive, "rows.labels"),
        row_weights(archive, "rows.weights") {}

  Of<std::uint64_t> slots;
  Of<double> gains;
  Of<std::uint64_t> detector_counters;
  Of<double> detector_numbers;
  Of<std::uint32_t> bucket_levels;
  Of<double> buckets;
  Of<std::uint64_t> trees;
  Of<std::uint32_t> features;
  Of<float> thresholds;
  Of<std::uint32_t> links;
  Of<std::uint64_t> leaf_counters;
  Of<double> leaf_moments, linear, slopes, leaf_labels;
  Of<float> row_features;
  Of<double> row_labels, row_weights;

  void finish() const {
    for (const auto* column : {&slots, &trees, &leaf_counters, &detector_counters}) column->finish();
    for (const auto* column : {&features, &links, &bucket_levels}) column->finish();
    for (const auto* column : {&thresholds, &row_features}) column->finish();
    for (const auto* column : {&gains, &leaf_moments, &row_labels, &row_weights, &slopes, &linear, &detector_numbers,
                               &buckets, &leaf_labels}) {
      column->finish();
    }
  }
};
using Readers = Columns<archive::Reader>;
using Writers = Columns<archive::Writer>;

inline void write(const label::LabelMoments& moments, std::vector<double>& out) {
  out.insert(out.end(), {moments.weight, moments.mean, moments.squares});
}

inline label::LabelMoments read_moments(Reader<double>& in) {
  const auto numbers = in.take(3);
  require(numbers[0] >= 0.0 && numbers[2] >= 0.0, "a weight or a spread is negative");
  return {numbers[0], numbers[1], numbers[2]};
}

/// The same of labels, which users hand in, or of errors of predicting them: their squares are finite.
inline label::LabelMoments read_label_moments(Reader<double>& in) {
  const label::LabelMoments moments = read_moments(in);
  require(moments.are_possible(), "labels are larger than they can be");
  return moments;
}

inline void write(const drift::Detector& detector, Writers& out) {
  if (const auto* adwin = std::get_if<drift::Adwin>(&detector)) {
    out.detector_counters.append({adwin->n_updates, adwin->buckets.size()});
    for (const drift::Bucket& bucket : adwin->buckets) {
      out.bucket_levels.append({bucket.level});
      out.buckets.append({bucket.total, bucket.squares});
    }
  } else if (const auto* test = std::get_if<drift::PageHinkley>(&detector)) {
    out.detector_counters.append({test->n_updates});
    out.detector_numbers.append({test->mean, test->deviation, test->lowest});
  }
}

inline void read(drift::Detector& detector, Readers& in) {
  if (auto* adwin = std::get_if<drift::Adwin>(&detector)) {
    adwin->n_updates = in.detector_counters.next();
    const std::uint64_t n = in.detector_counters.next();
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t level = in.bucket_levels.next();
      const auto numbers = in.buckets.take(2);
      require(level < 63 && numbers[1] >= 0.0 && (i == 0 || level <= adwin->buckets.back().level),
              "the window of a detector is broken");
      adwin->buckets.push_back({level, numbers[0], numbers[1]});
    }
  } else if (auto* test = std::get_if<drift::PageHinkley>(&detector)) {
    test->n_updates = in.detector_counters.next();
    const auto numbers = in.detector_numbers.take(3);
    test->mean = numbers[0], test->deviation = numbers[1], test->lowest = numbers[2];
  }
}

template <class T>
void append(const memory::Vector<T>& values, std::vector<T>& out) {
  out.insert(out.end(), values.begin(), values.end());
}

template <LeafLabels L>
void write(const Leaf<L>& leaf, const Growth& growth, Writers& out) {
  out.leaf_counters.append({leaf.n_rows, leaf.last_attempt, leaf.birth, leaf.rows.size(), leaf.rows.oldest});
  write(leaf.moments, out.leaf_moments.values);
  out.leaf_moments.append({leaf.prior.mean, leaf.prior.variance});
  append(leaf.rows.features, out.row_features.values);
  append(leaf.rows.labels, out.row_labels.values);
  append(leaf.rows.weights, out.row_weights.values);
  leaf.labels.write(out.leaf_labels.values);
  if (!growth.linear) return;
  out.leaf_counters.append({leaf.linear.slopes.size()});
  append(leaf.linear.slopes, out.slopes.values);
  out.linear.append({leaf.linear.intercept, leaf.linear.lowest, leaf.linear.highest});
  write(leaf.linear.errors, out.linear.values);
}

template <class T>
void fill(memory::Vector<T>& values, std::span<const T> read) {
  values.assign(read.begin(), read.end());
}

template <LeafLabels L>
Leaf<L> read_leaf(const Growth& growth, Readers& in) {
  Leaf<L> leaf;
  const auto counters = in.leaf_counters.take(5);
  leaf.n_rows = counters[0], leaf.last_attempt = counters[1];
  leaf.birth = static_cast<std::uint32_t>(counters[2]), leaf.rows.oldest = static_cast<std::uint32_t>(counters[4]);
  const std::uint64_t n = counters[3];
  leaf.moments = read_label_moments(in.leaf_moments);
  const auto prior = in.leaf_moments.take(2);
  leaf.prior = {prior[0], prior[1]};
  require(leaf.last_attempt <= leaf.n_rows && (leaf.n_rows > 0) == (leaf.moments.weight > 0.0) &&
              leaf.prior.variance >= 0.0 && label::is_within(leaf.prior.variance, label::largest_square) &&
              label::is_within(leaf.prior.mean, label::largest_label) && n <= growth.leaf_capacity &&
              n <= leaf.n_rows && (n == growth.leaf_capacity ? counters[4] < n : counters[4] == 0),
          "the counters of a leaf are broken");
  fill(leaf.rows.features, in.row_features.take(n * growth.width));
  fill(leaf.rows.labels, in.row_labels.take(n));
  fill(leaf.rows.weights, in.row_weights.take(n));
  require(std::ranges::all_of(leaf.rows.weights, [](double weight) { return weight > 0.0; }),
          "a weight is not positive");
  require(
      std::ranges::all_of(leaf.rows.labels, [](double label) { return label::is_within(label, label::largest_label); }),
      "a label is larger than it can be");
  require(leaf.labels.read(in.leaf_labels), "the labels of a leaf are broken");
  if (!growth.linear) return leaf;
  const std::uint64_t n_slopes = in.leaf_counters.next();
  require(n_slopes == 0 || n_slopes == growth.width, "a linear model has the wrong width");
  fill(leaf.linear.slopes, in.slopes.take(n_slopes));
  const auto numbers = in.linear.take(3);
  require(numbers[1] <= numbers[2], "the range of a linear model is empty");
  leaf.linear.intercept = numbers[0], leaf.linear.lowest = numbers[1], leaf.linear.highest = numbers[2];
  leaf.linear.errors = read_label_moments(in.linear);
  require((n_slopes > 0) == (leaf.linear.errors.weight > 0.0), "a linear model has no errors");
  return leaf;
}

template <LeafLabels L>
void write(const HoeffdingTree<L>& tree, const Growth& growth, Writers& out) {
  out.trees.append({tree.nodes.size()});
  for (const Node& node : tree.nodes) {
    out.features.append({node.feature});
    out.thresholds.append({node.threshold});
    out.links.append({node.link});
  }
  for (const auto& leaf : tree.leaves) write(leaf, growth, out);
}

/// Children lie behind their parents, and each node but the root, and each leaf, is linked to exactly once.
template <LeafLabels L>
HoeffdingTree<L> read_tree(const Growth& growth, Readers& in) {
  HoeffdingTree<L> tree;
  const std::uint64_t n = in.trees.next();
  const auto features = in.features.take(n);
  const auto thresholds = in.thresholds.take(n);
  const auto links = in.links.take(n);
  require(n % 2 == 1 && n < no_feature, "a tree has an even number of nodes");
  std::vector<bool> is_child(n, false), is_taken(n / 2 + 1, false);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t link = links[i];
    if (features[i] == no_feature) {
      require(link < is_taken.size() && !is_taken[link], "a leaf has two places, or none");
      is_taken[link] = true;
    } else {
      require(features[i] < growth.width && link > i && link + 1 < n && !is_child[link] && !is_child[link + 1],
              "the nodes of a tree are not a tree");
      is_child[link] = is_child[link + 1] = true;
    }
    tree.nodes.push_back({features[i], thresholds[i], links[i]});
  }
  for (std::uint64_t i = 0; i <= n / 2; ++i) tree.leaves.push_back(read_leaf<L>(growth, in));
  return tree;
}

}  // namespace detail

template <LeafLabels L>
Archive archived(const Forest<L>& forest) {
  Archive archive;
  archive.add("counters", std::vector<std::uint64_t>{forest.arrivals});
  archive.add("origin", forest.origin);
  detail::write(forest.labels_seen, archive.add<double>("seen.labels"));
  auto& scales = archive.add<double>("seen.features");
  for (const auto& moments : forest.scales.moments) detail::write(moments, scales);
  detail::Writers out(archive);
  for (const auto& slot : forest.slots) {
    out.slots.append(
        {slot.name.birth, slot.n_warnings, slot.n_alarms, static_cast<std::uint64_t>(slot.background.has_value())});
    out.gains.append(slot.gains);
    detail::write(slot.warning, out);
    detail::write(slot.alarm, out);
    detail::write(slot.tree, forest.growth, out);
    if (slot.background) detail::write(*slot.background, forest.growth, out);
  }
  return archive;
}

/// Fill `forest`, made with the right growth, trees and seed, from an archive.
template <LeafLabels L>
void restore(Forest<L>& forest, const Archive& archive) {
  using archive::require;
  const std::size_t width = forest.growth.width;
  archive::Reader<std::uint64_t> counters(archive, "counters");
  archive::Reader<double> origin(archive, "origin"), seen(archive, "seen.labels"), scales(archive, "seen.features");
  forest.arrivals = counters.next();
  forest.origin = origin.copy(width);
  forest.labels_seen = detail::read_label_moments(seen);
  require(forest.arrivals > 0 && forest.labels_seen.weight > 0.0, "it has learned nothing");
  for (auto& moments : forest.scales.moments) moments = detail::read_moments(scales);
  detail::Readers in(archive);
  for (auto& slot : forest.slots) {
    const auto numbers = in.slots.take(4);
    require(numbers[0] < no_feature && numbers[3] <= 1, "the counters of a tree are broken");
    slot.name.birth = static_cast<std::uint32_t>(numbers[0]);
    slot.n_warnings = numbers[1], slot.n_alarms = numbers[2];
    slot.gains = in.gains.copy(width);
    detail::read(slot.warning, in);
    detail::read(slot.alarm, in);
    slot.tree = detail::read_tree<L>(forest.growth, in);
    if (numbers[3] == 1) slot.background = detail::read_tree<L>(forest.growth, in);
    for (const auto* tree : {&slot.tree, slot.background ? &*slot.background : &slot.tree}) {
      for (const auto& leaf : tree->leaves) require(leaf.n_rows <= forest.arrivals, "a leaf has met too many rows");
    }
  }
  counters.finish(), origin.finish(), seen.finish(), scales.finish();
  in.finish();
}

}  // namespace hedgerow::online
