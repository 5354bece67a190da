// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/archive.hpp"

#include <functional>

#include "check.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

bool is_equal(const Archive& left, const Archive& right) {
  bool equal = true;
  std::vector<const void*> seen;
  Archive copy = right;
  std::size_t at = 0;
  std::vector<std::string> bytes;
  const auto as_bytes = [](const auto& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  Archive::for_each_array(left, [&](const char*, const auto& values) { bytes.push_back(as_bytes(values)); });
  Archive::for_each_array(copy,
                          [&](const char*, const auto& values) { equal = equal && bytes[at++] == as_bytes(values); });
  return equal;
}

Growth growth_of(drift::Kind kind, bool linear) {
  Growth growth = some_growth(3);
  growth.leaf_capacity = 30;
  growth.detector = kind;
  growth.linear = linear;
  return growth;
}

TEST(a_forest_comes_back_and_goes_on_as_it_would_have) {
  const Sample sample = draw_stream(3000, 3, true);
  for (const auto kind : {drift::Kind::adwin, drift::Kind::page_hinkley, drift::Kind::none}) {
    const Growth growth = growth_of(kind, kind == drift::Kind::adwin);
    Forest<NoMore> forest(growth, 3, 1), other(growth, 3, 1);
    forest.learn(sample.batch(0, 1700), 1);
    restore(other, archived(forest));
    CHECK(is_equal(archived(forest), archived(other)));
    forest.learn(sample.batch(1700, 3000), 1);
    other.learn(sample.batch(1700, 3000), 1);
    CHECK(is_equal(archived(forest), archived(other)));
  }
}

TEST(broken_archives_are_refused) {
  const Growth growth = growth_of(drift::Kind::adwin, true);
  Forest<NoMore> forest(growth, 2, 1);
  forest.learn(draw_stream(300, 3).all(), 1);
  const Archive good = archived(forest);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(Archive&)>> breaks{
      [](Archive& a) { a.counters[0] = 0; },
      [](Archive& a) { a.counters.clear(); },
      [](Archive& a) { a.origin.pop_back(); },
      [&](Archive& a) { a.origin[0] = nan; },
      [](Archive& a) { a.labels_seen[2] = -1.0; },
      [](Archive& a) { a.slots[3] = 2; },
      [](Archive& a) { a.slots[3] = 1; },  // a background that is not there
      [](Archive& a) { a.features[0] = 3; },
      [](Archive& a) { a.features[0] = no_feature; },
      [](Archive& a) { a.links[0] = 0; },
      [](Archive& a) { a.links[0] = 0xFFFFFFFE; },
      [](Archive& a) { a.links.back() = a.links[a.links.size() - 2]; },
      [](Archive& a) { a.links.back() = 1000; },
      [](Archive& a) { a.thresholds[0] = std::numeric_limits<float>::quiet_NaN(); },
      [](Archive& a) { a.trees[0] = 0; },
      [](Archive& a) { a.trees[0] = 0xFFFFFFFFFFFFFFFF; },
      [](Archive& a) { a.leaf_counters[0] = 0; },
      [](Archive& a) { a.leaf_counters[3] = 31; },
      [](Archive& a) { a.leaf_counters[4] = 30; },
      [](Archive& a) { a.leaf_moments[0] = -1.0; },
      [](Archive& a) { a.leaf_moments[4] = -1.0; },
      [](Archive& a) { a.row_weights[0] = 0.0; },
      [&](Archive& a) { a.row_labels[0] = nan; },
      [](Archive& a) { a.row_features.push_back(0.0F); },
      [](Archive& a) { a.bucket_levels[0] = 63; },
      [](Archive& a) { a.bucket_levels.back() = 9; },
      [](Archive& a) { a.detector_counters[1] += 1; },
      [](Archive& a) { a.buckets[1] = -1.0; },
      [](Archive& a) { a.slopes.pop_back(); },
      [](Archive& a) { a.leaf_counters[5] = 2; },
      [](Archive& a) { a.linear[1] = 1e9; },
  };
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    Archive broken = good;
    breaks[k](broken);
    Forest<NoMore> other(growth, 2, 1);
    const bool refused = hedgerow::tests::throws<std::invalid_argument>([&] { restore(other, broken); });
    if (!refused) std::printf("break number %zu was not noticed\n", k);
    CHECK(refused);
  }
}

}  // namespace
}  // namespace hedgerow::online
