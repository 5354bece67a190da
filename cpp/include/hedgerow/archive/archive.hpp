// SPDX-License-Identifier: BSD-3-Clause
// A model as plain arrays, each with a name: what goes into a file, and what comes back. The names are the file format.
// What comes back is trusted in nothing: every number is checked before it is used, and the first that is wrong ends
// the reading with a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hedgerow::archive {

/// What was read is not what was announced.
struct Broken : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw Broken(what);
}

template <class Values>
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); });
}

/// Every type of number that a file may hold.
using Array = std::variant<std::vector<std::uint8_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>,
                           std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

class Archive {
 public:
  /// A new array, which stays where it is while others are added.
  template <class T>
  std::vector<T>& add(std::string name, std::vector<T> values = {}) {
    arrays_.push_back({std::move(name), std::move(values)});
    return std::get<std::vector<T>>(arrays_.back().values);
  }

  template <class T>
  [[nodiscard]] bool has(const std::string& name) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const Named& array) {
      return array.name == name && std::holds_alternative<std::vector<T>>(array.values);
    });
  }

  /// An array that must be there, of this type.
  template <class T>
  [[nodiscard]] const std::vector<T>& get(const std::string& name) const {
    for (const auto& array : arrays_) {
      if (array.name != name) continue;
      if (const auto* found = std::get_if<std::vector<T>>(&array.values)) return *found;
    }
    throw Broken("the array " + name + " is missing or mistyped");
  }
  template <class T>
  [[nodiscard]] std::vector<T>& get(const std::string& name) {
    return const_cast<std::vector<T>&>(std::as_const(*this).template get<T>(name));
  }

  [[nodiscard]] std::size_t n_bytes() const {
    std::size_t total = 0;
    for (const Named& array : arrays_) {
      total += std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array.values);
    }
    return total;
  }

  /// f(name, vector) for every array, in the order in which they were added.
  template <class Function>
  void for_each(Function&& f) {
    for (auto& array : arrays_) std::visit([&](auto& values) { f(std::as_const(array.name), values); }, array.values);
  }

  friend bool operator==(const Archive&, const Archive&) = default;

 private:
  struct Named {
    std::string name;
    Array values;
    friend bool operator==(const Named&, const Named&) = default;
  };
  std::deque<Named> arrays_;
};

}  // namespace hedgerow::archive
