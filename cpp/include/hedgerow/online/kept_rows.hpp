// SPDX-License-Identifier: BSD-3-Clause
// The latest rows of a leaf, at most a fixed number of them: what a split is chosen from, and what its children
// inherit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hedgerow/memory/reserve.hpp"

namespace hedgerow::online {

struct KeptRows {
  memory::Vector<float> features;  ///< row-major
  memory::Vector<double> labels;
  memory::Vector<double> weights;
  std::uint32_t oldest = 0;  ///< which row makes room for the next one, once all places are taken

  [[nodiscard]] std::size_t size() const { return labels.size(); }

  void keep(const float* x, std::size_t width, double label, double weight, std::size_t capacity) {
    if (size() < capacity) {
      if (size() == weights.capacity()) reserve(std::min(capacity, grown(size())), width);
      features.insert(features.end(), x, x + width);
      labels.push_back(label);
      weights.push_back(weight);
      return;
    }
    std::copy(x, x + width, features.begin() + static_cast<std::ptrdiff_t>(oldest * width));
    labels[oldest] = label;
    weights[oldest] = weight;
    oldest = (oldest + 1) % static_cast<std::uint32_t>(capacity);
  }

  void reserve(std::size_t n, std::size_t width) {
    features.reserve(n * width);
    labels.reserve(n);
    weights.reserve(n);
  }
  /// What `reserve` allocates, for rows up to so many; also for two leaves that share them.
  [[nodiscard]] static std::size_t need(std::size_t n, std::size_t width) {
    return n * (width * sizeof(float) + 2 * sizeof(double)) + 6 * memory::rounded(0);
  }
  /// Rows for which there is room when n were there and there was none.
  [[nodiscard]] static std::size_t grown(std::size_t n) { return std::max<std::size_t>(4, 2 * n); }

  /// f(row, label, weight) for each row, in order of arrival.
  template <class Function>
  void for_each(std::size_t width, Function&& f) const {
    for (std::size_t k = 0; k < size(); ++k) {
      const std::size_t i = (oldest + k) % size();
      f(features.data() + i * width, labels[i], weights[i]);
    }
  }

  [[nodiscard]] std::size_t n_bytes() const {
    return features.capacity() * sizeof(float) + (labels.capacity() + weights.capacity()) * sizeof(double);
  }
};

}  // namespace hedgerow::online
