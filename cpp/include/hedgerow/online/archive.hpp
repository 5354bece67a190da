// SPDX-License-Identifier: BSD-3-Clause
// An online forest as flat arrays, to be written to a file, and back. Reading trusts nothing: an archive that is not a
// forest in every detail is refused with a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "hedgerow/online/forest.hpp"

namespace hedgerow::online {

struct Archive {
  std::vector<std::uint64_t> counters, slots, trees, leaf_counters, detector_counters;
  std::vector<std::uint32_t> features, links, bucket_levels;
  std::vector<float> thresholds, row_features;
  std::vector<double> origin, labels_seen, scales, gains, leaf_moments, row_labels, row_weights, slopes, linear,
      detector_numbers, buckets, leaf_labels;

  /// f(name, array) for every array. The names are the file format.
  template <class Self, class Function>
  static void for_each_array(Self& self, Function&& f) {
    f("counters", self.counters);
    f("origin", self.origin);
    f("seen.labels", self.labels_seen);
    f("seen.features", self.scales);
    f("slots", self.slots);
    f("slots.gains", self.gains);
    f("detectors.counters", self.detector_counters);
    f("detectors.numbers", self.detector_numbers);
    f("buckets.level", self.bucket_levels);
    f("buckets.numbers", self.buckets);
    f("trees", self.trees);
    f("nodes.feature", self.features);
    f("nodes.threshold", self.thresholds);
    f("nodes.link", self.links);
    f("leaves.counters", self.leaf_counters);
    f("leaves.moments", self.leaf_moments);
    f("leaves.linear", self.linear);
    f("leaves.slopes", self.slopes);
    f("leaves.labels", self.leaf_labels);
    f("rows.features", self.row_features);
    f("rows.labels", self.row_labels);
    f("rows.weights", self.row_weights);
  }
};

namespace detail {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("not a valid online forest: ") + what);
}

/// Takes an array apart from its front; asking for more than is left is an error, and so are numbers that are not
/// finite.
template <class T>
class Reader {
 public:
  explicit Reader(const std::vector<T>& values) : values_(values) {}
  T next() { return *take(1); }
  const T* take(std::size_t n) {
    require(n <= values_.size() - at_, "an array is too short");
    const T* begin = values_.data() + at_;
    if constexpr (std::is_floating_point_v<T>) {
      require(std::all_of(begin, begin + n, [](T value) { return std::isfinite(value); }), "a number is not finite");
    }
    at_ += n;
    return begin;
  }
  void finish() const { require(at_ == values_.size(), "an array is too long"); }

 private:
  const std::vector<T>& values_;
  std::size_t at_ = 0;
};

struct Readers {
  explicit Readers(const Archive& archive)
      : slots(archive.slots),
        trees(archive.trees),
        leaf_counters(archive.leaf_counters),
        detector_counters(archive.detector_counters),
        features(archive.features),
        links(archive.links),
        bucket_levels(archive.bucket_levels),
        thresholds(archive.thresholds),
        row_features(archive.row_features),
        gains(archive.gains),
        leaf_moments(archive.leaf_moments),
        row_labels(archive.row_labels),
        row_weights(archive.row_weights),
        slopes(archive.slopes),
        linear(archive.linear),
        detector_numbers(archive.detector_numbers),
        buckets(archive.buckets),
        leaf_labels(archive.leaf_labels) {}
  Reader<std::uint64_t> slots, trees, leaf_counters, detector_counters;
  Reader<std::uint32_t> features, links, bucket_levels;
  Reader<float> thresholds, row_features;
  Reader<double> gains, leaf_moments, row_labels, row_weights, slopes, linear, detector_numbers, buckets, leaf_labels;

  void finish() const {
    for (const auto* reader : {&slots, &trees, &leaf_counters, &detector_counters}) reader->finish();
    for (const auto* reader : {&features, &links, &bucket_levels}) reader->finish();
    for (const auto* reader : {&thresholds, &row_features}) reader->finish();
    for (const auto* reader : {&gains, &leaf_moments, &row_labels, &row_weights, &slopes, &linear, &detector_numbers,
                               &buckets, &leaf_labels}) {
      reader->finish();
    }
  }
};

inline void write(const label::LabelMoments& moments, std::vector<double>& out) {
  out.insert(out.end(), {moments.weight, moments.mean, moments.squares});
}

