// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/label/class_tally.hpp"

#include <map>
#include <utility>

#include "check.hpp"

namespace hedgerow::label {
namespace {

/// Weights of classes, of which class c has c + 1 customers.
ClassTally tally_of(const std::map<ClassId, double>& weights) {
  ClassTally tally;
  for (const auto& [label, weight] : weights) tally.append(label, weight, label + 1);
  return tally;
}

bool holds(const ClassTally& tally, const std::map<ClassId, double>& weights) {
  auto expected = weights.begin();
  if (tally.size() != weights.size()) return false;
  for (const auto& [weight, label, count] : tally.entries()) {
    if (label != expected->first || weight != expected->second || count % (label + 1) != 0) return false;
    ++expected;
  }
  return true;
}

TEST(a_new_tally_is_empty_and_costs_nothing) {
  const ClassTally tally{};
  CHECK(tally.size() == 0 && tally.entries().empty() && tally.n_bytes() == 0);
}

TEST(classes_come_in_any_order_and_are_kept_sorted) {
  std::map<ClassId, double> counts;
  ClassTally tally;
  std::uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 1664525U + 1013904223U;
    const ClassId label = (state >> 16) % 97;
    tally.add(label, 0.25 * (i % 5 + 1), label + 1);
    counts[label] += 0.25 * (i % 5 + 1);
    CHECK(holds(tally, counts));
  }
  CHECK(tally.n_bytes() >= 97 * sizeof(ClassTally::Entry));
}

TEST(one_class_needs_no_memory_of_its_own) {
  ClassTally tally;
  for (int i = 0; i < 100; ++i) tally.add(7, 1.0, 8);
  CHECK(tally.n_bytes() == 0 && holds(tally, {{7, 100.0}}));
  CHECK(tally.entries()[0].count == 800);
  tally.add(3, 0.5, 4);
  CHECK(tally.n_bytes() > 0 && holds(tally, {{3, 0.5}, {7, 100.0}}));
}

TEST(copies_of_any_size_are_equal_and_apart) {
  for (const ClassId n : {0U, 1U, 2U, 3U, 10U}) {
    for (const ClassId m : {0U, 1U, 2U, 7U}) {
      std::map<ClassId, double> some, others;
      for (ClassId c = 0; c < n; ++c) some[2 * c] = c + 0.5;
      for (ClassId c = 0; c < m; ++c) others[3 * c + 1] = c + 0.25;
      const ClassTally source = tally_of(some);
      ClassTally copy(source);
      CHECK(copy == source && holds(copy, some));
      copy = tally_of(others);
      CHECK(holds(copy, others) && holds(source, some));
      copy = source;
      CHECK(copy == source && holds(copy, some));
      copy.add(1000, 1.0, 1001);
      CHECK(!(copy == source) && holds(source, some));
      ClassTally moved(std::move(copy));
      some[1000] = 1.0;
      CHECK(holds(moved, some));
      ClassTally target = tally_of(others);
      target = std::move(moved);
      CHECK(holds(target, some));
      target = {};
      CHECK(target.size() == 0 && target.n_bytes() == 0);
    }
  }
}

TEST(a_tally_may_be_given_to_itself) {
  for (const std::map<ClassId, double>& counts :
       {std::map<ClassId, double>{}, {{4, 1.5}}, {{1, 1.0}, {2, 2.0}, {9, 0.5}}}) {
    ClassTally tally = tally_of(counts);
    ClassTally& same = tally;
    tally = same;
    CHECK(holds(tally, counts));
    tally = std::move(same);
    CHECK(holds(tally, counts));
  }
}

TEST(equality_looks_at_classes_weights_and_counts_alone) {
  ClassTally roomy = tally_of({{1, 1.0}});
  roomy.make_room(50);
  CHECK(roomy == tally_of({{1, 1.0}}));
  CHECK(!(roomy == tally_of({{1, 1.5}})));
  CHECK(!(roomy == tally_of({{2, 1.0}})));
  CHECK(!(roomy == tally_of({{1, 1.0}, {2, 1.0}})));
  CHECK(!(roomy == ClassTally{}));
  ClassTally other;
  other.append(1, 1.0, 3);
  CHECK(!(roomy == other));
}

}  // namespace
}  // namespace hedgerow::label
