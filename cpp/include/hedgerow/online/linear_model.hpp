// SPDX-License-Identifier: BSD-3-Clause
// A linear model of a leaf's labels that learns by normalised steps (Ikonomovska, Gama and Dzeroski 2011, section 3.2)
// and never leaves the range of labels that the leaf has met: unclamped, such models are known to run away.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "hedgerow/label/gaussian_labels.hpp"
#include "hedgerow/memory/reserve.hpp"

namespace hedgerow::online {

/// Centre and scale of each feature over the whole stream, so that a step is the same in any unit.
struct FeatureScales {
  std::vector<label::LabelMoments> moments;

  void see(const float* x) {
    for (std::size_t d = 0; d < moments.size(); ++d) moments[d].add(static_cast<double>(x[d]), 1.0);
  }
  /// Standardised features, cut off at three deviations.
  void standardise(const float* x, std::vector<double>& z) const {
    z.resize(moments.size());
    for (std::size_t d = 0; d < moments.size(); ++d) {
      const auto& seen = moments[d];
      const double deviation = seen.weight > 0.0 ? std::sqrt(seen.squares / seen.weight) : 0.0;
      z[d] = deviation > 0.0 ? std::clamp((static_cast<double>(x[d]) - seen.mean) / deviation, -3.0, 3.0) : 0.0;
    }
  }
};

struct LinearModel {
  memory::Vector<double> slopes;  ///< of standardised features; empty before the first row
  double intercept = 0.0;
  double lowest = 0.0, highest = 0.0;  ///< labels met
  label::LabelMoments errors;          ///< of predictions made before their labels were learned

  static constexpr double step = 0.1;

  [[nodiscard]] double predict(const std::vector<double>& z) const {
    double sum = intercept;
    for (std::size_t d = 0; d < slopes.size(); ++d) sum += slopes[d] * z[d];
    return std::clamp(sum, lowest, highest);
  }

  void learn(const std::vector<double>& z, double label, double weight) {
    if (slopes.empty()) {
      slopes.assign(z.size(), 0.0);
      intercept = lowest = highest = label;
    }
    const double error = label - predict(z);
    errors.add(error, weight);
    lowest = std::min(lowest, label);
    highest = std::max(highest, label);
    double length = 1.0;
    for (const double value : z) length += value * value;
    const double move = (1.0 - std::pow(1.0 - step, weight)) * error / length;
    intercept += move;
    for (std::size_t d = 0; d < z.size(); ++d) slopes[d] += move * z[d];
  }
};

}  // namespace hedgerow::online
