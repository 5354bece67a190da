// SPDX-License-Identifier: BSD-3-Clause
// Against plain loops in double precision, and the clone that this machine picks against the others.
#include "hedgerow/mondrian/structure/box_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "hedgerow/random/stream.hpp"
#include "mondrian/structure/kernel_variants.hpp"

namespace hedgerow::mondrian {
namespace {

using Floats = std::vector<float>;

constexpr std::size_t widest = 70;

/// Two boxes and six points, some of them inside, some on a side, some far out. Vectors of exactly the width, so that
/// a sanitizer sees a read past the end.
struct Scene {
  explicit Scene(std::size_t width_) : width(width_), dice(width_, random::Purpose::grow, 0, 0) {
    for (int i = 0; i < 4; ++i) corners.push_back(draw(1.0));
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t k : {0, 2}) {
        if (corners[k][d] > corners[k + 1][d]) std::swap(corners[k][d], corners[k + 1][d]);
      }
    }
    for (const double scale : {0.5, 1.0, 2.0, 1e6}) points.push_back(draw(scale));
    points.push_back(corners[0]);
    points.push_back(corners[1]);
  }
  Floats draw(double scale) {
    Floats values(width);
    for (float& value : values) value = static_cast<float>(scale * (2.0 * dice.uniform() - 1.0));
    return values;
  }
  [[nodiscard]] const float* lower() const { return corners[0].data(); }
  [[nodiscard]] const float* upper() const { return corners[1].data(); }

  std::size_t width;
  random::Stream dice;
  std::vector<Floats> corners, points;
};

double naive_distance(const Scene& scene, const Floats& x) {
  double sum = 0.0;
  for (std::size_t d = 0; d < scene.width; ++d) {
    sum += std::max({double{scene.lower()[d]} - double{x[d]}, double{x[d]} - double{scene.upper()[d]}, 0.0});
  }
  return sum;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

TEST(outside_distance_is_the_l1_distance_to_the_box) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    for (const Floats& x : scene.points) {
      const double expected = naive_distance(scene, x);
      CHECK_NEAR(outside_distance(scene.lower(), scene.upper(), x.data(), width), expected, 1e-6 * expected + 1e-6);
    }
  }
}

TEST(outside_distance_is_zero_inside_and_on_the_sides) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    CHECK(outside_distance(scene.lower(), scene.upper(), scene.lower(), width) == 0.0);
    CHECK(outside_distance(scene.lower(), scene.upper(), scene.upper(), width) == 0.0);
  }
}

TEST(outside_distance_is_positive_for_the_smallest_step_outside) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    for (std::size_t d = 0; d < width; ++d) {
      Floats x = scene.corners[1];
      x[d] = std::nextafter(x[d], 10.0F);
      CHECK(outside_distance(scene.lower(), scene.upper(), x.data(), width) > 0.0);
    }
  }
}

TEST(total_side_is_the_sum_of_the_sides) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    double expected = 0.0;
    for (std::size_t d = 0; d < width; ++d) expected += double{scene.upper()[d]} - double{scene.lower()[d]};
    CHECK_NEAR(total_side(scene.lower(), scene.upper(), width), expected, 1e-6 * expected);
    CHECK(total_side(scene.lower(), scene.lower(), width) == 0.0);
  }
}

TEST(a_stretched_box_is_the_smallest_around_box_and_point) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    for (const Floats& x : scene.points) {
      Floats lower = scene.corners[0], upper = scene.corners[1];
      stretch_box(lower.data(), upper.data(), x.data(), width);
      for (std::size_t d = 0; d < width; ++d) {
        CHECK(lower[d] == std::min(scene.lower()[d], x[d]) && upper[d] == std::max(scene.upper()[d], x[d]));
      }
    }
  }
}

/// The six points of a scene as a table, and numbers of its rows with repetitions.
struct Table {
  Floats values;
  std::vector<std::uint32_t> rows{4, 0, 4, 2, 5, 1};

