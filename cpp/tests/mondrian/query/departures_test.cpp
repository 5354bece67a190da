// SPDX-License-Identifier: BSD-3-Clause
// Against one point and one branch at a time, and the clone that this machine picks against the others.
#include "hedgerow/mondrian/query/departures.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "check.hpp"
#include "hedgerow/mondrian/structure/box_kernels.hpp"
#include "hedgerow/numeric/exponential.hpp"
#include "hedgerow/random/stream.hpp"
#include "mondrian/structure/kernel_variants.hpp"

namespace hedgerow::mondrian {
namespace {

const tests::KernelVariant variants[] = {tests::kernels_without_avx2(), tests::kernels_without_vectors()};

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// What becomes of the points; vectors of exactly the right size, so that a sanitizer sees what lies past the end.
struct Outcome {
  std::vector<std::uint32_t> left, right;
  std::vector<Departure> noted;
};
template <class PassBox>
Outcome pass(const Passage& passage, const std::vector<std::uint32_t>& chosen, PassBox&& pass_box_) {
  std::vector<std::uint32_t> dealt(chosen.size());
  Outcome outcome;
  outcome.noted.resize(chosen.size());
  const Passed passed = pass_box_(passage, chosen.data(), chosen.size(), dealt.data(), outcome.noted.data());
  const auto middle = dealt.begin() + static_cast<std::ptrdiff_t>(passed.n_left);
  outcome.left.assign(dealt.begin(), middle);
  outcome.right.assign(middle, dealt.end());
  outcome.noted.resize(passed.n_departures);
  return outcome;
}

TEST(points_are_dealt_and_noted_as_one_by_one) {
  for (std::size_t width = 1; width <= 40; ++width) {
    random::Stream dice(width, random::Purpose::grow, 0, 0);
    std::vector<float> lower(width), upper(width), points(50 * width);
    for (float& bound : lower) bound = static_cast<float>(0.1 * dice.uniform());
    for (float& bound : upper) bound = static_cast<float>(1.0 - 0.1 * dice.uniform());
    for (float& value : points) value = static_cast<float>(0.05 + 0.9 * dice.uniform());
    std::copy(lower.begin(), lower.end(), points.begin());
    std::copy(upper.begin(), upper.end(), points.begin() + static_cast<std::ptrdiff_t>(width));
    const auto feature = static_cast<std::uint32_t>(width / 2);
    for (const float location : {0.5F, -1.0F, points[7 * width + feature], std::numeric_limits<float>::infinity()}) {
      const Passage passage{lower.data(), upper.data(), points.data(), width, 3, feature, location};
      for (const std::size_t n : {1, 2, 50}) {
        std::vector<std::uint32_t> chosen(n);
        for (std::size_t i = 0; i < n; ++i) chosen[i] = static_cast<std::uint32_t>((7 * i) % 50);
        Outcome expected;
        for (const std::uint32_t point : chosen) {
          const float* x = points.data() + point * width;
          (x[feature] <= location ? expected.left : expected.right).push_back(point);
          const double outside = outside_distance(lower.data(), upper.data(), x, width);
          if (outside > 0.0) expected.noted.push_back({point, 3, outside});
        }
        const Outcome first = pass(passage, chosen, pass_box);
        for (const auto& pass_it : {&pass_box, variants[0].pass_box, variants[1].pass_box}) {
          const Outcome found = pass(passage, chosen, pass_it);
          CHECK(found.left == expected.left && found.right == first.right);
          CHECK(std::is_permutation(found.right.begin(), found.right.end(), expected.right.begin(),
                                    expected.right.end()));
          CHECK(found.noted.size() == expected.noted.size());
          for (std::size_t k = 0; k < expected.noted.size(); ++k) {
            CHECK(found.noted[k].point == expected.noted[k].point && found.noted[k].box == 3);
            CHECK(same_bits(found.noted[k].outside, expected.noted[k].outside));
          }
        }
      }
    }
  }
}

TEST(points_go_down_a_subtree_as_one_by_one) {
  for (const std::size_t width : {1, 7, 8, 20, 33}) {
    random::Stream dice(width, random::Purpose::grow, 0, 1);
    std::vector<float> corners(10 * width), points(30 * width);
    for (float& bound : corners) bound = static_cast<float>(dice.uniform());
    for (float& value : points) value = static_cast<float>(dice.uniform());
    std::vector<SmallNode> nodes(5);
    for (std::size_t k = 0; k < 5; ++k) {
      float *lower = corners.data() + 2 * k * width, *upper = lower + width;
      for (std::size_t d = 0; d < width; ++d) {
        if (lower[d] > upper[d]) std::swap(lower[d], upper[d]);
      }
      nodes[k] = {lower, upper, static_cast<std::uint32_t>(width / 2), 0.5F, 0, static_cast<std::uint32_t>(10 + k)};
    }
    nodes[0].child = 1;
    nodes[2].child = 3;
    nodes[2].feature = 0;
    nodes[2].location = points[5 * width];  // a point on the cut goes left
    std::vector<std::uint32_t> chosen{5, 0, 29, 17, 5, 3};
    std::vector<Departure> expected;
    std::vector<std::uint32_t> leaves;
    for (const std::uint32_t point : chosen) {
      const float* x = points.data() + point * width;
      for (std::size_t k = 0;;) {
        const double outside = outside_distance(nodes[k].lower, nodes[k].upper, x, width);
        if (outside > 0.0) expected.push_back({point, nodes[k].box, outside});
        if (nodes[k].child == 0) {
          leaves.push_back(nodes[k].box);
          break;
        }
        k = nodes[k].child + static_cast<std::size_t>(x[nodes[k].feature] > nodes[k].location);
      }
    }
    for (const auto& pass_it : {&pass_subtree, variants[0].pass_subtree, variants[1].pass_subtree}) {
      std::vector<Departure> noted(3 * chosen.size());
      std::vector<Arrival> arrived(chosen.size());
      noted.resize(
          pass_it(nodes.data(), points.data(), width, chosen.data(), chosen.size(), noted.data(), arrived.data()));
      CHECK(noted.size() == expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(noted[k].point == expected[k].point && noted[k].box == expected[k].box);
        CHECK(same_bits(noted[k].outside, expected[k].outside));
      }
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        CHECK(arrived[i].point == chosen[i] && arrived[i].visited == leaves[i]);
      }
    }
  }
}

TEST(branches_are_expected_as_one_by_one) {
  random::Stream dice(1, random::Purpose::grow, 0, 0);
  Branches here;
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < Branches::most; ++k) {
    here.above[k] = dice.uniform();
    here.elapsed[k] = k % 5 == 0 ? infinity : dice.exponential();
    here.outside[k] = k % 3 == 0 ? 1e-3 * dice.uniform() : (k % 7 == 0 ? 1e4 : dice.exponential());
    if (k % 11 == 0) here.elapsed[k] = 0.0;
  }
  const auto check = [&](const auto& survive, const auto& expect) {
    Branches survivors = here, found = here;
    survive(survivors, Branches::most);
    expect(found, Branches::most);
    for (std::size_t k = 0; k < Branches::most; ++k) {
      label::Branch branch{here.above[k], here.elapsed[k], here.outside[k], 0.0, 0.0};
      branch.survival = numeric::exp_nonpositive(-(branch.outside * branch.elapsed));
      branch.clock = branch.above + branch.expected_wait();
      CHECK(same_bits(found.survival[k], branch.survival) && same_bits(survivors.survival[k], branch.survival));
      CHECK(same_bits(found.clock[k], branch.clock));
      const auto quartile = [&](double p) {
        return branch.above + label::Branch::wait_quantile(p, branch.outside, branch.elapsed, branch.survival);
      };
      CHECK(same_bits(found.early[k], quartile(0.25)) && same_bits(found.late[k], quartile(0.75)));
    }
  };
  check(survive_branches, expect_branches);
  for (const auto& other : variants) check(other.survive_branches, other.expect_branches);
}