inline label::LabelMoments read_moments(Reader<double>& in) {
  const double* numbers = in.take(3);
  require(numbers[0] >= 0.0 && numbers[2] >= 0.0, "a weight or a spread is negative");
  return {numbers[0], numbers[1], numbers[2]};
}

inline void write(const drift::Detector& detector, Archive& archive) {
  if (const auto* adwin = std::get_if<drift::Adwin>(&detector)) {
    archive.detector_counters.insert(archive.detector_counters.end(), {adwin->n_updates, adwin->buckets.size()});
    for (const drift::Bucket& bucket : adwin->buckets) {
      archive.bucket_levels.push_back(bucket.level);
      archive.buckets.insert(archive.buckets.end(), {bucket.total, bucket.squares});
    }
  } else if (const auto* test = std::get_if<drift::PageHinkley>(&detector)) {
    archive.detector_counters.push_back(test->n_updates);
    archive.detector_numbers.insert(archive.detector_numbers.end(), {test->mean, test->deviation, test->lowest});
  }
}

inline void read(drift::Detector& detector, Readers& in) {
  if (auto* adwin = std::get_if<drift::Adwin>(&detector)) {
    adwin->n_updates = in.detector_counters.next();
    const std::uint64_t n = in.detector_counters.next();
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t level = in.bucket_levels.next();
      const double* numbers = in.buckets.take(2);
      require(level < 63 && numbers[1] >= 0.0 && (i == 0 || level <= adwin->buckets.back().level),
              "the window of a detector is broken");
      adwin->buckets.push_back({level, numbers[0], numbers[1]});
    }
  } else if (auto* test = std::get_if<drift::PageHinkley>(&detector)) {
    test->n_updates = in.detector_counters.next();
    const double* numbers = in.detector_numbers.take(3);
    test->mean = numbers[0], test->deviation = numbers[1], test->lowest = numbers[2];
  }
}

template <LeafLabels L>
void write(const Leaf<L>& leaf, const Growth& growth, Archive& archive) {
  archive.leaf_counters.insert(archive.leaf_counters.end(),
                               {leaf.n_rows, leaf.last_attempt, leaf.birth, leaf.rows.size(), leaf.rows.oldest});
  write(leaf.moments, archive.leaf_moments);
  archive.leaf_moments.insert(archive.leaf_moments.end(), {leaf.prior.mean, leaf.prior.variance});
  const auto append = [](auto& all, const auto& own) { all.insert(all.end(), own.begin(), own.end()); };
  append(archive.row_features, leaf.rows.features);
  append(archive.row_labels, leaf.rows.labels);
  append(archive.row_weights, leaf.rows.weights);
  leaf.labels.write(archive.leaf_labels);
  if (!growth.linear) return;
  archive.leaf_counters.push_back(leaf.linear.slopes.size());
  append(archive.slopes, leaf.linear.slopes);
  archive.linear.insert(archive.linear.end(), {leaf.linear.intercept, leaf.linear.lowest, leaf.linear.highest});
  write(leaf.linear.errors, archive.linear);
}

template <LeafLabels L>
Leaf<L> read_leaf(const Growth& growth, Readers& in) {
  Leaf<L> leaf;
  const std::uint64_t* counters = in.leaf_counters.take(5);
  leaf.n_rows = counters[0], leaf.last_attempt = counters[1];
  leaf.birth = static_cast<std::uint32_t>(counters[2]), leaf.rows.oldest = static_cast<std::uint32_t>(counters[4]);
  const std::uint64_t n = counters[3];
  leaf.moments = read_moments(in.leaf_moments);
  const double* prior = in.leaf_moments.take(2);
  leaf.prior = {prior[0], prior[1]};
  require(leaf.last_attempt <= leaf.n_rows && (leaf.n_rows > 0) == (leaf.moments.weight > 0.0) &&
              leaf.prior.variance >= 0.0 && n <= growth.leaf_capacity && n <= leaf.n_rows &&
              (n == growth.leaf_capacity ? counters[4] < n : counters[4] == 0),
          "the counters of a leaf are broken");
  const float* features = in.row_features.take(n * growth.width);
  leaf.rows.features.assign(features, features + n * growth.width);
  const double* labels = in.row_labels.take(n);
  leaf.rows.labels.assign(labels, labels + n);
  const double* weights = in.row_weights.take(n);
  require(std::all_of(weights, weights + n, [](double weight) { return weight > 0.0; }), "a weight is not positive");
  leaf.rows.weights.assign(weights, weights + n);
  require(leaf.labels.read(in.leaf_labels), "the labels of a leaf are broken");
  if (!growth.linear) return leaf;
  const std::uint64_t n_slopes = in.leaf_counters.next();
  require(n_slopes == 0 || n_slopes == growth.width, "a linear model has the wrong width");
  const double* slopes = in.slopes.take(n_slopes);
  leaf.linear.slopes.assign(slopes, slopes + n_slopes);
  const double* numbers = in.linear.take(3);
  require(numbers[1] <= numbers[2], "the range of a linear model is empty");
  leaf.linear.intercept = numbers[0], leaf.linear.lowest = numbers[1], leaf.linear.highest = numbers[2];
  leaf.linear.errors = read_moments(in.linear);
  require((n_slopes > 0) == (leaf.linear.errors.weight > 0.0), "a linear model has no errors");
  return leaf;
}

