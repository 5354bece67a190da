// SPDX-License-Identifier: BSD-3-Clause
// log Gamma for positive arguments, from the same few operations on every machine; the library's own writes to a
// global on the way, which threads must not. Within 1e-14 of the truth, relative to 1 or to the value if that is
// larger.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace hedgerow::numeric {

/// Stirling's series above 10; below, log Gamma(x) = log Gamma(x + 1) - log x moves the argument there.
inline double log_gamma(double x) {
  double product = 1.0;
  for (; x < 10.0; x += 1.0) product *= x;
  const double inverse = 1.0 / x, square = inverse * inverse;
  const double series =
      inverse *
      (1.0 / 12 -
       square * (1.0 / 360 -
                 square * (1.0 / 1260 - square * (1.0 / 1680 - square * (1.0 / 1188 - square * 691.0 / 360360)))));
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return (x - 0.5) * std::log(x) - x + half_log_two_pi + series - std::log(product);
}

/// log Gamma(offset + step * n), looked up for the whole numbers n that most counts are.
class LogGammaTable {
 public:
  LogGammaTable(double offset, double step, std::size_t most) : offset_(offset), step_(step), values_(most + 1) {
    for (std::size_t n = 0; n <= most; ++n) values_[n] = log_gamma(offset_ + step_ * static_cast<double>(n));
  }

  /// Any count that is not negative.
  [[nodiscard]] double at(double count) const {
    if (count < static_cast<double>(values_.size())) {
      const auto whole = static_cast<std::size_t>(count);
      if (static_cast<double>(whole) == count) return values_[whole];
    }
    return log_gamma(offset_ + step_ * count);
  }

 private:
  double offset_, step_;
  std::vector<double> values_;
};

}  // namespace hedgerow::numeric
