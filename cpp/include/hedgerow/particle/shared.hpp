// SPDX-License-Identifier: BSD-3-Clause
// A value that many particles hold together and nobody changes: what they have in common after resampling is kept
// once. The count of holders is plain, so all of them belong to one thread at a time.
#pragma once

#include <cstddef>
#include <utility>

namespace hedgerow::particle {

template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T value) : counted_(new Counted{std::move(value), 1}) {}
  Shared(const Shared& other) : counted_(other.counted_) {
    if (counted_ != nullptr) ++counted_->n_holders;
  }
  Shared(Shared&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(counted_, other.counted_);
    return *this;
  }
  ~Shared() {
    if (counted_ != nullptr && --counted_->n_holders == 0) delete counted_;
  }

  explicit operator bool() const { return counted_ != nullptr; }
  const T& operator*() const { return counted_->value; }
  const T* operator->() const { return &counted_->value; }
  [[nodiscard]] const T* get() const { return counted_ == nullptr ? nullptr : &counted_->value; }

 private:
  struct Counted {
    T value;
    std::size_t n_holders;
  };
  Counted* counted_ = nullptr;
};

}  // namespace hedgerow::particle
