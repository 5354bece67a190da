// SPDX-License-Identifier: BSD-3-Clause
// A small stream whose labels depend on two of its features, and turn over half-way if asked.
#pragma once

#include <vector>

#include "hedgerow/online/forest.hpp"

namespace hedgerow::online::tests {

struct Sample {
  std::vector<double> features, labels;
  std::size_t width;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  [[nodiscard]] Batch batch(std::size_t begin, std::size_t end) const {
    return {features.data() + begin * width, labels.data() + begin, nullptr, end - begin};
  }
  [[nodiscard]] Batch all() const { return batch(0, size()); }
};

inline Sample draw_stream(std::size_t n, std::size_t width, bool drifts = false) {
  random::Stream drawn(5, random::Purpose::grow, 0, 0);
  Sample sample{{}, {}, width};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < width; ++d) sample.features.push_back(1000.0 + drawn.uniform());
    const double* x = sample.features.data() + i * width;
    const double signal = (x[0] > 1000.4 ? 3.0 : 0.0) + 2.0 * (x[1] - 1000.0);
    sample.labels.push_back((drifts && i >= n / 2 ? -signal : signal) + 0.2 * drawn.uniform());
  }
  return sample;
}

inline Growth some_growth(std::size_t width) {
  Growth growth;
  growth.width = width;
  growth.grace_period = 20;
  growth.n_candidates = 2;
  growth.split_confidence = 0.1;
  return growth;
}

}  // namespace hedgerow::online::tests
