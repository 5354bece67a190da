// SPDX-License-Identifier: BSD-3-Clause
// The latest rows of a leaf, at most a fixed number of them: what a split is chosen from, and what its children
// inherit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hedgerow::online {

struct KeptRows {
  std::vector<float> features;  ///< row-major
  std::vector<double> labels;
  std::vector<double> weights;
  std::uint32_t oldest = 0;  ///< which row makes room for the next one, once all places are taken

  [[nodiscard]] std::size_t size() const { return labels.size(); }

  void keep(const float* x, std::size_t width, double label, double weight, std::size_t capacity) {
    if (size() < capacity) {
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
