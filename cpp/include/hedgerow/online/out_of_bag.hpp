// SPDX-License-Identifier: BSD-3-Clause
// Calibration rows of an online forest and their scores (Burns n.d., Algorithms 1 to 3). A row is scored by the trees
// that have never learned it. In each tree it waits in the list of its leaf: when the leaf changes, exactly the rows on
// that list are scored anew, so scores are always those of the forest as it is now (CPExact) at the price of a few rows
// a step. Differs from the report: all rows are scored again there, and only every k-th step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/conformal/adaptive_levels.hpp"
#include "hedgerow/conformal/sorted_scores.hpp"
#include "hedgerow/online/calibration_rule.hpp"
#include "hedgerow/online/error_sizes.hpp"
#include "hedgerow/online/forest.hpp"

namespace hedgerow::online {

/// A forecast of a row just before it is learned.
struct Forecast {
  double mean, scale;
};

template <LeafLabels L>
class OutOfBag {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  OutOfBag(const CalibrationRule& chosen, std::size_t width, std::size_t n_trees)
      : rule(chosen), levels(chosen.adaptation_rate), width_(width), n_trees_(n_trees), heads_(n_trees) {}

  CalibrationRule rule;
  conformal::AdaptiveLevels levels;

  [[nodiscard]] double radius(double confidence) const {
    return shrinkage() * sorted_.quantile(levels.confidence(confidence));
  }

  /// By how much scores of out-of-bag trees exceed those of all trees, as a factor: the root of the ratio of mean
  /// squares, but never below one half.
  [[nodiscard]] double shrinkage() const {
    if (!rule.size_matched || !(sum_.value > 0.0)) return 1.0;
    return std::sqrt(std::max(0.25, 1.0 - sum_.excess / sum_.value));
  }

  [[nodiscard]] Forecast forecast(const Forest<L>& forest, const Row& row) const {
    MixtureSum heard;
    for (const auto& slot : forest.slots) {
      heard.hear(forest.is_warm(forest.arrivals) ? slot.speak(row, forest.growth) : forest.outlook());
    }
    return {heard.mean(), rule.scale(heard)};
  }

  /// All that the calibration of n more rows may need, but for what the forests allocate: see their `need`.
  void make_room(const Forest<L>& forest, const ErrorSizes* sizes, std::size_t n) {
    const std::size_t n_new = std::min(n, rule.capacity - size());
    memory::make_room(features_, n_new * width_);
    for (auto* numbers : {&labels_, &factors_}) memory::make_room(*numbers, n_new);
    memory::make_room(scores_, n_new);
    memory::make_room(is_due_, n_new);
    memory::make_room(due_, size() + n_new - due_.size());
    for (auto* list : {&leaves_, &before_, &after_}) memory::make_room(*list, n_new * n_trees_);
    sorted_.make_room(n_new);
    for (std::size_t b = 0; b < n_trees_; ++b) {
      const auto& slot = forest.slots[b];
      const std::size_t n_leaves =
          std::max(slot.tree.leaves.size(), slot.background ? slot.background->leaves.size() : 1);
      if (n_leaves + n > heads_[b].size()) memory::make_room(heads_[b], n_leaves + n - heads_[b].size());
    }
    is_out_.reserve(n_trees_);
    x_.resize(width_);
    z_.resize(forest.scales.moments.size());
    forest.make_room(search_, n);
    if (sizes != nullptr) size_stream_.make_room(*sizes, n);
  }

  /// The forest learns a row, and the calibration follows. With `sizes`, scales are stretched by what it says of the
  /// row before it learns its error; the row keeps that factor.
  Forecast learn(Forest<L>& forest, ErrorSizes* sizes, const double* features, double label, double weight) {
    make_room(forest, sizes, 1);
    if (n_followed_ != forest.arrivals) follow_from_scratch(forest);
    const Arrival arrival = forest.announce(features, label, weight, x_.data(), z_);
    MixtureSum heard;
    is_out_.assign(n_trees_, false);
    for (std::size_t b = 0; b < n_trees_; ++b) {
      label::Gaussian said{};
      const Change change = forest.slots[b].learn(arrival, forest.growth, search_, said);
      heard.hear(forest.is_warm(arrival.number) ? said : arrival.outlook);
      is_out_[b] = change.is_out_of_bag;
      follow(forest, b, change);
    }
    Forecast forecast{heard.mean(), rule.scale(heard)};
    const bool counts = rule.counts(arrival.number, forest.growth);
    double factor = 1.0;
    if (counts && sizes != nullptr) {
      const double error = std::abs(label - forecast.mean) / forecast.scale;
      factor = size_stream_.factor_then_learn(*sizes, features, error, weight);
      forecast.scale *= factor;
    }
    if (counts) levels.update(std::abs(label - forecast.mean) / forecast.scale / shrinkage(), sorted_);
    ++n_followed_;
    if (n_followed_ % rule.update_every == 0) bring_up_to_date(forest);
    if (n_followed_ % rule.capacity == 0) sum_anew();
    if (counts) enter(forest, label, factor);
    return forecast;
  }

