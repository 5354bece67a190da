// SPDX-License-Identifier: BSD-3-Clause
// A leaf that keeps a quantile sketch of its labels (Burns n.d., Algorithm 4). A weight is a number of copies; what
// is left of a weight that is not whole is rounded at random. Differs from the report, where weights are ignored.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "hedgerow/online/growth.hpp"
#include "hedgerow/online/leaf_labels.hpp"
#include "hedgerow/random/stream.hpp"
#include "hedgerow/sketch/kll.hpp"

namespace hedgerow::online {

struct SketchedLabels {
  sketch::Kll sketch;
  std::uint64_t n_rounded = 0;  ///< weights that were rounded at random

  void add(double label, double weight, const Growth& growth, const LeafName& name) {
    constexpr double most = 1e15;
    double copies = std::floor(std::min(weight, most));
    if (const double rest = weight - copies; copies < most && rest > 0.0) {
      copies += draw(name, 1, n_rounded++).uniform() < rest ? 1.0 : 0.0;
    }
    sketch.add(label, static_cast<std::uint64_t>(copies), growth.sketch_size,
               [&] { return draw(name, 0, sketch.n_compactions()).uniform() < 0.5; });
  }

  [[nodiscard]] std::size_t n_bytes() const { return sketch.n_bytes(); }
  [[nodiscard]] static std::size_t need(const Growth& growth) { return sketch::Kll::need(growth.sketch_size); }

  void write(std::vector<double>& out) const {
    out.insert(out.end(), {static_cast<double>(sketch.n_levels()), static_cast<double>(sketch.n_compactions()),
                           static_cast<double>(n_rounded)});
    for (std::size_t h = 0; h < sketch.n_levels(); ++h) {
      const std::vector<double> level = sketch.level(h);
      out.push_back(static_cast<double>(level.size()));
      out.insert(out.end(), level.begin(), level.end());
    }
  }
  bool read(auto& in) {
    const auto head = in.take(3);
    if (!is_count(head[0]) || !is_count(head[1]) || !is_count(head[2]) || head[0] > 52.0) return false;
    n_rounded = static_cast<std::uint64_t>(head[2]);
    std::vector<std::vector<double>> levels(static_cast<std::size_t>(head[0]));
    for (auto& level : levels) {
      const double size = in.take(1)[0];
      if (!is_count(size)) return false;
      const auto values = in.take(static_cast<std::size_t>(size));
      level.assign(values.begin(), values.end());
    }
    return sketch.restore(levels, static_cast<std::uint64_t>(head[1]));
  }

 private:
  static bool is_count(double number) { return number >= 0.0 && number < 0x1p48 && std::floor(number) == number; }

  /// Event numbers have 56 bits: the leaf's birth, what the draw is for, and a count.
  static random::Stream draw(const LeafName& name, std::uint64_t what, std::uint64_t count) {
    const std::uint64_t event = (std::uint64_t{name.birth} << 24) | (what << 23) | (count & 0x7FFFFF);
    return {name.seed, random::Purpose::compact, name.tree, event};
  }
};
static_assert(LeafLabels<SketchedLabels>);

}  // namespace hedgerow::online
