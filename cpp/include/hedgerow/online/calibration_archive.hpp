// SPDX-License-Identifier: BSD-3-Clause
// A calibration as an archive, and back. Its rows, oldest first: features (as differences from the origin), labels,
// factors of their scales, scores, and which trees never learned them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "hedgerow/archive/writer.hpp"
#include "hedgerow/conformal/archive.hpp"
#include "hedgerow/online/out_of_bag.hpp"

namespace hedgerow::online {

template <LeafLabels L>
archive::Archive archived(const OutOfBag<L>& calibration) {
  archive::Archive archive;
  auto& features = archive.add<float>("features");
  archive::Writer<double> labels(archive, "labels"), factors(archive, "factors"), scores(archive, "scores"),
      excess(archive, "excess");
  archive.add("sums", std::vector<double>{calibration.sum().value, calibration.sum().excess});
  archive::Writer<std::uint8_t> due(archive, "due"), out_of_bag(archive, "out_of_bag");
  for (std::size_t age = 0; age < calibration.size(); ++age) {
    const std::uint32_t r = calibration.at(age);
    features.insert(features.end(), calibration.row(r), calibration.row(r) + calibration.width());
    labels.append({calibration.label(r)});
    factors.append({calibration.factor(r)});
    scores.append({calibration.score(r).value});
    excess.append({calibration.score(r).excess});
    due.append({calibration.is_due(r)});
    for (std::size_t b = 0; b < calibration.n_trees(); ++b) out_of_bag.append({calibration.is_out_of_bag(r, b)});
  }
  conformal::write_levels(calibration.levels, archive);
  return archive;
}

/// Fill a new calibration of `forest`, which is restored already.
template <LeafLabels L>
void restore(OutOfBag<L>& calibration, const Forest<L>& forest, const archive::Archive& archive) {
  using archive::all_finite;
  using archive::require;
  const auto& features = archive.get<float>("features");
  const auto &labels = archive.get<double>("labels"), &factors = archive.get<double>("factors"),
             &scores = conformal::read_scores(archive, calibration.rule.capacity),
             &excess = archive.get<double>("excess"), &sums = archive.get<double>("sums");
  const auto &due = archive.get<std::uint8_t>("due"), &out_of_bag = archive.get<std::uint8_t>("out_of_bag");
  const std::size_t n = labels.size(), width = calibration.width(), n_trees = calibration.n_trees();
  conformal::read_levels(archive, calibration.levels);
  require(features.size() == n * width && factors.size() == n && scores.size() == n && due.size() == n &&
              excess.size() == n && sums.size() == 2 && out_of_bag.size() == n * n_trees &&
              forest.slots.size() == n_trees && forest.growth.width == width,
          "its rows have the wrong shape");
  require(std::ranges::none_of(features, [](float x) { return std::isnan(x); }), "a feature is not a number");
  require(all_finite(labels) && all_finite(factors) && all_finite(excess) && all_finite(sums),
          "a number is not finite");
  require(std::ranges::all_of(factors, [](double factor) { return factor >= smallest_factor; }),
          "a factor is too small");
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t* bags = out_of_bag.data() + i * n_trees;
    const std::vector<bool> is_out(bags, bags + n_trees);
    require(std::find(is_out.begin(), is_out.end(), true) != is_out.end(), "a row is in all bags");
    calibration.restore(features.data() + i * width, labels[i], factors[i], {scores[i], excess[i]}, due[i] != 0,
                        is_out);
  }
  calibration.restored(forest, {sums[0], sums[1]});
}

}  // namespace hedgerow::online
