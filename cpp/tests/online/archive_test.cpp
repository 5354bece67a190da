// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/archive.hpp"

#include <functional>

#include "check.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;

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
    CHECK(archived(forest) == archived(other));
    forest.learn(sample.batch(1700, 3000), 1);
    other.learn(sample.batch(1700, 3000), 1);
    CHECK(archived(forest) == archived(other));
  }
}

TEST(broken_archives_are_refused) {
  const Growth growth = growth_of(drift::Kind::adwin, true);
  Forest<NoMore> forest(growth, 2, 1);
  forest.learn(draw_stream(300, 3).all(), 1);
  const Archive good = archived(forest);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(Archive&)>> breaks{
      [](Archive& a) { a.get<std::uint64_t>("counters")[0] = 0; },
      [](Archive& a) { a.get<std::uint64_t>("counters").clear(); },
      [](Archive& a) { a.get<double>("origin").pop_back(); },
      [&](Archive& a) { a.get<double>("origin")[0] = nan; },
      [](Archive& a) { a.get<double>("seen.labels")[2] = -1.0; },
      [](Archive& a) { a.get<std::uint64_t>("slots")[3] = 2; },
      [](Archive& a) { a.get<std::uint64_t>("slots")[3] = 1; },  // a background that is not there
      [](Archive& a) { a.get<std::uint32_t>("nodes.feature")[0] = 3; },
      [](Archive& a) { a.get<std::uint32_t>("nodes.feature")[0] = no_feature; },
      [](Archive& a) { a.get<std::uint32_t>("nodes.link")[0] = 0; },
      [](Archive& a) { a.get<std::uint32_t>("nodes.link")[0] = 0xFFFFFFFE; },
      [](Archive& a) {
        auto& links = a.get<std::uint32_t>("nodes.link");
        links.back() = links[links.size() - 2];
      },
      [](Archive& a) { a.get<std::uint32_t>("nodes.link").back() = 1000; },
      [](Archive& a) { a.get<float>("nodes.threshold")[0] = std::numeric_limits<float>::quiet_NaN(); },
      [](Archive& a) { a.get<std::uint64_t>("trees")[0] = 0; },
      [](Archive& a) { a.get<std::uint64_t>("trees")[0] = 0xFFFFFFFFFFFFFFFF; },
      [](Archive& a) { a.get<std::uint64_t>("leaves.counters")[0] = 0; },
      [](Archive& a) { a.get<std::uint64_t>("leaves.counters")[3] = 31; },
      [](Archive& a) { a.get<std::uint64_t>("leaves.counters")[4] = 30; },
      [](Archive& a) { a.get<double>("leaves.moments")[0] = -1.0; },
      [](Archive& a) { a.get<double>("leaves.moments")[4] = -1.0; },
      [](Archive& a) { a.get<double>("leaves.moments")[1] = 1e155; },
      [](Archive& a) { a.get<double>("leaves.moments")[2] = 1e305; },
      [](Archive& a) { a.get<double>("leaves.moments")[3] = -1e155; },
      [](Archive& a) { a.get<double>("leaves.moments")[4] = 1e305; },
      [](Archive& a) { a.get<double>("seen.labels")[1] = 1e155; },
      [](Archive& a) { a.get<double>("rows.labels")[0] = 1e155; },
      [](Archive& a) { a.get<double>("rows.weights")[0] = 0.0; },
      [&](Archive& a) { a.get<double>("rows.labels")[0] = nan; },
      [](Archive& a) { a.get<float>("rows.features").push_back(0.0F); },
      [](Archive& a) { a.get<std::uint32_t>("buckets.level")[0] = 63; },
      [](Archive& a) { a.get<std::uint32_t>("buckets.level").back() = 9; },
      [](Archive& a) { a.get<std::uint64_t>("detectors.counters")[1] += 1; },
      [](Archive& a) { a.get<double>("buckets.numbers")[1] = -1.0; },
      [](Archive& a) { a.get<double>("leaves.slopes").pop_back(); },
      [](Archive& a) { a.get<std::uint64_t>("leaves.counters")[5] = 2; },
      [](Archive& a) { a.get<double>("leaves.linear")[1] = 1e9; },
  };
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    Archive broken = good;
    breaks[k](broken);
    Forest<NoMore> other(growth, 2, 1);
    const bool refused = hedgerow::tests::throws<archive::Broken>([&] { restore(other, broken); });
    if (!refused) std::printf("break number %zu was not noticed\n", k);
    CHECK(refused);
  }
}

}  // namespace
}  // namespace hedgerow::online
