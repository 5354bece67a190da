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
    if (must_note(i)) note(i, values_[i]);
    return values_[i];
  }
  void replace(std::size_t i, T&& fresh) {
    if (must_note(i)) note(i, std::move(values_[i]));
    values_[i] = std::move(fresh);
  }
  void push_back(const T& value) { values_.push_back(value); }
  T pop_back() {
    if (must_note(size() - 1)) note(size() - 1, values_.back());
    T last = std::move(values_.back());
    values_.pop_back();
    return last;
  }
  /// Never to fewer than there are.
  void resize(std::size_t n, const T& fill = {}) { values_.resize(n, fill); }
  void clear() {
    while (!values_.empty() && n_recorded_ > 0) pop_back();
    values_.clear();
  }

  /// If many changes are to come, an element is noted once; a few are not worth to remember which were.
  void record(bool are_many) {
    notes_.clear();
    is_noted_.assign(are_many ? values_.size() : 0, false);
    n_recorded_ = values_.size();
  }
  /// The changes stay.
  void keep() noexcept {
    n_recorded_ = 0;
    notes_.clear();
    if (notes_.capacity() > most_notes) std::vector<Note>().swap(notes_);
    if (!is_noted_.empty()) std::vector<bool>().swap(is_noted_);
  }
  /// All is as it was at `record`.
  void undo() noexcept {
    static_assert(std::is_nothrow_default_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);
    values_.resize(n_recorded_);  // in memory that it had then
    for (auto note = notes_.rbegin(); note != notes_.rend(); ++note) values_[note->first] = std::move(note->second);
    keep();
  }

 private:
  using Note = std::pair<std::uint32_t, T>;

  [[nodiscard]] bool must_note(std::size_t i) const { return i < n_recorded_ && (is_noted_.empty() || !is_noted_[i]); }
  template <class Before>
  void note(std::size_t i, Before&& before) {
    notes_.emplace_back(static_cast<std::uint32_t>(i), std::forward<Before>(before));
    if (!is_noted_.empty()) is_noted_[i] = true;
  }

  static constexpr std::size_t most_notes = 1024;  // whose memory is kept for the next change

  std::vector<T> values_;
  std::size_t n_recorded_ = 0;  ///< elements whose changes are noted; those behind them are new
  std::vector<Note> notes_;     ///< what they were, in order of the changes
  std::vector<bool> is_noted_;  ///< which are among the notes; empty for few changes
};

}  // namespace hedgerow::tree
