// SPDX-License-Identifier: BSD-3-Clause
// Fills a new array of an archive part by part: what `Reader` takes apart.
#pragma once

#include <initializer_list>

#include "hedgerow/archive/archive.hpp"

namespace hedgerow::archive {

/// The archive must outlive it.
template <class T>
struct Writer {
  Writer(Archive& archive, const char* name) : values(archive.add<T>(name)) {}

  std::vector<T>& values;

  void append(std::initializer_list<T> part) { values.insert(values.end(), part); }
  void append(const std::vector<T>& part) { values.insert(values.end(), part.begin(), part.end()); }
};

}  // namespace hedgerow::archive
