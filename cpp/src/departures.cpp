// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/query/departures.hpp"

#include "hedgerow/mondrian/structure/box_lanes.hpp"
#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exponential.hpp"

namespace hedgerow::mondrian {
namespace {

constexpr std::size_t widest_narrow = 2 * n_lanes;

/// Deal the points, without jumps; `note(departure, point, x)` says whether x is outside, so that the note stands.
template <class Note>
HEDGEROW_INLINE Passed deal_points(const Passage& passage, const std::uint32_t* chosen, std::size_t n,
                                   std::uint32_t* dealt, Departure* noted, Note&& note) {
  constexpr std::size_t ahead = 4, cache_line = 16;
  const float* const points = passage.points;  // copies: the compiler cannot know that no note overwrites the passage
  const std::size_t width = passage.width, feature = passage.feature;
  const float location = passage.location;
  std::uint32_t* left = dealt;
  Departure* next = noted;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t point = chosen[i];
    const float* x = points + point * width;
    if (width > widest_narrow && i + ahead < n) {  // many wide points do not fit into the nearest caches
      const float* later = points + chosen[i + ahead] * width;
      for (std::size_t d = 0; d < width; d += cache_line) numeric::prefetch(later + d);
    }
    left[0] = left[n - 1 - i] = point;  // the places between the two are for the points still to come
    left += static_cast<std::size_t>(x[feature] <= location);
    next += static_cast<std::size_t>(note(*next, point, x));
  }
  return {static_cast<std::size_t>(left - dealt), static_cast<std::size_t>(next - noted)};
}

/// For so many groups of eight columns: most points are inside, which is cheaper to see than a distance is to measure,
/// above all as the box stays in registers. The last eight columns may overlap those before.
template <std::size_t n_groups>
HEDGEROW_INLINE Passed pass_narrow_box(const Passage& passage, const std::uint32_t* chosen, std::size_t n,
                                       std::uint32_t* dealt, Departure* noted) {
  const std::size_t width = passage.width, last = width - n_lanes;
  Lanes lower[n_groups], upper[n_groups];
  for (std::size_t k = 0; k < n_groups; ++k) {
    const std::size_t first = k + 1 < n_groups ? k * n_lanes : last;
    lower[k] = load(passage.lower + first);
    upper[k] = load(passage.upper + first);
  }
  const auto is_out = [&](Departure& departure, std::uint32_t point, const float* x) HEDGEROW_INLINE_LAMBDA {
    departure.point = point;
    Mask outside = is_outside(load(x + last), lower[n_groups - 1], upper[n_groups - 1]);
    for (std::size_t k = 0; k + 1 < n_groups; ++k) outside |= is_outside(load(x + k * n_lanes), lower[k], upper[k]);
    return any_of(outside);
  };
  const Passed passed = deal_points(passage, chosen, n, dealt, noted, is_out);
  for (Departure* at = noted; at != noted + passed.n_departures; ++at) {
    at->box = passage.box;
    at->outside = distance_to(passage.lower, passage.upper, passage.points + at->point * width, width);
  }
  return passed;
}

HEDGEROW_INLINE void measure_each(Branches& branches, std::size_t n, double rate) {
  for (std::size_t k = 0; k < n; ++k) branches.set_edge(k, label::edge_by_clock(branches.elapsed[k], rate));
}

HEDGEROW_INLINE void integrate_each(Branches& branches, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double outside = branches.outside[k];
    const double survival = numeric::exp_nonpositive(-(outside * branches.elapsed[k]));
    const auto [mean, square] = label::share_of_edge(branches.edge(k), outside, survival);
    branches.survival[k] = survival;
    branches.share[k] = mean;
    branches.square[k] = square;
  }
}

}  // namespace

HEDGEROW_MULTIVERSION
Passed pass_box(const Passage& passage, const std::uint32_t* chosen, std::size_t n, std::uint32_t* dealt,
                Departure* noted) {
  const auto [lower, upper, points, width, box, feature, location] = passage;
  switch ((width + n_lanes - 1) / n_lanes * static_cast<std::size_t>(width >= n_lanes)) {
    case 1:
    case 2:
      return pass_narrow_box<2>(passage, chosen, n, dealt, noted);
    case 3:
      return pass_narrow_box<3>(passage, chosen, n, dealt, noted);
    case 4:
      return pass_narrow_box<4>(passage, chosen, n, dealt, noted);
    default:
      break;
  }
  const auto measure = [lower = lower, upper = upper, width = width, box = box](
                           Departure& departure, std::uint32_t point, const float* x) HEDGEROW_INLINE_LAMBDA {
    const double outside = distance_to(lower, upper, x, width);
    departure = {point, box, outside};
    return outside > 0.0;
  };
  return deal_points(passage, chosen, n, dealt, noted, measure);
}

HEDGEROW_MULTIVERSION
std::size_t pass_subtree(const SmallNode* nodes, const float* points, std::size_t width, const std::uint32_t* chosen,
                         std::size_t n, Departure* noted, Arrival* arrived) {
  Departure* next = noted;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t point = chosen[i];
    const float* x = points + point * width;
    const SmallNode* node = nodes;
    for (;;) {
      const double outside = distance_to(node->lower, node->upper, x, width);
      *next = {point, node->box, outside};
      next += static_cast<std::size_t>(outside > 0.0);
      if (node->child == 0) break;
      node = nodes + (node->child + static_cast<std::size_t>(x[node->feature] > node->location));
    }
    arrived[i] = {point, node->box};
  }
  return static_cast<std::size_t>(next - noted);
}

HEDGEROW_MULTIVERSION
void expect_branches(Branches& branches, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double outside = branches.outside[k], elapsed = branches.elapsed[k];
    const double survival = numeric::exp_nonpositive(-(outside * elapsed));
    const double above = branches.above[k];
    branches.survival[k] = survival;
    branches.clock[k] = above + label::Branch::expected_wait(outside, elapsed, survival);
    branches.early[k] = above + label::Branch::wait_quantile(0.25, outside, elapsed, survival);
    branches.late[k] = above + label::Branch::wait_quantile(0.75, outside, elapsed, survival);
  }
}

HEDGEROW_WIDEST
void measure_edges(Branches& branches, std::size_t n, double rate) { measure_each(branches, n, rate); }

HEDGEROW_WIDEST
void integrate_on_edges(Branches& branches, std::size_t n) { integrate_each(branches, n); }

HEDGEROW_WIDEST
void integrate_branches(Branches& branches, std::size_t n, double rate) {
  measure_each(branches, n, rate);
  integrate_each(branches, n);
}

HEDGEROW_MULTIVERSION
void survive_branches(Branches& branches, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    branches.survival[k] = numeric::exp_nonpositive(-(branches.outside[k] * branches.elapsed[k]));
  }
}

}  // namespace hedgerow::mondrian