  // The rows by age, for files and tests.

  [[nodiscard]] std::size_t size() const { return labels_.size(); }
  [[nodiscard]] std::uint32_t at(std::size_t age) const { return static_cast<std::uint32_t>((oldest_ + age) % size()); }
  [[nodiscard]] const float* row(std::uint32_t r) const { return features_.data() + r * width_; }
  [[nodiscard]] double label(std::uint32_t r) const { return labels_[r]; }
  [[nodiscard]] double factor(std::uint32_t r) const { return factors_[r]; }
  [[nodiscard]] const Score& score(std::uint32_t r) const { return scores_[r]; }
  [[nodiscard]] const Score& sum() const { return sum_; }
  [[nodiscard]] bool is_due(std::uint32_t r) const { return is_due_[r]; }
  [[nodiscard]] bool is_out_of_bag(std::uint32_t r, std::size_t b) const { return leaves_[r * n_trees_ + b] != none; }
  [[nodiscard]] const conformal::SortedScores& sorted() const { return sorted_; }
  [[nodiscard]] std::size_t n_trees() const { return n_trees_; }
  [[nodiscard]] std::size_t width() const { return width_; }

  /// A row as it was written to a file, after all older ones.
  void restore(const float* x, double label, double factor, const Score& score, bool is_due,
               const std::vector<bool>& is_out) {
    const std::uint32_t r = take_place();
    std::copy(x, x + width_, features_.begin() + static_cast<std::ptrdiff_t>(r * width_));
    labels_[r] = label;
    factors_[r] = factor;
    scores_[r] = score;
    sorted_.insert(score.value);
    for (std::size_t b = 0; b < n_trees_; ++b) leaves_[r * n_trees_ + b] = is_out[b] ? 0 : none;
    if (is_due) mark(r);
  }
  /// All rows are back: find their leaves.
  void restored(const Forest<L>& forest, const Score& sum) {
    sum_ = sum;
    for (std::size_t b = 0; b < n_trees_; ++b) route_all(forest, b, false);
    n_followed_ = forest.arrivals;
  }

 private:
  void mark(std::uint32_t r) {
    if (is_due_[r]) return;
    is_due_[r] = true;
    due_.push_back(r);
  }

  void link(std::size_t b, std::uint32_t r, std::uint32_t leaf) {
    const std::size_t entry = r * n_trees_ + b;
    auto& head = heads_[b][leaf];
    leaves_[entry] = leaf;
    before_[entry] = none;
    after_[entry] = head;
    if (head != none) before_[head * n_trees_ + b] = r;
    head = r;
  }

  void unlink(std::size_t b, std::uint32_t r) {
    const std::size_t entry = r * n_trees_ + b;
    const std::uint32_t left = before_[entry], right = after_[entry];
    (left == none ? heads_[b][leaves_[entry]] : after_[left * n_trees_ + b]) = right;
    if (right != none) before_[right * n_trees_ + b] = left;
  }

  /// Find the leaves of all rows that tree b has never learned.
  void route_all(const Forest<L>& forest, std::size_t b, bool marks) {
    const auto& tree = forest.slots[b].tree;
    heads_[b].assign(tree.leaves.size(), none);
    for (std::size_t age = 0; age < size(); ++age) {
      const std::uint32_t r = at(age);
      if (!is_out_of_bag(r, b)) continue;
      link(b, r, tree.leaf_of(row(r)));
      if (marks) mark(r);
    }
  }

  /// The forest has learned rows without us.
  void follow_from_scratch(const Forest<L>& forest) {
    for (std::size_t b = 0; forest.arrivals > 0 && b < n_trees_; ++b) route_all(forest, b, true);
    n_followed_ = forest.arrivals;
  }

  /// Tree b has learned a row: mark the rows in the leaf that changed, and part them if it was split.
  void follow(const Forest<L>& forest, std::size_t b, const Change& change) {
    if (change.is_replaced) return route_all(forest, b, true);
    heads_[b].resize(forest.slots[b].tree.leaves.size(), none);
    if (change.leaf == Change::nothing) return;
    for (std::uint32_t r = heads_[b][change.leaf]; r != none;) {
      const std::uint32_t next = after_[r * n_trees_ + b];
      mark(r);
      if (change.sibling != Change::nothing && row(r)[change.split.feature] > change.split.threshold) {
        unlink(b, r);
        link(b, r, change.sibling);
      }
      r = next;
    }
  }

