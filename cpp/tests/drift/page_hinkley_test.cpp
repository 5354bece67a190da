// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/drift/page_hinkley.hpp"

#include "check.hpp"
#include "hedgerow/drift/detector.hpp"

namespace hedgerow::drift {
namespace {

TEST(the_sum_of_deviations_rises_with_the_mean) {
  PageHinkley test(1.0);
  for (int i = 0; i < 100; ++i) CHECK(!test.update(0.5));
  CHECK_NEAR(test.deviation, -100 * PageHinkley::tolerance, 1e-12);
  int waited = 0;
  while (!test.update(1.0)) ++waited;
  CHECK(waited == 2);  // 0.49 a number, and a little less each time: above 1 at the third
}

TEST(a_falling_mean_is_no_alarm) {
  PageHinkley test(1.0);
  for (int i = 0; i < 100; ++i) CHECK(!test.update(0.9));
  for (int i = 0; i < 300; ++i) CHECK(!test.update(0.1));
}

TEST(a_warning_comes_no_later_than_an_alarm) {
  for (const Kind kind : {Kind::adwin, Kind::page_hinkley}) {
    Detector warning = make_detector(kind, Level::warning), alarm = make_detector(kind, Level::alarm);
    int warned = -1, alarmed = -1;
    for (int i = 0; i < 3000 && alarmed < 0; ++i) {
      const double number = i < 1000 ? 0.1 * (i % 5) : 0.3 + 0.1 * (i % 5);
      if (update(warning, number) && warned < 0) warned = i;
      if (update(alarm, number)) alarmed = i;
    }
    CHECK(warned >= 1000 && alarmed >= warned);
  }
  Detector none = make_detector(Kind::none, Level::alarm);
  CHECK(!update(none, 1.0));
}

}  // namespace
}  // namespace hedgerow::drift
