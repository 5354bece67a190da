// SPDX-License-Identifier: BSD-3-Clause
// The rows that a forest has learned and not unlearned, kept once for all its trees: features as they were given and in
// forest units, label and weight. A row's number is reused after the row has been forgotten, never before; of a
// forgotten row nothing is kept.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/structure/scaling.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::mondrian {

using tree::RowId;

class Rows {
 public:
  explicit Rows(std::size_t width = 0) : width_(width) {}

  std::vector<double> given;    ///< features in the user's units, row-major, D a row
  std::vector<float> features;  ///< the same in forest units
  std::vector<double> labels;
  std::vector<double> weights;         ///< empty while every weight is one
  std::vector<std::uint8_t> repeated;  ///< 1 where another row stands for the place, see Places; empty while none does
  std::vector<RowId> freed;            ///< numbers that wait to be reused, last first
  bool are_a_set = false;              ///< must nothing depend on the order in which they came? With keyed cuts

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t capacity() const { return labels.size(); }
  [[nodiscard]] std::size_t size() const { return labels.size() - freed.size(); }
  [[nodiscard]] const float* row(RowId id) const { return features.data() + static_cast<std::size_t>(id) * width_; }
  [[nodiscard]] const double* as_given(RowId id) const { return given.data() + static_cast<std::size_t>(id) * width_; }
  [[nodiscard]] double weight(RowId id) const { return weights.empty() ? 1.0 : weights[id]; }
  /// How many rows it counts as where rows are counted: a weight above one is that of copies, one below makes a row
  /// say less, but it is there.
  [[nodiscard]] double count(RowId id) const { return weights.empty() ? 1.0 : std::max(weights[id], 1.0); }
  /// An order by what rows are. Rows that are equal in it differ in nothing that is kept.
  [[nodiscard]] std::strong_ordering compared(RowId a, RowId b) const {
    for (std::size_t d = 0; d < width_; ++d) {
      if (const auto order = std::strong_order(as_given(a)[d], as_given(b)[d]); order != 0) return order;
    }
    if (const auto order = std::strong_order(labels[a], labels[b]); order != 0) return order;
    return std::strong_order(weight(a), weight(b));
  }
  /// A number that follows from features and label, and by which rows lie in no order that anybody could know. A row of
  /// weight two lies where two rows would.
  [[nodiscard]] std::uint64_t key(RowId id) const {
    std::uint64_t key = std::bit_cast<std::uint64_t>(labels[id]);
    const auto mix = [&](double value) {
      key = (key ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;
      key ^= key >> 29;
    };
    for (std::size_t d = 0; d < width_; ++d) mix(as_given(id)[d]);
    return key * 0xBF58476D1CE4E5B9;
  }
  [[nodiscard]] bool is_repeated(RowId id) const { return !repeated.empty() && repeated[id] != 0; }

  RowId add(const Scaling& scaling, const double* x, double label, double weight) {
    if (capacity() >= tree::none - 1 && freed.empty()) {
      throw std::length_error("a forest holds at most 4294967294 rows");
    }
    const bool is_weighted = !weights.empty() || weight != 1.0;
    if (is_weighted) weights.resize(capacity(), 1.0);
    RowId id = 0;
    if (freed.empty()) {
      id = static_cast<RowId>(capacity());
      given.resize(given.size() + width_);
      features.resize(features.size() + width_);
      if (is_weighted) weights.push_back(weight);
      if (!repeated.empty()) repeated.push_back(0);
      labels.push_back(label);
    } else {
      id = freed.back();
      freed.pop_back();
      labels[id] = label;
      if (is_weighted) weights[id] = weight;
    }
    std::copy_n(x, width_, given.data() + static_cast<std::size_t>(id) * width_);
    scale(scaling, id);
    return id;
  }

  /// Bring a row into the units of a scaling.
  void scale(const Scaling& scaling, RowId id) {
    scaling.scale_row(as_given(id), features.data() + static_cast<std::size_t>(id) * width_);
  }

  void mark_repeated(RowId id, bool is_so) {
    if (repeated.empty() && is_so) repeated.assign(capacity(), 0);
    if (!repeated.empty()) repeated[id] = static_cast<std::uint8_t>(is_so);
  }

  /// So that as many rows can be freed without memory.
  void make_room_for_freed(std::size_t n) {
    if (freed.capacity() < freed.size() + n) freed.reserve(std::max(freed.size() + n, 2 * freed.capacity()));
  }

  void free(RowId id) {
    const std::size_t first = static_cast<std::size_t>(id) * width_;
    std::fill_n(given.data() + first, width_, 0.0);
    std::fill_n(features.data() + first, width_, 0.0F);
    labels[id] = 0.0;
    if (!weights.empty()) weights[id] = 1.0;
    if (!repeated.empty()) repeated[id] = 0;
    freed.push_back(id);
  }

  /// Enough to take back rows that are added later.
  struct Mark {
    std::size_t capacity;
    bool is_weighted, is_repeated;
  };
  [[nodiscard]] Mark mark() const { return {capacity(), !weights.empty(), !repeated.empty()}; }

  /// Rows added since the mark, given in that order, were never here. Needs no memory.
  void take_back(const Mark& mark, std::span<const RowId> added) noexcept {
    for (std::size_t k = added.size(); k-- > 0;) {
      if (added[k] < mark.capacity) free(added[k]);  // it was freed before, and the list had room for it
    }
    given.resize(mark.capacity * width_);
    features.resize(mark.capacity * width_);
    labels.resize(mark.capacity);
    weights.resize(mark.is_weighted ? mark.capacity : 0);
    repeated.resize(mark.is_repeated ? mark.capacity : 0);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    std::vector<bool> is_free(capacity(), false);
    for (const RowId id : freed) is_free[id] = true;
    for (RowId id = 0; id < capacity(); ++id) {
      if (!is_free[id]) visit(id);
    }
  }

 private:
  std::size_t width_;
};

/// Bring rows into an order that follows from what they are; of those that are equal in all, `is_first(a, b)` tells.
template <class IsFirst>
void sort_as_set(const Rows& rows, std::vector<RowId>& members, IsFirst&& is_first) {
  std::vector<std::pair<std::uint64_t, RowId>> keyed;
  keyed.reserve(members.size());
  for (const RowId id : members) keyed.emplace_back(rows.key(id), id);
  const auto is_before = [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const std::strong_ordering order = rows.compared(a.second, b.second);
    return order == 0 ? is_first(a.second, b.second) : order < 0;
  };
  if (std::is_sorted(keyed.begin(), keyed.end(), is_before)) return;
  std::sort(keyed.begin(), keyed.end(), is_before);
  std::transform(keyed.begin(), keyed.end(), members.begin(), [](const auto& each) { return each.second; });
}

}  // namespace hedgerow::mondrian