template <LeafLabels L>
void write(const HoeffdingTree<L>& tree, const Growth& growth, Archive& archive) {
  archive.trees.push_back(tree.nodes.size());
  for (const Node& node : tree.nodes) {
    archive.features.push_back(node.feature);
    archive.thresholds.push_back(node.threshold);
    archive.links.push_back(node.link);
  }
  for (const auto& leaf : tree.leaves) write(leaf, growth, archive);
}

/// Children lie behind their parents, and each node but the root, and each leaf, is linked to exactly once.
template <LeafLabels L>
HoeffdingTree<L> read_tree(const Growth& growth, Readers& in) {
  HoeffdingTree<L> tree;
  const std::uint64_t n = in.trees.next();
  const std::uint32_t* features = in.features.take(n);
  const float* thresholds = in.thresholds.take(n);
  const std::uint32_t* links = in.links.take(n);
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
  archive.counters = {forest.arrivals};
  archive.origin = forest.origin;
  detail::write(forest.labels_seen, archive.labels_seen);
  for (const auto& moments : forest.scales.moments) detail::write(moments, archive.scales);
  for (const auto& slot : forest.slots) {
    archive.slots.insert(archive.slots.end(), {slot.name.birth, slot.n_warnings, slot.n_alarms,
                                               static_cast<std::uint64_t>(slot.background.has_value())});
    archive.gains.insert(archive.gains.end(), slot.gains.begin(), slot.gains.end());
    detail::write(slot.warning, archive);
    detail::write(slot.alarm, archive);
    detail::write(slot.tree, forest.growth, archive);
    if (slot.background) detail::write(*slot.background, forest.growth, archive);
  }
  return archive;
}

/// Fill `forest`, made with the right growth, trees and seed, from an archive.
template <LeafLabels L>
void restore(Forest<L>& forest, const Archive& archive) {
  using detail::require;
  const std::size_t width = forest.growth.width;
  detail::Reader counters(archive.counters);
  detail::Reader origin(archive.origin), seen(archive.labels_seen), scales(archive.scales);
  forest.arrivals = counters.next();
  const double* first_row = origin.take(width);
  forest.origin.assign(first_row, first_row + width);
  forest.labels_seen = detail::read_moments(seen);
  require(forest.arrivals > 0 && forest.labels_seen.weight > 0.0, "it has learned nothing");
  for (auto& moments : forest.scales.moments) moments = detail::read_moments(scales);
  detail::Readers in(archive);
  for (auto& slot : forest.slots) {
    const std::uint64_t* numbers = in.slots.take(4);
    require(numbers[0] < no_feature && numbers[3] <= 1, "the counters of a tree are broken");
    slot.name.birth = static_cast<std::uint32_t>(numbers[0]);
    slot.n_warnings = numbers[1], slot.n_alarms = numbers[2];
    const double* gains = in.gains.take(width);
    slot.gains.assign(gains, gains + width);
    detail::read(slot.warning, in);
    detail::read(slot.alarm, in);
    slot.tree = detail::read_tree<L>(forest.growth, in);
    if (numbers[3] == 1) slot.background = detail::read_tree<L>(forest.growth, in);
  }
  counters.finish(), origin.finish(), seen.finish(), scales.finish();
  in.finish();
}

}  // namespace hedgerow::online
