// SPDX-License-Identifier: BSD-3-Clause
// How many customers a restaurant has of each class, and what they weigh: a sparse count, sorted by class, so that a
// node pays only for the classes that have come by. One class, which is what most nodes have, needs no memory of its
// own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace hedgerow::label {

using ClassId = std::uint32_t;

class ClassTally {
 public:
  struct Entry {
    double weight;  ///< of all of them
    ClassId label;
    std::uint32_t count;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  ClassTally() = default;
  ClassTally(const ClassTally& other) { assign(other.entries()); }
  ClassTally(ClassTally&& other) noexcept { swap(other); }
  ClassTally& operator=(const ClassTally& other) {
    if (this != &other) assign(other.entries());
    return *this;
  }
  ClassTally& operator=(ClassTally&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ClassTally() { release(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const Entry> entries() const { return {data(), size_}; }
  friend bool operator==(const ClassTally& a, const ClassTally& b) {
    return std::ranges::equal(a.entries(), b.entries());
  }

  /// Memory besides its own.
  [[nodiscard]] std::size_t n_bytes() const { return capacity_ > 1 ? capacity_ * sizeof(Entry) : 0; }

  /// More customers of a class that may be new here.
  void add(ClassId label, double weight, std::uint32_t count) {
    Entry* const end = data() + size_;
    Entry* const at = std::lower_bound(data(), end, label, [](const Entry& e, ClassId id) { return e.label < id; });
    if (at != end && at->label == label) {
      at->weight += weight;
      at->count += count;
    } else {
      const auto place = static_cast<std::size_t>(at - data());
      make_room(size_ + 1);
      std::copy_backward(data() + place, data() + size_, data() + size_ + 1);
      data()[place] = {weight, label, count};
      ++size_;
    }
  }

  /// A class beyond all that are here.
  void append(ClassId label, double weight, std::uint32_t count) {
    if (size_ == capacity_) make_room(size_ + 1);
    data()[size_++] = {weight, label, count};
  }

  void make_room(std::size_t n) {
    if (n <= capacity_) return;
    const std::size_t wider = std::max<std::size_t>(n, capacity_ == 1 ? 2 : capacity_ + capacity_ / 2);
    Entry* const fresh = new Entry[wider];
    std::copy_n(data(), size_, fresh);
    release();
    held_.many = fresh;
    capacity_ = static_cast<std::uint32_t>(wider);
  }

 private:
  void assign(std::span<const Entry> entries) {
    size_ = 0;
    make_room(entries.size());
    std::copy(entries.begin(), entries.end(), data());
    size_ = static_cast<std::uint32_t>(entries.size());
  }
  void swap(ClassTally& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(held_, other.held_);
  }
  void release() {
    if (capacity_ > 1) delete[] held_.many;
  }
  [[nodiscard]] Entry* data() { return capacity_ > 1 ? held_.many : &held_.one; }
  [[nodiscard]] const Entry* data() const { return capacity_ > 1 ? held_.many : &held_.one; }

  union Held {
    Entry one{};  ///< while the capacity is one
    Entry* many;  ///< beyond
  };

  std::uint32_t size_ = 0, capacity_ = 1;
  Held held_{};
};

}  // namespace hedgerow::label
