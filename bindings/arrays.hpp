// SPDX-License-Identifier: BSD-3-Clause
// The border between NumPy and the core: what an array must be to come in, and how a vector goes out without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hedgerow::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// An argument that is an array, and is never converted.
inline auto array(const char* name) { return nb::arg(name).noconvert(); }

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}
template <class T>
std::vector<T> vector_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

/// What the core finds while other Python threads may run.
template <class Function>
auto without_gil(Function&& f) {
  nb::gil_scoped_release release;
  return f();
}

/// Hands the vector's memory to a new NumPy array.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.begin(), owner);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  const std::size_t n = values.size();
  return to_numpy(std::move(values), {n});
}

/// Several at once, as a tuple.
template <class... T>
auto to_arrays(std::vector<T>&&... values) {
  return std::make_tuple(to_numpy(std::move(values))...);
}

}  // namespace hedgerow::bindings
