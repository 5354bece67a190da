// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/kernel/cell_features.hpp"

#include "check.hpp"
#include "hedgerow/kernel/archive.hpp"
#include "hedgerow/kernel/cell_products.hpp"
#include "hedgerow/kernel/sweep.hpp"

namespace hedgerow::kernel {
namespace {

std::vector<double> sample(std::size_t n, std::size_t width, double side, std::uint64_t seed) {
  random::Stream stream(seed, random::Purpose::grow, 0, 0);
  std::vector<double> values(n * width);
  for (double& value : values) value = side * (stream.uniform() - 0.5);
  return values;
}

std::vector<std::uint32_t> columns_of(const CellFeatures& cells, const Points& points, std::size_t n_threads = 1) {
  std::vector<std::uint32_t> columns(points.n * cells.trees.size());
  cells.find(points, n_threads, columns.data());
  return columns;
}

TEST(learned_rows_have_columns_and_their_cells_are_those_of_the_process) {
  const auto values = sample(100, 3, 4.0, 1);
  const Points points{values.data(), 100, 3};
  CellFeatures cells(3, 7, 1.0, 5);
  cells.learn(points, 2);
  const auto columns = columns_of(cells, points, 2);
  for (std::size_t m = 0; m < 7; ++m) {
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(columns[i * 7 + m] < cells.n_columns);
      CHECK(cells.trees[m].column_anywhere(points[i], cells.range) == columns[i * 7 + m]);
      for (std::size_t j = 0; j < i; ++j) {
        const bool is_same = cells.trees[m].name_of(points[i]) == cells.trees[m].name_of(points[j]);
        CHECK(is_same == (columns[i * 7 + m] == columns[j * 7 + m]));
      }
    }
    CHECK(cells.trees[m].is_true(cells.range));
  }
}

TEST(order_and_number_of_calls_do_not_matter) {
  const auto values = sample(60, 2, 6.0, 2);
  CellFeatures whole(2, 5, 1.0, 9), dealt(2, 5, 1.0, 9);
  whole.learn({values.data(), 60, 2}, 1);
  for (std::size_t row = 0; row < 60; ++row) dealt.learn({values.data() + 2 * row, 1, 2}, 1);
  CHECK(whole.n_columns == dealt.n_columns);
  const auto queries = sample(200, 2, 14.0, 3);
  CHECK(columns_of(whole, {queries.data(), 200, 2}) == columns_of(dealt, {queries.data(), 200, 2}));
}

TEST(reaching_first_changes_no_column) {
  const auto values = sample(60, 2, 6.0, 2);
  CellFeatures plain(2, 5, 1.0, 9), reached(2, 5, 1.0, 9);
  plain.learn({values.data(), 60, 2}, 1);
  reached.reach({values.data(), 60, 2}, 2);
  CHECK(reached.n_columns == 0 && reached.range == plain.range);
  for (std::size_t row = 0; row < 60; row += 20) reached.learn({values.data() + 2 * row, 20, 2}, 1);
  const auto queries = sample(200, 2, 14.0, 3);
  CHECK(columns_of(plain, {queries.data(), 200, 2}) == columns_of(reached, {queries.data(), 200, 2}));
  reached.reach({values.data(), 60, 2}, 1);  // again: learned cells keep their columns
  CHECK(columns_of(plain, {queries.data(), 200, 2}) == columns_of(reached, {queries.data(), 200, 2}));
}

TEST(far_points_lie_in_cells_of_their_own) {
  const auto values = sample(20, 2, 2.0, 4);
  CellFeatures cells(2, 20, 1.0, 1);
  cells.learn({values.data(), 20, 2}, 1);
  const std::vector<double> far{reach - 1.0, 0.0, 1.0 - reach, 1.0 - reach};
  const auto columns = columns_of(cells, {far.data(), 2, 2});
  for (const std::uint32_t column : columns) CHECK(column == none);
  for (const CellTree& tree : cells.trees) CHECK(tree.name_of(far.data()) != tree.name_of(far.data() + 2));
}

TEST(archives_are_restored_and_checked) {
  const auto values = sample(50, 2, 5.0, 6);
  CellFeatures cells(2, 3, 1.0, 2);
  cells.learn({values.data(), 50, 2}, 1);
  const Archive archive = archived(cells);
  CellFeatures again(2, 3, 1.0, 2);
  restore(again, archive);
  const auto queries = sample(100, 2, 9.0, 7);
  CHECK(columns_of(cells, {queries.data(), 100, 2}) == columns_of(again, {queries.data(), 100, 2}));
  const auto refuses = [&](auto&& spoil) {
    Archive spoilt = archive;
    spoil(spoilt);
    CellFeatures other(2, 3, 1.0, 2);
    return tests::throws<std::invalid_argument>([&] { restore(other, spoilt); });
  };
  CHECK(refuses([](Archive& a) { a.get<std::uint64_t>("cells.sizes")[0] += 1; }));
  CHECK(refuses([](Archive& a) { a.get<std::uint64_t>("cells.sizes").pop_back(); }));
  CHECK(refuses([](Archive& a) { a.get<double>("cells.locations")[0] += 0.001; }));
  CHECK(refuses([](Archive& a) { a.get<std::uint32_t>("cells.features")[0] = 2; }));
  CHECK(refuses([](Archive& a) { a.get<std::uint32_t>("cells.children")[0] = 0; }));
  CHECK(refuses([](Archive& a) { a.get<std::uint32_t>("cells.children")[0] += 2; }));
  CHECK(refuses([](Archive& a) { a.get<double>("cells.upper")[0] = a.get<double>("cells.lower")[0] - 1.0; }));
  CHECK(refuses([](Archive& a) { a.get<double>("cells.lower").pop_back(); }));
  CHECK(refuses([](Archive& a) {
    for (std::uint32_t& column : a.get<std::uint32_t>("cells.columns")) column = column == none ? none : 0;
  }));
  CellFeatures other_seed(2, 3, 1.0, 3);
  CHECK_THROWS(std::invalid_argument, restore(other_seed, archive));
}

TEST(a_sweep_ends_in_the_cells_of_the_features) {
  const auto values = sample(80, 3, 3.0, 8);
  const Points points{values.data(), 80, 3};
  const Sweep sweep(points, 4, 11, 2);
  for (const double time : {0.0, 0.1, 0.5, 1.0}) {
    CellFeatures cells(3, 4, time, 11);
    cells.learn(points, 1);
    const auto columns = columns_of(cells, points);
    Partition partition(sweep);
    for (std::size_t k = 0; k < sweep.n_until(time); ++k) partition.apply(sweep.splits[k]);
    CHECK(partition.n_columns == cells.n_columns);
    for (std::size_t m = 0; m < 4; ++m) {
      for (std::size_t i = 0; i < 80; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          CHECK((columns[i * 4 + m] == columns[j * 4 + m]) ==
                (partition.columns[m * 80 + i] == partition.columns[m * 80 + j]));
        }
      }
    }
  }
  CHECK(std::is_sorted(sweep.splits.begin(), sweep.splits.end(),
                       [](const Split& a, const Split& b) { return a.time < b.time; }));
}

