// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/stable_hierarchy.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "check.hpp"

namespace hedgerow::label {
namespace {

/// Weights of rows of a class, each at a place of its own.
using Weights = std::vector<std::pair<ClassId, double>>;
constexpr StableHierarchy model{5, true};
constexpr double infinity = std::numeric_limits<double>::infinity();

ClassTally tally_of(const Weights& rows) {
  ClassTally tally;
  for (const auto& [label, weight] : rows) model.add(tally, label, weight, true);
  return tally;
}

TEST(a_parent_counts_the_tables_of_its_children) {
  const auto merged = [](const Weights& left, const Weights& right) {
    return model.merge(tally_of(left), 0.0, tally_of(right), 0.0, 0.0);
  };
  CHECK(merged({{0, 1.0}, {0, 1.0}, {2, 1.0}}, {{1, 1.0}, {2, 1.0}}) ==
        tally_of({{0, 1.0}, {1, 1.0}, {2, 1.0}, {2, 1.0}}));
  CHECK(merged({{4, 0.25}, {4, 0.75}}, {{4, 3.0}}) == tally_of({{4, 0.5}, {4, 3.0}}));  // a table weighs the mean
  CHECK(merged({{0, 1.0}}, {{3, 1.0}}) == merged({{3, 1.0}, {3, 1.0}}, {{0, 1.0}}));
  CHECK(merged({}, {{3, 2.0}}) == tally_of({{3, 2.0}}));
  CHECK(merged({}, {}).size() == 0);
}

TEST(a_row_that_is_repeated_is_no_other_customer) {
  ClassTally tally = tally_of({{2, 1.0}, {2, 4.0}});
  model.add(tally, 2.0, 3.0, false);
  CHECK(tally.size() == 1 && tally.entries()[0].count == 2 && tally.entries()[0].weight == 8.0);
  CHECK(StableHierarchy::mean_weight(tally.entries()[0]) == 4.0);
}

TEST(equal_weights_have_equal_tables) {
  const ClassTally one = tally_of({{1, 0.1}});
  ClassTally many;
  for (int i = 0; i < 1000; ++i) {
    model.add(many, 1.0, 0.1, true);
    CHECK(StableHierarchy::table_weight(many.entries()[0]) == StableHierarchy::table_weight(one.entries()[0]));
  }
  CHECK_NEAR(StableHierarchy::table_weight(one.entries()[0]), 0.1, 1e-13);
  for (const double weight : {1.0, 3.0, 0.375, 1e-300, 1e300}) {
    CHECK_NEAR(StableHierarchy::table_weight(tally_of({{1, weight}}).entries()[0]), weight, 3e-13 * weight);
  }
}

TEST(one_class_is_pure_and_none_is_empty) {
  CHECK(model.is_pure(tally_of({{3, 9.0}})) && !model.is_pure(tally_of({{3, 9.0}, {4, 1e-9}})));
  CHECK(model.is_empty({}) && !model.is_empty(tally_of({{0, 1.0}})) && !model.is_pure({}));
  CHECK(model.pauses_pure() && !(StableHierarchy{5, false}.pauses_pure()));
}

/// E exp(-gamma wait), in more digits: eta / (eta + gamma) (1 - exp(-(eta + gamma) Delta)) / (1 - exp(-eta Delta)).
double in_many_digits(double rate, double outside, double elapsed) {
  const long double eta = outside, gamma = rate, length = elapsed;
  if (std::isinf(elapsed)) return static_cast<double>(eta / (eta + gamma));
  if (length == 0) return 1.0;
  return static_cast<double>(eta / (eta + gamma) * (std::expm1(-(eta + gamma) * length) / std::expm1(-eta * length)));
}

TEST(expected_discounts_in_all_magnitudes) {
  ClassQuery query;
  for (const double rate : {1e-6, 0.01, 1.0, 20.0, 1e6}) {
    query.discount_rate = rate;
    for (const double outside : {1e-300, 1e-45, 1e-12, 1e-6, 0.0199, 0.0201, 0.3, 1.0, 700.0, 1e9, 1e38}) {
      for (const double elapsed : {0.0, 1e-300, 1e-30, 1e-9, 0.0199, 0.0201, 1.0, 37.0, 1e6, 1e30, 1e300, infinity}) {
        const double survival = std::exp(-outside * elapsed), discount = std::exp(-rate * elapsed);
        const double found = query.expected_discount(outside, elapsed, survival, discount);
        CHECK(std::isfinite(found) && found >= 0.0 && found <= 1.0 + 1e-15);
        // Where both products are below what long doubles can tell from zero, the mean is 1 to all digits.
        if (outside * elapsed < 1e-4000L) continue;
        const double expected = in_many_digits(rate, outside, elapsed);
        if (std::isfinite(expected)) CHECK_NEAR(found, expected, 4e-14 * expected + 1e-300);
      }
    }
  }
}

TEST(a_summary_goes_to_numbers_and_back) {
  std::vector<double> numbers;
  const auto first = tally_of({{0, 0.5}, {4, 3.0}}), second = tally_of({{2, 1.0}});
  StableHierarchy::write(first, numbers);
  StableHierarchy::write(ClassTally{}, numbers);
  StableHierarchy::write(second, numbers);
  std::span<const double> left(numbers);
  ClassTally read;
  CHECK(model.read(left, read) && read == first);
  CHECK(model.read(left, read) && read.size() == 0);
  CHECK(model.read(left, read) && read == second && left.empty());
  CHECK(!model.read(left, read));
}

TEST(malformed_summaries_are_refused) {
  const double nan = std::nan("");
  const std::vector<std::vector<double>> malformed{{},
                                                   {1.0},
                                                   {1.0, 0.0},
                                                   {1.0, 0.0, 1.0},
                                                   {-1.0},
                                                   {nan, 0.0, 1.0, 1.0},
                                                   {infinity, 0.0, 1.0, 1.0},
                                                   {1e300, 0.0, 1.0, 1.0},
                                                   {0.5, 0.0, 1.0, 1.0},
                                                   {1.0, 5.0, 1.0, 1.0},
                                                   {1.0, -1.0, 1.0, 1.0},
                                                   {1.0, 0.5, 1.0, 1.0},
                                                   {1.0, nan, 1.0, 1.0},
                                                   {1.0, 1e300, 1.0, 1.0},
                                                   {1.0, 0.0, 0.0, 1.0},
                                                   {1.0, 0.0, -1.0, 1.0},
                                                   {1.0, 0.0, nan, 1.0},
                                                   {1.0, 0.0, infinity, 1.0},
                                                   {1.0, 0.0, 1e-320, 1.0},
                                                   {1.0, 0.0, 1.0, 0.0},
                                                   {1.0, 0.0, 1.0, -1.0},
                                                   {1.0, 0.0, 1.0, 1.5},
                                                   {1.0, 0.0, 1.0, 1e10},
                                                   {1.0, 0.0, 1.0, nan},
                                                   {2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
                                                   {2.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
  for (const std::vector<double>& numbers : malformed) {
    std::span<const double> left(numbers);
    ClassTally read;
    CHECK(!model.read(left, read));
  }
}

TEST(classes_are_seen_and_taken_back) {
  StableHierarchy::Seen seen;
  for (int i = 0; i < 10; ++i) StableHierarchy::see(seen, 3.0, 0.1);
  StableHierarchy::see(seen, 1.0, 2.0);
  CHECK(seen.size() == 4 && seen[1] == 2.0 && seen[0] == 0.0);
  CHECK(StableHierarchy::has_seen(seen, 3.0) && !StableHierarchy::has_seen(seen, 4.0));
  for (int i = 0; i < 10; ++i) StableHierarchy::unsee(seen, 3.0, 0.1);
  CHECK(seen[3] == 0.0);  // not what rounding left
  CHECK(model.read(std::vector<double>{1.0, 0.0}, seen) && seen.size() == 2);
  CHECK(!model.read(std::vector<double>(6, 1.0), seen));
  CHECK(!model.read(std::vector<double>{-1.0}, seen) && !model.read(std::vector<double>{infinity}, seen));
}

TEST(labels_are_whole_numbers_of_known_classes) {
  for (const double label : {0.0, 1.0, 4.0}) CHECK(model.is_label(label));
  for (const double label : {-1.0, 0.5, 5.0, 1e300, infinity, std::nan("")}) CHECK(!model.is_label(label));
}

}  // namespace
}  // namespace hedgerow::label
