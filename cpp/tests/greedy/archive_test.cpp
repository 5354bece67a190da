// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/greedy/archive.hpp"

#include <limits>

#include "check.hpp"
#include "greedy/sample_rows.hpp"
#include "hedgerow/greedy/training.hpp"

namespace hedgerow::greedy {
namespace {

using archive::Broken;

Forest grown_forest(std::size_t n_outputs) {
  const Sample sample = draw_sample({.n = 80, .width = 3, .n_outputs = n_outputs, .n_values = 15});
  TrainingRows rows{sample.points(), sample.labels, sample.weights, {}, n_outputs, 2};
  for (std::uint32_t row = 0; row < 80; ++row) rows.folds.push_back(row % 2);
  Training training(std::move(rows), 2, 3, 1);
  training.grow_round(1), training.grow_round(1);
  return training.finish(1, 1);
}

/// Two columns; the root and its right child are cuts.
Forest small_forest() {
  Forest forest;
  forest.n_outputs = 2;
  forest.cuts = {{0.0, 1.0, 2.0}, {-2.0}};
  forest.trees.push_back({{{1, 0 << 8 | 2}, {1, 0}, {3, 1 << 8 | 0}, {3, 1}, {4, 2}}, {1, 2, 3, 4, 5, 6}});
  forest.trees.push_back({{{0, 0}}, {7, 8}});
  forest.gains = {1.0, 2.0};
  return forest;
}

TEST(a_greedy_forest_comes_back) {
  for (const std::size_t n_outputs : {1, 3}) {
    const Forest forest = grown_forest(n_outputs);
    const Archive written = archived(forest);
    Forest again = small_forest();
    restore(again, written);
    CHECK(archived(again) == written);
    CHECK(again.n_outputs == n_outputs && again.cuts == forest.cuts && again.gains == forest.gains);
    const Sample queries = draw_sample({.n = 300, .width = 3, .n_values = 200, .seed = 2});
    const ForestMoments expected = predict(forest, queries.points(), 1), found = predict(again, queries.points(), 1);
    CHECK(found.means == expected.means && found.variances == expected.variances);
  }
}

TEST(arrays_that_are_too_short_too_long_or_missing_are_refused) {
  for (Archive good : {archived(small_forest()), archived(grown_forest(2))}) {
    std::vector<std::string> names;
    good.for_each([&](const std::string& name, auto&) { names.push_back(name); });
    CHECK(names.size() == 8);
    for (const std::string& wanted : names) {
      const auto refuses = [&](auto&& spoil) {
        Archive bad = good;
        bad.for_each([&](const std::string& name, auto& values) {
          if (name == wanted) spoil(values);
        });
        Forest forest = small_forest();
        const bool is_refused = tests::throws<Broken>([&] { restore(forest, bad); });
        CHECK(archived(forest) == archived(small_forest()));  // a call that fails changes nothing
        return is_refused;
      };
      CHECK(refuses([](auto& values) { values.pop_back(); }));
      CHECK(refuses([](auto& values) { values.erase(values.begin()); }));
      CHECK(refuses([](auto& values) { values.clear(); }));
      CHECK(refuses([](auto& values) { values.push_back(0); }));
      CHECK(refuses([](auto& values) { values.push_back(values.back()); }));
      Archive without;
      good.for_each([&](const std::string& name, auto& values) {
        if (name != wanted) without.add(name, values);
      });
      Forest forest;
      CHECK_THROWS(Broken, restore(forest, without));
    }
  }
}

bool is_refused(auto&& spoil) {
  Archive bad = archived(small_forest());
  spoil(bad);
  Forest forest;
  return tests::throws<Broken>([&] { restore(forest, bad); });
}

/// With one number of an array changed.
template <class T>
bool is_refused(const char* name, std::size_t at, T value) {
  return is_refused([&](Archive& bad) { bad.get<T>(name).at(at) = value; });
}

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

TEST(a_forest_that_is_not_spoilt_is_read) {
  CHECK(!is_refused([](Archive&) {}));
}

TEST(shapes_that_do_not_fit_are_refused) {
  for (std::size_t at = 0; at < 3; ++at) {
    const std::uint64_t own = archived(small_forest()).get<std::uint64_t>("greedy.shape")[at];
    for (const std::uint64_t other : {std::uint64_t{0}, own - 1, own + 1, std::uint64_t{1} << 62, huge}) {
      CHECK(is_refused("greedy.shape", at, other));
    }
  }
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{256}, huge}) {
    CHECK(is_refused("greedy.n_cuts", 0, n));
  }
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{7}, huge}) {
    CHECK(is_refused("greedy.n_nodes", 0, n));
  }
  // Sizes that only add up.
  CHECK(is_refused([](Archive& a) { a.get<std::uint64_t>("greedy.n_nodes") = {1, 5}; }));
  CHECK(is_refused([](Archive& a) { a.get<std::uint64_t>("greedy.n_nodes") = {6, 0}; }));
  CHECK(is_refused([](Archive& a) { a.get<std::uint64_t>("greedy.n_cuts") = {4, 0}; }));
}

