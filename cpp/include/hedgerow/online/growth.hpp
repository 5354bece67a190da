// SPDX-License-Identifier: BSD-3-Clause
// What a user decides about the trees of an online forest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hedgerow/drift/detector.hpp"

namespace hedgerow::online {

/// When is a split worth making? `gain`: when labels depend on the feature beyond doubt. `hoeffding`: when the best
/// feature is ahead of the second best beyond doubt (Ikonomovska, Gama and Dzeroski 2011).
enum class SplitTest : std::uint32_t { gain = 0, hoeffding = 1 };

struct Growth {
  std::size_t width = 1;             ///< number of features
  std::size_t grace_period = 50;     ///< rows of a leaf between two attempts to split it
  std::size_t n_candidates = 1;      ///< features looked at in an attempt, unless none of them will do
  std::size_t max_nodes = 0;         ///< of a tree; 0 for no limit
  std::size_t min_samples_leaf = 5;  ///< rows on either side of a split
  std::size_t leaf_capacity = 400;   ///< rows that a leaf keeps
  std::size_t sketch_size = 200;     ///< of leaves that keep sketches
  double split_confidence = 1e-7;
  double tie_threshold = 0.05;
  double bagging_rate = 1.0;
  SplitTest split_test = SplitTest::gain;
  drift::Kind detector = drift::Kind::adwin;
  bool linear = false;         ///< do leaves speak with a linear model?
  bool weighs_spread = false;  ///< do splits look for labels that vary more on one side, too?
};

}  // namespace hedgerow::online