TEST(branches_are_integrated_as_one_by_one) {
  random::Stream dice(2, random::Purpose::grow, 0, 0);
  Branches here{};
  for (std::size_t k = 0; k < Branches::most; ++k) {
    here.elapsed[k] = k % 5 == 0 ? std::numeric_limits<double>::infinity() : dice.exponential();
    if (k % 4 == 1) here.elapsed[k] *= 1e-3;
    here.outside[k] = k % 3 == 0 ? 1e-3 * dice.uniform() : (k % 7 == 0 ? 1e4 : dice.exponential());
    if (k % 11 == 0) here.elapsed[k] = 0.0;
  }
  for (const double rate : {1e-7, 0.01, 1.0, 30.0}) {
    const auto check = [&](const auto& integrate) {
      Branches found = here;
      integrate(found, Branches::most, rate);
      for (std::size_t k = 0; k < Branches::most; ++k) {
        const double survival = numeric::exp_nonpositive(-(here.outside[k] * here.elapsed[k]));
        const auto [mean, square] = label::share_of_edge(here.outside[k], here.elapsed[k], survival, rate);
        CHECK(same_bits(found.survival[k], survival));
        CHECK(same_bits(found[k].share.mean, mean) && same_bits(found[k].share.square, square));
      }
    };
    check(integrate_branches);
    for (const auto& other : variants) check(other.integrate_branches);
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
