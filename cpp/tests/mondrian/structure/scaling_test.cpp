// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/mondrian/structure/scaling.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"

namespace hedgerow::mondrian {
namespace {

/// Column 0: a straight line through (10, 0) with slope 0.5. Column 1: knots at -1, 0, 4, 5 with images 0, 0.25,
/// 0.5, 1.
Scaling bent() {
  Scaling scaling;
  scaling.first_knot = {0, 1, 5};
  scaling.values = {10.0, -1.0, 0.0, 4.0, 5.0};
  scaling.images = {0.0, 0.0, 0.25, 0.5, 1.0};
  scaling.slopes = {0.5, 2.0};
  return scaling;
}

/// One straight line a column, each through (values[d], 0).
Scaling straight(std::vector<double> values, std::vector<double> slopes) {
  Scaling scaling;
  for (std::size_t d = 0; d <= values.size(); ++d) scaling.first_knot.push_back(d);
  scaling.images.assign(values.size(), 0.0);
  scaling.values = std::move(values);
  scaling.slopes = std::move(slopes);
  return scaling;
}

TEST(a_column_with_one_knot_is_a_straight_line) {
  CHECK(bent().image(0, 10.0) == 0.0F);
  CHECK(bent().image(0, 12.0) == 1.0F);
  CHECK(bent().image(0, 0.0) == -5.0F);
}

TEST(knots_go_to_their_images) {
  const Scaling scaling = bent();
  for (std::size_t k = 1; k < 5; ++k) CHECK(double{scaling.image(1, scaling.values[k])} == scaling.images[k]);
}

TEST(between_knots_the_map_is_linear) {
  CHECK(bent().image(1, -0.5) == 0.125F);
  CHECK(bent().image(1, 2.0) == 0.375F);
  CHECK(bent().image(1, 4.5) == 0.75F);
}

TEST(beyond_the_outer_knots_the_slope_takes_over) {
  CHECK(bent().image(1, -2.0) == -2.0F);
  CHECK(bent().image(1, 6.0) == 3.0F);
}

TEST(value_inverts_image) {
  const Scaling scaling = bent();
  for (const std::size_t column : {0, 1}) {
    for (double value = -20.0; value <= 20.0; value += 0.125) {
      CHECK_NEAR(scaling.value(column, double{scaling.image(column, value)}), value, 1e-5);
    }
  }
}

TEST(images_increase) {
  const Scaling scaling = bent();
  for (const std::size_t column : {0, 1}) {
    for (double value = -20.0; value < 20.0; value += 0.01) {
      CHECK(scaling.image(column, value) < scaling.image(column, value + 0.01));
    }
  }
}

TEST(a_row_is_scaled_column_by_column) {
  const double raw[] = {12.5, 2.5};
  for (const Scaling& scaling : {bent(), straight({1.0, 2.0}, {3.0, 1e-3})}) {
    float scaled[2];
    scaling.scale_row(raw, scaled);
    for (const std::size_t d : {0, 1}) CHECK(scaled[d] == scaling.image(d, raw[d]));
  }
}

TEST(many_rows_are_scaled_as_one_by_one) {
  std::vector<double> raw;
  for (int i = 0; i < 600; ++i) {
    raw.push_back(0.37 * i - 40.0);
    raw.push_back(i % 9 == 0 ? i % 5 : i % 7 - 1.3 + 1e-3 * i);  // some at knots, some beyond
  }
  for (const Scaling& scaling : {bent(), straight({1.0, 2.0}, {3.0, 1e-3})}) {
    for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 256U, 257U, 600U}) {
      std::vector<float> scaled(2 * n), alone(2);
      scaling.scale_rows(raw.data(), n, scaled.data());
      for (std::size_t i = 0; i < n; ++i) {
        scaling.scale_row(raw.data() + 2 * i, alone.data());
        CHECK(scaled[2 * i] == alone[0] && scaled[2 * i + 1] == alone[1]);
      }
    }
  }
}

TEST(the_largest_doubles_have_finite_images) {
  constexpr double largest = std::numeric_limits<double>::max();
  for (const double slope : {1e-300, 0.5 / largest, 1.0, 1e300}) {
    for (const double from : {-largest, 0.0, largest}) {
      const Scaling scaling = straight({from}, {slope});
      for (const double value : {-largest, -1.0, 0.0, 1.0, largest}) {
        float scaled = 0.0F;
        scaling.scale_row(&value, &scaled);
        CHECK(std::isfinite(scaled) && scaled == scaling.image(0, value));
      }
    }
  }
}

TEST(the_range_of_all_doubles_becomes_the_unit_interval) {
  constexpr double largest = std::numeric_limits<double>::max();
  const Scaling scaling = straight({-largest}, {0.5 / largest});
  CHECK_NEAR(double{scaling.image(0, 0.0)}, 0.5, 1e-6);
  CHECK_NEAR(double{scaling.image(0, largest)}, 1.0, 1e-6);
}

TEST(knots_at_the_largest_doubles_are_finite_between) {
  constexpr double largest = std::numeric_limits<double>::max();
  Scaling scaling;
  scaling.first_knot = {0, 2};
  scaling.values = {-largest, largest};
  scaling.images = {0.0, 1.0};
  scaling.slopes = {0.5 / largest};
  CHECK_NEAR(double{scaling.image(0, 0.0)}, 0.5, 1e-6);
}

TEST(value_inverts_image_between_the_largest_doubles) {
  constexpr double largest = std::numeric_limits<double>::max();
  Scaling scaling;
  scaling.first_knot = {0, 2};
  scaling.values = {-largest, largest};
  scaling.images = {0.0, 1.0};
  scaling.slopes = {0.5 / largest};
  CHECK_NEAR(scaling.value(0, 0.5), 0.0, 1e300);
}

}  // namespace
}  // namespace hedgerow::mondrian