TEST(products_are_those_of_the_matrix) {
  const auto values = sample(40, 2, 4.0, 9), others = sample(15, 2, 6.0, 10);
  CellFeatures cells(2, 6, 1.0, 3);
  cells.learn({values.data(), 40, 2}, 1);
  const auto by_tree = [](const std::vector<std::uint32_t>& by_row, std::size_t n) {
    std::vector<std::uint32_t> turned(by_row.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t m = 0; m < 6; ++m) turned[m * n + i] = by_row[i * 6 + m];
    }
    return turned;
  };
  const auto rows = by_tree(columns_of(cells, {values.data(), 40, 2}), 40);
  const auto targets = by_tree(columns_of(cells, {others.data(), 15, 2}), 15);
  std::vector<double> kernel(15 * 40);
  shared_cells(targets.data(), 15, rows.data(), 40, 6, 2, kernel.data());
  for (const std::size_t n_lanes : {std::size_t{1}, many_lanes}) {
    const auto vectors = sample(40, n_lanes, 1.0, 12);
    std::vector<double> product(15 * n_lanes);
    kernel_product({rows.data(), 40}, {targets.data(), 15}, 6, cells.n_columns, vectors.data(), n_lanes, 2,
                   product.data());
    for (std::size_t i = 0; i < 15; ++i) {
      for (std::size_t k = 0; k < n_lanes; ++k) {
        double expected = 0.0;
        for (std::size_t j = 0; j < 40; ++j) expected += kernel[i * 40 + j] * vectors[j * n_lanes + k];
        CHECK_NEAR(product[i * n_lanes + k], expected, 1e-12);
      }
    }
  }
}

TEST(products_of_shared_cells_are_those_of_the_matrix) {
  // Of three trees: all rows together, pairs and one alone, and one row that shares with nobody, not even with itself.
  const std::vector<std::uint32_t> columns{0, 0, 0, 0, 0, 1, 2, 1, 2, 3, 4, 5, 5, 4, none};
  std::vector<double> kernel(25);
  shared_cells(columns.data(), 5, columns.data(), 5, 3, 1, kernel.data());
  const SharedCells shared({columns.data(), 5}, 3, 6, 2);
  for (const std::size_t n_lanes : {std::size_t{1}, many_lanes}) {
    const auto vectors = sample(5, n_lanes, 1.0, 12);
    std::vector<double> product(5 * n_lanes), again(5 * n_lanes);
    shared.product(vectors.data(), n_lanes, 1, product.data());
    shared.product(vectors.data(), n_lanes, 3, again.data());
    CHECK(product == again);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t k = 0; k < n_lanes; ++k) {
        double expected = 0.0;
        for (std::size_t j = 0; j < 5; ++j) expected += kernel[i * 5 + j] * vectors[j * n_lanes + k];
        CHECK_NEAR(product[i * n_lanes + k], expected, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace hedgerow::kernel
