// SPDX-License-Identifier: BSD-3-Clause
// Where query points may leave a tree: noted, and worked out, many at a time. Like the box kernels, these loops are
// compiled once for every x86-64-v2 machine and once for AVX2, and both return the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hedgerow/label/concepts.hpp"

namespace hedgerow::mondrian {

/// A point lies outside a box; both have numbers.
struct Departure {
  std::uint32_t point, box;
  double outside;  ///< the distance, > 0
};

/// A node as points meet it on their way down: its box, and the cut below it.
struct Passage {
  const float* lower;
  const float* upper;
  const float* points;  ///< row-major
  std::size_t width;
  std::uint32_t box;      ///< by which number it is noted
  std::uint32_t feature;  ///< points with x[feature] <= location go left
  float location;
};
struct Passed {
  std::size_t n_left, n_departures;
};

/// Deals the points chosen[0 .. n): those that go left come first in `dealt`, those that go right follow, in no
/// particular order. Notes those outside the box. There must be room for n of both.
Passed pass_box(const Passage& passage, const std::uint32_t* chosen, std::size_t n, std::uint32_t* dealt,
                Departure* noted);

/// A point in its leaf; both have numbers.
struct Arrival {
  std::uint32_t point, visited;
};

/// A node of a small subtree as points meet it.
struct SmallNode {
  const float* lower;  ///< its box
  const float* upper;
  std::uint32_t feature;  ///< points with x[feature] <= location go left
  float location;
  std::uint32_t child;  ///< the place of the left one, next to which the right one is; 0 for a leaf
  std::uint32_t box;    ///< by which number it is noted
};

/// Leads the points chosen[0 .. n) from the first node to their leaves. Notes those outside boxes, each in the order of
/// its path, and arrivals, in order; returns how many departures there are. There must be room for as many as a path
/// has nodes, for each point.
std::size_t pass_subtree(const SmallNode* nodes, const float* points, std::size_t width, const std::uint32_t* chosen,
                         std::size_t n, Departure* noted, Arrival* arrived);

/// Up to `most` branches, array by array.
struct alignas(64) Branches {
  static constexpr std::size_t most = 128;  // all arrays together stay in the nearest cache
  double above[most], elapsed[most], outside[most], survival[most], clock[most], early[most], late[most], share[most],
      square[most];
  double length[most], run[most], kept[most], kept_twice[most], passed[most];  ///< see `label::EdgeByClock`

  [[nodiscard]] label::EdgeByClock edge(std::size_t k) const {
    return {elapsed[k], length[k], run[k], kept[k], kept_twice[k], passed[k]};
  }
  void set_edge(std::size_t k, const label::EdgeByClock& edge) {
    elapsed[k] = edge.elapsed;
    length[k] = edge.length;
    run[k] = edge.run;
    kept[k] = edge.kept;
    kept_twice[k] = edge.kept_twice;
    passed[k] = edge.passed;
  }

  label::Branch operator[](std::size_t k) const {
    return {above[k], elapsed[k], outside[k], survival[k], clock[k], {share[k], square[k]}, early[k], late[k]};
  }
};

/// From `above`, `elapsed` and `outside` of the first n: `survival`, and as `clock` the expected time of the branch,
/// `early` and `late` its quartiles, for the label model to read.
void expect_branches(Branches& branches, std::size_t n);

/// From `elapsed`: the rest of the edges, by a clock that runs down at this rate.
void measure_edges(Branches& branches, std::size_t n, double rate);

/// From edges and `outside`: `survival`, and the moments of the share of the edge that has passed.
void integrate_on_edges(Branches& branches, std::size_t n);

/// Both: from `elapsed` and `outside`, `survival` and the moments of the share of the edge that has passed, by a clock
/// that runs down at this rate.
void integrate_branches(Branches& branches, std::size_t n, double rate);

/// `survival` alone, from `elapsed` and `outside`.
void survive_branches(Branches& branches, std::size_t n);

/// All that the label model wants to know of the first n branches, from `above`, `elapsed` and `outside`. Array by
/// array, because exponentials and divisions are cheaper many at a time.
template <label::GaussianModel M>
void work_out(const M& model, Branches& branches, std::size_t n) {
  if constexpr (M::reads_branch_clock) {
    expect_branches(branches, n);
    for (double* times : {branches.clock, branches.early, branches.late}) model.read_clocks(times, n);
  } else if constexpr (label::IntegratesBranches<M>) {
    integrate_branches(branches, n, model.drift_rate);
  } else {
    survive_branches(branches, n);
  }
}

/// hear(weight, Gaussian) for what is said of a point that leaves the tree on an edge. Where the time of the branch
/// cannot be integrated out, the mean is that at its expectation, and two Gaussians, at its quartiles, tell the spread:
/// decision 7.
template <label::GaussianModel M, class Hear>
void speak_on_edge(const M& model, const typename M::Belief& parent, const typename M::Belief& own,
                   label::Branch branch, const label::Query& query, double weight, Hear&& hear) {
  const label::Gaussian expected = model.speak_outside(parent, own, branch, query);
  if constexpr (M::reads_branch_clock) {
    branch.clock = branch.early;
    const label::Gaussian early = model.speak_outside(parent, own, branch, query);
    branch.clock = branch.late;
    const label::Gaussian late = model.speak_outside(parent, own, branch, query);
    const double apart = 0.5 * (late.mean - early.mean);
    hear(0.5 * weight, label::Gaussian{expected.mean - apart, early.variance});
    hear(0.5 * weight, label::Gaussian{expected.mean + apart, late.variance});
  } else {
    hear(weight, expected);
  }
}

}  // namespace hedgerow::mondrian
