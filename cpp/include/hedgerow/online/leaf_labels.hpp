// SPDX-License-Identifier: BSD-3-Clause
// What the trees of an online forest ask of the labels of a leaf. Every leaf has their moments; some forests keep more.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hedgerow/online/growth.hpp"

namespace hedgerow::online {

/// Names the random numbers of one leaf: no two leaves of a forest that ever lived share a name.
struct LeafName {
  std::uint64_t seed = 0;
  std::uint32_t tree = 0;
  std::uint32_t birth = 0;  ///< how many leaves of this tree were born before
};

/// Something that gives n numbers, all finite, or throws.
struct NumberSource {
  std::span<const double> take(std::size_t n);
};

template <class L>
concept LeafLabels = std::copyable<L> && std::default_initializable<L> &&
                     requires(L labels, const L& kept, double number, const Growth& growth, const LeafName& name,
                              std::vector<double>& written, NumberSource& source) {
                       labels.add(number, number, growth, name);  // a label, with its weight
                       // to numbers and back: from a file that nobody vouches for
                       kept.write(written);
                       { labels.read(source) } -> std::same_as<bool>;
                       { kept.n_bytes() } -> std::convertible_to<std::size_t>;
                       // what a leaf may allocate for its labels from its birth on, however many come
                       { L::need(growth) } -> std::convertible_to<std::size_t>;
                     };

/// Moments are enough.
struct NoMore {
  static void add(double, double, const Growth&, const LeafName&) {}
  static void write(std::vector<double>&) {}
  static bool read(auto&) { return true; }
  [[nodiscard]] static std::size_t n_bytes() { return 0; }
  [[nodiscard]] static std::size_t need(const Growth&) { return 0; }
};
static_assert(LeafLabels<NoMore>);

}  // namespace hedgerow::online
