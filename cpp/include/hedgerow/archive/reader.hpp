// SPDX-License-Identifier: BSD-3-Clause
// Takes an array of an archive apart from its front, for parts whose lengths are only known while they are read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "hedgerow/archive/archive.hpp"

namespace hedgerow::archive {

/// Asking for more than is left is an error, and so are numbers that are not finite. The archive must outlive it.
template <class T>
class Reader {
 public:
  Reader(const Archive& archive, const char* name) : name_(name), left_(archive.get<T>(name)) {}

  T next() { return take(1)[0]; }

  std::span<const T> take(std::size_t n) {
    if (n > left_.size()) throw Broken(std::string("the array ") + name_ + " is too short");
    const std::span<const T> taken = left_.first(n);
    if constexpr (std::is_floating_point_v<T>) {
      if (!all_finite(taken)) throw Broken(std::string("a number of the array ") + name_ + " is not finite");
    }
    left_ = left_.subspan(n);
    return taken;
  }
  /// The same as a vector of its own.
  std::vector<T> copy(std::size_t n) {
    const std::span<const T> taken = take(n);
    return {taken.begin(), taken.end()};
  }

  void finish() const {
    if (!left_.empty()) throw Broken(std::string("the array ") + name_ + " is too long");
  }

 private:
  const char* name_;
  std::span<const T> left_;
};

}  // namespace hedgerow::archive
