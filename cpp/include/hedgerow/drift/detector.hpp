// SPDX-License-Identifier: BSD-3-Clause
// The detectors of one tree of an adaptive forest: one that warns and one that is sure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>

#include "hedgerow/drift/adwin.hpp"
#include "hedgerow/drift/page_hinkley.hpp"

namespace hedgerow::drift {

enum class Kind : std::uint32_t { none = 0, adwin = 1, page_hinkley = 2 };
enum class Level { warning, alarm };

using Detector = std::variant<std::monostate, Adwin, PageHinkley>;

/// Confidences as in Gomes et al. 2017: 0.01 to warn, 0.001 to act.
inline Detector make_detector(Kind kind, Level level) {
  if (kind == Kind::adwin) return Adwin(level == Level::warning ? 0.01 : 0.001);
  if (kind == Kind::page_hinkley) return PageHinkley(level == Level::warning ? 10.0 : 20.0);
  return std::monostate{};
}

inline bool update(Detector& detector, double number) {
  if (auto* adwin = std::get_if<Adwin>(&detector)) return adwin->update(number);
  if (auto* page_hinkley = std::get_if<PageHinkley>(&detector)) return page_hinkley->update(number);
  return false;
}

/// A detector says nothing before it has met so many numbers.
inline constexpr std::size_t least_numbers = std::min(Adwin::between_looks, PageHinkley::least_numbers);

/// What n more numbers may allocate if the detector is replaced by a new one whenever it has said something: that of
/// the first one, which may speak at once, and that of windows that share the numbers, each rounded. The other detector
/// of a tree may have it replaced as often.
inline std::size_t need(const Detector& detector, std::size_t n) {
  const auto* adwin = std::get_if<Adwin>(&detector);
  if (adwin == nullptr) return 0;
  return adwin->need(n) + memory::to_hold(n, sizeof(Bucket)) + 2 * (n / least_numbers + 1) * memory::to_hold(0, 1);
}

}  // namespace hedgerow::drift