  explicit Table(const Scene& scene) {
    for (const Floats& x : scene.points) values.insert(values.end(), x.begin(), x.end());
  }
};

TEST(rows_are_bounded_by_the_smallest_box_around_them) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    const Table table(scene);
    for (std::size_t n = 1; n <= table.rows.size(); ++n) {
      Floats lower(width), upper(width);
      bound_rows(table.values.data(), table.rows.data(), n, width, lower.data(), upper.data());
      Floats least = scene.points[table.rows[0]], most = least;
      for (std::size_t i = 1; i < n; ++i) {
        stretch_box(least.data(), most.data(), scene.points[table.rows[i]].data(), width);
      }
      CHECK(lower == least && upper == most);
      for (const Floats& x : scene.corners) {
        CHECK(same_bits(outside_rows(table.values.data(), table.rows.data(), n, x.data(), width),
                        outside_distance(lower.data(), upper.data(), x.data(), width)));
      }
    }
  }
}

TEST(joined_boxes_are_the_smallest_around_both) {
  for (std::size_t width = 1; width <= widest; ++width) {
    const Scene scene(width);
    Floats lower(width, 7.0F), upper(width, 7.0F);
    const auto join = [&] {
      return join_boxes(lower.data(), upper.data(), scene.lower(), scene.upper(), scene.corners[2].data(),
                        scene.corners[3].data(), width);
    };
    CHECK(join());
    for (std::size_t d = 0; d < width; ++d) {
      CHECK(lower[d] == std::min(scene.corners[0][d], scene.corners[2][d]));
      CHECK(upper[d] == std::max(scene.corners[1][d], scene.corners[3][d]));
    }
    CHECK(!join());
    for (std::size_t d = 0; d < width; ++d) {  // a change in any one place is noticed
      upper[d] += 1.0F;
      CHECK(join());
      lower[d] -= 1.0F;
      CHECK(join());
    }
  }
}

TEST(all_variants_return_the_same_bits) {
  for (const tests::KernelVariant& other : {tests::kernels_without_avx2(), tests::kernels_without_vectors()}) {
    for (std::size_t width = 1; width <= widest; ++width) {
      const Scene scene(width);
      CHECK(same_bits(total_side(scene.lower(), scene.upper(), width),
                      other.total_side(scene.lower(), scene.upper(), width)));
      const Table table(scene);
      for (const Floats& x : scene.points) {
        for (std::size_t n = 1; n <= table.rows.size(); ++n) {
          CHECK(same_bits(outside_rows(table.values.data(), table.rows.data(), n, x.data(), width),
                          other.outside_rows(table.values.data(), table.rows.data(), n, x.data(), width)));
          Floats lower(width), upper(width), other_lower(width), other_upper(width);
          bound_rows(table.values.data(), table.rows.data(), n, width, lower.data(), upper.data());
          other.bound_rows(table.values.data(), table.rows.data(), n, width, other_lower.data(), other_upper.data());
          CHECK(lower == other_lower && upper == other_upper);
        }
        CHECK(same_bits(outside_distance(scene.lower(), scene.upper(), x.data(), width),
                        other.outside_distance(scene.lower(), scene.upper(), x.data(), width)));
        Floats lower = scene.corners[0], upper = scene.corners[1], other_lower = lower, other_upper = upper;
        stretch_box(lower.data(), upper.data(), x.data(), width);
        other.stretch_box(other_lower.data(), other_upper.data(), x.data(), width);
        CHECK(lower == other_lower && upper == other_upper);
        CHECK(other.join_boxes(other_lower.data(), other_upper.data(), scene.corners[2].data(), scene.corners[3].data(),
                               x.data(), x.data(),
                               width) == join_boxes(lower.data(), upper.data(), scene.corners[2].data(),
                                                    scene.corners[3].data(), x.data(), x.data(), width));
        CHECK(lower == other_lower && upper == other_upper);
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
