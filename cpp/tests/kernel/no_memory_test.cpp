// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out while features learn, and Ctrl-C, leave them as they were.
#include "check.hpp"
#include "failing_memory.hpp"
#include "hedgerow/kernel/archive.hpp"
#include "hedgerow/random/stream.hpp"
#include "interrupting.hpp"

namespace hedgerow::kernel {
namespace {

/// Rows whose range grows now and then.
std::vector<double> sample(std::size_t n, std::size_t width) {
  random::Stream stream(4, random::Purpose::grow, 0, 0);
  std::vector<double> values(n * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i < values.size() / 2 ? 2.0 : 5.0) * (stream.uniform() - 0.5);
  }
  return values;
}

TEST(failed_allocations_leave_features_as_they_were) {
  constexpr std::size_t width = 2, n = 200;
  const auto values = sample(n, width);
  CellFeatures cells(width, 6, 1.0, 5), twin(width, 6, 1.0, 5);
  std::size_t n_inside = 0, n_failed = 0;
  for (std::size_t begin = 0, k = 0; begin < n; ++k) {
    const std::size_t end = std::min(n, begin + (k % 2 == 0 ? 1 : 6));
    const Points points{values.data() + begin * width, end - begin, width};
    const auto before = archived(cells);
    const Range range = cells.range;
    n_failed += tests::fail_until_it_succeeds([&] { cells.learn(points, k % 3 == 0 ? 3 : 1); },
                                              [&] { return archived(cells) == before; });
    n_inside += static_cast<std::size_t>(range.lower == cells.range.lower && range.upper == cells.range.upper &&
                                         !(archived(cells) == before));
    twin.learn(points, 1);
    CHECK(archived(cells) == archived(twin) && cells.n_columns == twin.n_columns);
    begin = end;
  }
  CHECK(n_inside > 5 && n_failed > 500);  // trees that grow where they are, and those that are replaced
  for (const CellTree& tree : cells.trees) CHECK(tree.is_true(cells.range));
}

TEST(ctrl_c_leaves_features_as_they_were) {
  constexpr std::size_t width = 2, n = 200, n_trees = 6;
  const auto values = sample(n, width);
  const Points first{values.data(), n / 2, width}, all{values.data(), n, width};
  CellFeatures cells(width, n_trees, 1.0, 5), twin(width, n_trees, 1.0, 5);
  for (const Points& points : {first, all}) {
    const auto before = archived(cells);
    const std::size_t n_looks =
        tests::interrupt_until_it_ends([&] { cells.learn(points, 1); }, [&] { return archived(cells) == before; });
    CHECK(n_looks >= n_trees);
    twin.learn(points, 1);
    CHECK(archived(cells) == archived(twin) && cells.n_columns == twin.n_columns);
  }
  std::vector<std::int32_t> columns(n * n_trees);
  const auto transform = [&] { cells.transform(all, 1, 4, columns.data()); };
  CHECK(tests::interrupt_until_it_ends(transform, [] { return true; }) >= n / 64);
  std::vector<std::uint64_t> names(n * n_trees);
  const auto name = [&] { cells.name(all, 1, names.data()); };
  CHECK(tests::interrupt_until_it_ends(name, [] { return true; }) >= n / 64);
}

}  // namespace
}  // namespace hedgerow::kernel