  /// Sums of squares follow the scores; now and then they are added up again, for rounding errors would pile up.
  void count(const Score& score, double sign) {
    sum_.value += sign * score.value * score.value;
    sum_.excess += sign * score.excess;
  }
  void sum_anew() {
    sum_ = {};
    for (std::size_t age = 0; age < size(); ++age) count(scores_[at(age)], 1.0);
  }

  [[nodiscard]] Score score_now(const Forest<L>& forest, std::uint32_t r) const {
    MixtureSum heard;
    for (std::size_t b = 0; b < n_trees_; ++b) {
      const std::uint32_t leaf = leaves_[r * n_trees_ + b];
      if (leaf != none) heard.hear(forest.slots[b].tree.leaves[leaf].speak());
    }
    return Score::of(labels_[r], heard, factors_[r], static_cast<double>(n_trees_), rule);
  }

  /// Oldest rows first: sums have the same bits in a calibration that was read from a file, whose lists are others.
  void bring_up_to_date(const Forest<L>& forest) {
    std::ranges::sort(due_, {}, [this](std::uint32_t r) { return (r + size() - oldest_) % size(); });
    for (const std::uint32_t r : due_) {
      is_due_[r] = false;
      const Score fresh = score_now(forest, r);
      if (fresh.value != scores_[r].value) sorted_.replace(scores_[r].value, fresh.value);
      count(scores_[r], -1.0);
      count(fresh, 1.0);
      scores_[r] = fresh;
    }
    due_.clear();
  }

  /// A place for a new row: a fresh one, or that of the oldest.
  std::uint32_t take_place() {
    const std::size_t n = size();
    if (n < rule.capacity) {
      features_.resize((n + 1) * width_);
      labels_.push_back(0.0);
      factors_.push_back(1.0);
      scores_.emplace_back();
      is_due_.push_back(false);
      for (auto* list : {&leaves_, &before_, &after_}) list->resize((n + 1) * n_trees_, none);
      return static_cast<std::uint32_t>(n);
    }
    const std::uint32_t r = oldest_;
    oldest_ = (oldest_ + 1) % static_cast<std::uint32_t>(rule.capacity);
    for (std::size_t b = 0; b < n_trees_; ++b) {
      if (is_out_of_bag(r, b)) unlink(b, r);
    }
    sorted_.erase(scores_[r].value);
    count(scores_[r], -1.0);
    if (is_due_[r]) {
      is_due_[r] = false;
      std::erase(due_, r);
    }
    return r;
  }

  /// The row just learned joins the calibration if some tree did not learn it (Burns n.d., Algorithm 1).
  void enter(const Forest<L>& forest, double label, double factor) {
    if (std::find(is_out_.begin(), is_out_.end(), true) == is_out_.end()) return;
    const std::uint32_t r = take_place();
    std::copy(x_.begin(), x_.end(), features_.begin() + static_cast<std::ptrdiff_t>(r * width_));
    labels_[r] = label;
    factors_[r] = factor;
    for (std::size_t b = 0; b < n_trees_; ++b) {
      leaves_[r * n_trees_ + b] = none;
      if (is_out_[b]) link(b, r, forest.slots[b].tree.leaf_of(x_.data()));
    }
    scores_[r] = score_now(forest, r);
    sorted_.insert(scores_[r].value);
    count(scores_[r], 1.0);
  }

  std::size_t width_, n_trees_;
  std::vector<float> features_;  ///< of rows, by place
  std::vector<double> labels_, factors_;
  std::vector<Score> scores_;
  Score sum_;                                  ///< of all rows: squared scores, and their excess
  std::vector<bool> is_due_;                   ///< has a leaf of the row changed since it was scored?
  std::vector<std::uint32_t> leaves_;          ///< [place * n_trees + tree]: the row's leaf; none if it is in the bag
  std::vector<std::uint32_t> before_, after_;  ///< likewise: neighbours in the list of that leaf
  std::vector<std::vector<std::uint32_t>> heads_;  ///< of each tree and leaf: the first row on its list
  std::vector<std::uint32_t> due_;
  std::uint32_t oldest_ = 0;
  conformal::SortedScores sorted_;
  std::uint64_t n_followed_ = 0;  ///< rows that the forest had learned when we last looked

  SplitSearch search_;
  SizeStream size_stream_;
  std::vector<float> x_;
  std::vector<double> z_;
  std::vector<bool> is_out_;
};

}  // namespace hedgerow::online
