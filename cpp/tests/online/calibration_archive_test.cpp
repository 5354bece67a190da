// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/online/calibration_archive.hpp"

#include <functional>
#include <limits>

#include "check.hpp"
#include "hedgerow/online/calibrated_forecasts.hpp"
#include "sample_stream.hpp"

namespace hedgerow::online {
namespace {

using namespace tests;
using archive::Archive;
using Calibration = OutOfBag<NoMore>;

const CalibrationRule rule{50, 3, true, true, 0.01};

TEST(a_calibration_comes_back_and_goes_on_as_it_would_have) {
  const Sample sample = draw_stream(900, 3);
  const std::vector<double> confidences{0.5, 0.9};
  Forest<NoMore> forest(some_growth(3), 5, 1);
  Calibration calibration(rule, 3, 5);
  forecast_then_learn(calibration, forest, nullptr, sample.batch(0, 600), confidences);
  Forest<NoMore> twin = forest;
  Calibration other(rule, 3, 5);
  restore(other, twin, archived(calibration));
  CHECK(archived(other) == archived(calibration));
  const auto left = forecast_then_learn(calibration, forest, nullptr, sample.batch(600, 900), confidences);
  const auto right = forecast_then_learn(other, twin, nullptr, sample.batch(600, 900), confidences);
  CHECK(left.means == right.means && left.scales == right.scales && left.radii == right.radii);
  CHECK(archived(other) == archived(calibration));
}

TEST(broken_calibrations_are_refused) {
  Forest<NoMore> forest(some_growth(3), 5, 1);
  Calibration calibration(rule, 3, 5);
  forecast_then_learn(calibration, forest, nullptr, draw_stream(300, 3).all(), {});
  const Archive good = archived(calibration);
  const std::vector<std::function<void(Archive&)>> breaks{
      [](Archive& a) { a.get<float>("features").pop_back(); },
      [](Archive& a) { a.get<float>("features")[0] = std::numeric_limits<float>::quiet_NaN(); },
      [](Archive& a) { a.get<double>("labels")[0] = std::nan(""); },
      [](Archive& a) { a.get<double>("labels").pop_back(); },
      [](Archive& a) { a.get<double>("factors")[0] = 0.0; },
      [](Archive& a) { a.get<double>("factors")[0] = HUGE_VAL; },
      [](Archive& a) { a.get<double>("scores")[0] = -1.0; },
      [](Archive& a) { a.get<double>("scores").pop_back(); },
      [](Archive& a) { a.get<double>("excess")[0] = std::nan(""); },
      [](Archive& a) { a.get<double>("sums").pop_back(); },
      [](Archive& a) { a.get<double>("sums")[0] = std::nan(""); },
      [](Archive& a) { a.get<std::uint8_t>("due").pop_back(); },
      [](Archive& a) { a.get<std::uint8_t>("out_of_bag").pop_back(); },
      [](Archive& a) { std::fill_n(a.get<std::uint8_t>("out_of_bag").begin(), 5, std::uint8_t{0}); },
      [](Archive& a) { a.get<double>("levels")[0] = std::nan(""); },
  };
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    Archive broken = good;
    breaks[k](broken);
    Calibration other(rule, 3, 5);
    const bool refused = hedgerow::tests::throws<archive::Broken>([&] { restore(other, forest, broken); });
    if (!refused) std::printf("break number %zu was not noticed\n", k);
    CHECK(refused);
  }
  Calibration wider(rule, 4, 5), larger(rule, 3, 6);
  CHECK_THROWS(archive::Broken, restore(wider, forest, good));
  CHECK_THROWS(archive::Broken, restore(larger, forest, good));
}

}  // namespace
}  // namespace hedgerow::online
