// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/conformal/archive.hpp"

#include <limits>

#include "check.hpp"
#include "hedgerow/conformal/radii.hpp"

namespace hedgerow::conformal {
namespace {

ScoreWindow filled_window() {
  ScoreWindow window(4, 0.05);
  const std::vector<double> scores{3.0, 1.0, 4.0, 1.5, 9.0, 2.6}, confidences{0.5, 0.9};
  const std::vector<double> radii = radii_then_update(window, scores, confidences);
  CHECK(radii.size() == 12 && radii.front() == std::numeric_limits<double>::infinity());
  return window;
}

TEST(a_window_comes_back) {
  const ScoreWindow window = filled_window();
  ScoreWindow other(4, 0.05);
  restore(other, archived(window));
  CHECK(archived(other) == archived(window) && other.sorted().values() == window.sorted().values());
  const std::vector<double> confidences{0.2, 0.5, 0.8};
  CHECK(radii_of(other, confidences) == radii_of(window, confidences));
}

TEST(broken_windows_are_refused) {
  const Archive good = archived(filled_window());
  const auto refuses = [&](auto&& spoil) {
    Archive bad = good;
    spoil(bad);
    ScoreWindow window(4, 0.05);
    return tests::throws<archive::Broken>([&] { restore(window, bad); });
  };
  CHECK(!refuses([](Archive&) {}));
  CHECK(refuses([](Archive& a) { a.get<double>("scores").push_back(1.0); }));
  CHECK(refuses([](Archive& a) { a.get<double>("scores")[0] = -1.0; }));
  CHECK(refuses([](Archive& a) { a.get<double>("scores")[0] = std::nan(""); }));
  CHECK(refuses([](Archive& a) { a.get<double>("levels").pop_back(); }));
  CHECK(refuses([](Archive& a) { a.get<double>("levels")[0] = std::nan(""); }));
  CHECK(refuses([](Archive& a) { a.get<double>("levels")[0] = 1e10; }));
}

}  // namespace
}  // namespace hedgerow::conformal
