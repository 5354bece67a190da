// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/row_bins.hpp"

#include "check.hpp"
#include "greedy/sample_rows.hpp"
#include "hedgerow/random/splitmix.hpp"

namespace hedgerow::greedy {
namespace {

TEST(rows_of_bins_are_those_of_columns_filled_up_to_chunks) {
  for (const std::size_t width : {1, 15, 16, 17, 32, 33}) {
    const Sample sample = draw_sample({.n = 40, .width = width, .n_values = 30, .seed = width});
    const BinnedRows data(sample.points(), 1);
    const RowBins rows(data);
    CHECK(rows.n_rows == 40 && rows.width == width);
    CHECK(rows.stride % chunk == 0 && rows.stride >= width && rows.stride < width + chunk);
    CHECK(rows.bins.size() == 40 * rows.stride);
    for (std::size_t row = 0; row < 40; ++row) {
      for (std::size_t d = 0; d < rows.stride; ++d) {
        CHECK(rows[row][d] == (d < width ? data.column(static_cast<std::uint32_t>(d))[row] : 0));
      }
    }
  }
}

/// Weights before bins as columns have them: rising from zero, now and then much at once.
std::vector<double> draw_positions(std::size_t n_bins, random::Stream& stream) {
  std::vector<double> positions{0.0};
  while (positions.size() < n_bins) positions.push_back(positions.back() + std::exp(2.0 * random::draw_normal(stream)));
  for (double& position : positions) position /= 0.9 * positions.back();
  return positions;
}

/// Halfway between values and the numbers of bins: how likely each cut is from `lowest` to the one before `highest`.
std::vector<double> chances(const std::vector<double>& positions, std::size_t lowest, std::size_t highest) {
  std::vector<double> found;
  double total = 0.0;
  for (std::size_t bin = lowest; bin < highest; ++bin) {
    found.push_back((positions[bin + 1] - positions[bin]) / positions.back() +
                    1.0 / static_cast<double>(positions.size() - 1));
    total += found.back();
  }
  for (double& chance : found) chance /= total;
  return found;
}

TEST(cuts_are_drawn_between_the_lowest_and_the_highest_bin) {
  random::Stream stream(4, random::Purpose::grow, 0, 0);
  for (const std::size_t n_bins : {2, 3, 7, 100, 256}) {
    const CutUnits units(draw_positions(n_bins, stream));
    for (int repetition = 0; repetition < 2000; ++repetition) {
      const auto lowest = static_cast<Bin>(random::draw_below(n_bins - 1, stream));
      const auto highest = static_cast<Bin>(lowest + 1U + random::draw_below(n_bins - 1U - lowest, stream));
      for (const float uniform : {0x1p-24F, static_cast<float>(stream.uniform()) * 0.999F, 1.0F - 0x1p-24F}) {
        const Bin cut = units.draw(lowest, highest, uniform);
        CHECK(lowest <= cut && cut < highest);
      }
    }
  }
}

TEST(cuts_are_as_likely_as_their_units_are_long) {
  // Few bins: rounding to steps is far below what chi-squared sees. With 7 degrees of freedom it exceeds 47 less than
  // once in 1e7.
  random::Stream stream(5, random::Purpose::grow, 0, 0);
  random::SplitMix random(stream);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::vector<double> positions = draw_positions(9, stream);
    const CutUnits units(positions);
    for (const auto& [lowest, highest] : {std::pair<Bin, Bin>{0, 8}, {0, 3}, {2, 7}, {6, 8}}) {
      constexpr double n = 40000.0;
      std::vector<double> counts(9, 0.0);
      for (int i = 0; i < 40000; ++i) counts[units.draw(lowest, highest, random.uniform())] += 1.0;
      const std::vector<double> expected = chances(positions, lowest, highest);
      double chi_squared = 0.0;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const double gap = counts[lowest + k] - n * expected[k];
        chi_squared += gap * gap / (n * expected[k]);
      }
      CHECK(chi_squared < 47.0);
    }
  }
}

TEST(with_many_bins_cuts_are_as_likely_up_to_a_step) {
  random::Stream stream(6, random::Purpose::grow, 0, 0);
  random::SplitMix random(stream);
  const std::vector<double> positions = draw_positions(256, stream);
  const CutUnits units(positions);
  constexpr int n = 1000000;
  std::vector<double> counts(256, 0.0);
  for (int i = 0; i < n; ++i) counts[units.draw(0, 255, random.uniform())] += 1.0 / n;
  const std::vector<double> expected = chances(positions, 0, 255);
  for (std::size_t bin = 0; bin < 255; ++bin) {
    CHECK(counts[bin] > 0.0);
    CHECK_NEAR(counts[bin], expected[bin], 1.0 / 1024.0 + 6.0 * std::sqrt(expected[bin] / n));
  }
}

}  // namespace
}  // namespace hedgerow::greedy
