// SPDX-License-Identifier: BSD-3-Clause
// Rows as callers name them: by their place in the order in which they were learned. Inside a forest they have numbers
// that are reused; here one becomes the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hedgerow/mondrian/forest.hpp"

namespace hedgerow::mondrian {

/// One number a row, by row number; none at all stay none.
template <label::LabelModel M>
std::vector<std::uint32_t> by_row_number(const Forest<M>& forest, std::span<const std::uint32_t> in_order) {
  if (in_order.empty()) return {};
  if (in_order.size() != forest.rows.size()) throw std::invalid_argument("there must be a number for each row");
  std::vector<std::uint32_t> found(forest.rows.capacity(), none);
  std::size_t place = 0;
  for (const RowId id : forest.rows_in_order()) found[id] = in_order[place++];
  return found;
}

/// What was found of each row, by row number, in the order of the rows; `length` numbers a row.
template <label::LabelModel M, class Values>
std::vector<double> in_order_of_rows(const Forest<M>& forest, const Values& by_number, std::size_t length = 1) {
  std::vector<double> kept;
  kept.reserve(forest.rows.size() * length);
  for (const RowId id : forest.rows_in_order()) {
    const auto first = by_number.begin() + static_cast<std::ptrdiff_t>(id * length);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(length));
  }
  return kept;
}

/// With keyed cuts: the places of the rows, in the order in which they came.
template <label::LabelModel M>
std::vector<std::uint32_t> places_as_they_came(const Forest<M>& forest) {
  if (!forest.keyed) throw std::invalid_argument("only forests with keyed cuts know when rows came");
  std::vector<RowId> rows = forest.rows_in_order();
  std::vector<std::uint32_t> place_of(forest.rows.capacity());
  for (std::uint32_t place = 0; place < rows.size(); ++place) place_of[rows[place]] = place;
  forest.keyed->sort_as_they_came(rows);
  for (RowId& id : rows) id = place_of[id];
  return rows;
}

/// The rows at these places came in this order.
template <label::LabelModel M>
void set_arrivals(Forest<M>& forest, std::span<const std::uint32_t> places) {
  const std::vector<RowId> in_order = forest.rows_in_order();
  if (!forest.keyed || places.size() != in_order.size()) throw std::invalid_argument("there must be a place a row");
  std::vector<RowId> came;
  for (const std::uint32_t place : places) came.push_back(in_order.at(place));
  forest.keyed->have_come(forest.rows, came);
  if (forest.window != 0) forest.arrival_order.assign(came.begin(), came.end());
}

/// Empty while every weight is one.
template <label::LabelModel M>
std::vector<double> row_weights(const Forest<M>& forest) {
  if (forest.rows.weights.empty()) return {};
  return in_order_of_rows(forest, forest.rows.weights);
}

/// The numbers of the rows at some places.
template <label::LabelModel M>
std::vector<RowId> rows_at(const Forest<M>& forest, std::span<const std::uint32_t> places) {
  const std::vector<RowId> in_order = forest.rows_in_order();
  std::vector<RowId> found;
  for (const std::uint32_t place : places) found.push_back(in_order.at(place));
  return found;
}

/// The places of rows equal to those of the batch; stops at the first that is not found.
template <label::LabelModel M>
std::vector<std::uint32_t> places_of(const Forest<M>& forest, const Batch& batch) {
  std::vector<std::uint32_t> places, place_of(forest.rows.capacity());
  std::uint32_t place = 0;
  for (const RowId id : forest.rows_in_order()) place_of[id] = place++;
  for (const RowId id : forest.locate(batch)) places.push_back(place_of[id]);
  return places;
}

}  // namespace hedgerow::mondrian