TEST(a_number_of_outputs_that_overflows_is_refused) {
  Forest forest = small_forest();
  forest.trees = {{{{1, 0}, {1, 0}, {2, 1}}, {1, 2}}};
  forest.n_outputs = 1;
  Archive archive = archived(forest);
  restore(forest, archive);
  archive.get<std::uint64_t>("greedy.shape")[1] += std::uint64_t{1} << 63;  // times two leaves, the same
  CHECK_THROWS(Broken, restore(forest, archive));
}

TEST(more_cuts_than_bins_are_refused) {
  for (const std::size_t n : {255, 256}) {
    Forest forest = small_forest();
    forest.cuts[1].clear();
    for (std::size_t i = 0; i < n; ++i) forest.cuts[1].push_back(static_cast<double>(i));
    Forest again;
    CHECK(tests::throws<Broken>([&] { restore(again, archived(forest)); }) == (n > 255));
  }
}

TEST(children_out_of_order_are_refused) {
  // Of the root, its right child, and leaves: backwards, shared, out of range, odd.
  for (const std::uint32_t child : {0U, 2U, 3U, 4U, 5U, most - 1, most}) CHECK(is_refused("greedy.children", 0, child));
  for (const std::uint32_t child : {0U, 1U, 2U, 4U, 5U, most - 1, most}) CHECK(is_refused("greedy.children", 2, child));
  for (const std::uint32_t child : {0U, 2U, 3U, 4U, most}) CHECK(is_refused("greedy.children", 1, child));
  for (const std::uint32_t child : {0U, 1U, 2U, 4U, 5U}) CHECK(is_refused("greedy.children", 3, child));
  CHECK(is_refused("greedy.children", 5, 1U));  // the lone leaf of the second tree
  // A pair for itself, whose nodes are their own parents' children.
  CHECK(is_refused([](Archive& a) { a.get<std::uint32_t>("greedy.children") = {1, 3, 3, 3, 4, 0}; }));
}

TEST(leaves_that_are_not_numbered_are_refused) {
  for (const std::uint32_t number : {1U, 2U, 3U, most}) CHECK(is_refused("greedy.codes", 1, number));
  for (const std::uint32_t number : {0U, 2U, 3U, 5U}) CHECK(is_refused("greedy.codes", 3, number));
  CHECK(is_refused("greedy.codes", 5, 1U));
}

TEST(cuts_that_are_none_of_a_column_are_refused) {
  for (const std::uint32_t code : {3U, 255U, 1U << 8 | 1U, 2U << 8, most}) CHECK(is_refused("greedy.codes", 0, code));
  for (const std::uint32_t code : {1U << 8 | 1U, 1U << 8 | 255U, 2U << 8}) CHECK(is_refused("greedy.codes", 2, code));
  CHECK(!is_refused("greedy.codes", 0, 1U << 8 | 0U));
}

TEST(cuts_that_do_not_rise_are_refused) {
  for (const double cut : {0.0, -1.0, 2.0, 3.0}) CHECK(is_refused("greedy.cuts", 1, cut));
  CHECK(!is_refused("greedy.cuts", 3, 7.0));  // of the next column
}

TEST(numbers_that_are_not_finite_are_refused) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {std::nan(""), infinity, -infinity}) {
    for (std::size_t at = 0; at < 4; ++at) CHECK(is_refused("greedy.cuts", at, wrong));
    for (std::size_t at = 0; at < 2; ++at) CHECK(is_refused("greedy.gains", at, wrong));
    for (std::size_t at = 0; at < 8; ++at) CHECK(is_refused("greedy.values", at, static_cast<float>(wrong)));
  }
}

TEST(what_is_read_can_be_walked_whatever_was_spoilt) {
  // Damage may make another forest, but none that leads astray: sanitizers see to that, and a loop would not end.
  random::Stream stream(9, random::Purpose::grow, 0, 0);
  const Sample queries = draw_sample({.n = 20, .width = 2});
  int n_read = 0;
  for (int repetition = 0; repetition < 20000; ++repetition) {
    Archive bad = archived(small_forest());
    const std::uint32_t n_changes = 1 + random::draw_below(3, stream);
    for (std::uint32_t change = 0; change < n_changes; ++change) {
      const std::uint32_t wanted = random::draw_below(8, stream);
      std::uint32_t number = 0;
      bad.for_each([&]<class T>(const std::string&, std::vector<T>& values) {
        if (number++ != wanted) return;
        const std::uint32_t code = random::draw_below(2, stream) << 8 | random::draw_below(6, stream);
        values[random::draw_below(values.size(), stream)] = static_cast<T>(code);
      });
    }
    Forest forest;
    if (tests::throws<Broken>([&] { restore(forest, bad); })) continue;
    ++n_read;
    if (forest.width() == 2) CHECK(predict(forest, queries.points(), 1).means.size() == 20 * forest.n_outputs);
  }
  CHECK(n_read > 1000 && n_read < 15000);
}

}  // namespace
}  // namespace hedgerow::greedy
