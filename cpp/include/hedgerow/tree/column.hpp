// SPDX-License-Identifier: BSD-3-Clause
// A vector whose changes can be taken back. From `record` on, what an element was before it changed is noted first; if
// there is no memory for the note, nothing has changed. `undo` needs no memory. An element is changed only through
// `edit` and `replace`, so that no change can be forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace hedgerow::tree {

/// Which elements must be noted before they change.
class Noting {
 public:
  /// The first n. If many changes are to come, each once; a few are not worth to remember which were.
  void begin(std::size_t n, bool are_many) {
    if (are_many) is_noted_.assign(n, 0);
    n_ = n;
  }
  void end() noexcept {
    n_ = 0;
    if (!is_noted_.empty()) std::vector<std::uint8_t>().swap(is_noted_);
  }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] bool wants(std::size_t i) const { return i < n_ && (is_noted_.empty() || is_noted_[i] == 0); }
  void done(std::size_t i) {
    if (!is_noted_.empty()) is_noted_[i] = 1;
  }

 private:
  std::size_t n_ = 0;
  std::vector<std::uint8_t> is_noted_;  ///< empty for few changes
};

template <class T>
class Column {
 public:
  Column() = default;
  Column(const Column& other) : values_(other.values_) {}
  Column(Column&&) noexcept = default;
  Column& operator=(const Column& other) {
    values_ = other.values_;
    keep();
    return *this;
  }
  Column& operator=(Column&&) noexcept = default;
  Column& operator=(std::vector<T>&& values) noexcept {
    values_ = std::move(values);
    keep();
    return *this;
  }
  ~Column() = default;

  [[nodiscard]] const T& operator[](std::size_t i) const { return values_[i]; }
  [[nodiscard]] const std::vector<T>& values() const { return values_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  [[nodiscard]] T& edit(std::size_t i) {
    if (noting_.wants(i)) note(i, values_[i]);
    return values_[i];
  }
  void replace(std::size_t i, T&& fresh) {
    if (noting_.wants(i)) note(i, std::move(values_[i]));
    values_[i] = std::move(fresh);
  }
  void push_back(const T& value) { values_.push_back(value); }
  T pop_back() {
    if (noting_.wants(size() - 1)) note(size() - 1, values_.back());
    T last = std::move(values_.back());
    values_.pop_back();
    return last;
  }
  /// Never to fewer than there are.
  void resize(std::size_t n, const T& fill = {}) { values_.resize(n, fill); }
  void clear() {
    while (!values_.empty() && noting_.size() > 0) pop_back();
    values_.clear();
  }

  void record(bool are_many) {
    keep();
    noting_.begin(values_.size(), are_many);
  }
  /// The changes stay.
  void keep() noexcept {
    noting_.end();
    if (notes_.empty()) return;
    notes_.clear();
    if (notes_.capacity() > most_notes) std::vector<Note>().swap(notes_);
  }
  /// All is as it was at `record`.
  void undo() noexcept {
    static_assert(std::is_nothrow_default_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);
    values_.resize(noting_.size());  // in memory that it had then
    for (auto note = notes_.rbegin(); note != notes_.rend(); ++note) values_[note->first] = std::move(note->second);
    keep();
  }

 private:
  using Note = std::pair<std::uint32_t, T>;

  template <class Before>
  void note(std::size_t i, Before&& before) {
    notes_.emplace_back(static_cast<std::uint32_t>(i), std::forward<Before>(before));
    noting_.done(i);
  }

  static constexpr std::size_t most_notes = 1024;  // whose memory is kept for the next change

  std::vector<T> values_;
  Noting noting_;
  std::vector<Note> notes_;  ///< what elements were, in order of the changes
};

}  // namespace hedgerow::tree
