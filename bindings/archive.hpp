// SPDX-License-Identifier: BSD-3-Clause
// Archives of the core as dictionaries of arrays, and back.
#pragma once

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "hedgerow/archive/archive.hpp"

namespace hedgerow::bindings {

inline nb::dict to_dict(archive::Archive&& archive) {
  nb::dict arrays;
  archive.for_each([&](const std::string& name, auto& values) { arrays[name.c_str()] = to_numpy(std::move(values)); });
  return arrays;
}

/// The array, if it is of a type that archives hold; others are as good as missing.
template <class... T>
void take_array(archive::Archive& archive, const std::string& name, nb::handle value,
                const std::variant<std::vector<T>...>*) {
  const auto take = [&]<class Number>(const Vector<Number>& array) {
    if (!nb::try_cast(value, const_cast<Vector<Number>&>(array), false)) return false;
    archive.add(name, vector_of(array));
    return true;
  };
  static_cast<void>((take(Vector<T>{}) || ...));
}

inline archive::Archive archive_of(const nb::dict& arrays) {
  archive::Archive archive;
  for (const auto [name, value] : arrays) {
    take_array(archive, nb::cast<std::string>(name), value, static_cast<const archive::Array*>(nullptr));
  }
  return archive;
}

/// Runs a reading; what is broken is said to be broken in `what`, such as "forest".
template <class Function>
void read_as(const char* what, Function&& read) {
  try {
    read();
  } catch (const archive::Broken& broken) {
    throw std::invalid_argument("not a valid " + (what + (": " + std::string(broken.what()))));
  }
}

/// For whatever has `archived` and `restore`.
template <class Self>
void bind_archive(nb::class_<Self>& bound, const char* what) {
  bound.def("archive", [](const Self& self) { return to_dict(archived(self)); })
      .def("restore",
           [what](Self& self, const nb::dict& arrays) { read_as(what, [&] { restore(self, archive_of(arrays)); }); });
}

}  // namespace hedgerow::bindings
