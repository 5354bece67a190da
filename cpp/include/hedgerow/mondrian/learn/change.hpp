// SPDX-License-Identifier: BSD-3-Clause
// Rows that come and go, all or none: if memory runs out half-way, the forest is as it was, bit for bit. Trees note
// what they change; of the rest of the forest the steps are noted, and taken back in reverse. To take them back needs
// no memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "hedgerow/data/batch.hpp"
#include "hedgerow/mondrian/structure/keyed_domain.hpp"
#include "hedgerow/mondrian/structure/places.hpp"
#include "hedgerow/mondrian/structure/rows.hpp"

namespace hedgerow::mondrian {

template <class Forest>
class Change {
 public:
  /// By about so many rows.
  Change(Forest& forest, std::size_t n_rows)
      : forest_(forest),
        mark_(forest.rows.mark()),
        counters_(forest.counters),
        seen_(forest.labels_seen),
        n_in_order_(forest.arrival_order.size()) {
    if (forest.keyed) sums_ = std::make_unique<typename Forest::SeenSums>(forest.keyed->sums);
    for (auto& tree : forest.trees) tree.record(n_rows >= many);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  ~Change() {
    if (!is_kept_) undo();
  }

  /// A row is kept, and counted; trees do not know of it.
  RowId come(const data::Batch& batch, std::size_t i) {
    steps_.emplace_back();  // before the first change: there must be memory for the note
    added_.push_back(tree::none);
    const RowId id =
        forest_.rows.add(forest_.scaling, batch.features + i * forest_.rows.width(), batch.labels[i], batch.weight(i));
    steps_.back().row = added_.back() = id;
    if constexpr (Forest::counts_places) forest_.places.arrive(forest_.rows, id);
    steps_.back().is_placed = true;
    forest_.gaps.arrive(forest_.rows.as_given(id));
    steps_.back().is_in_gaps = true;
    forest_.see(id, 1.0);
    if (forest_.window != 0) forest_.arrival_order.push_back(id);
    return id;
  }

  /// A row no longer counts; it is kept until all trees have lost it.
  void go(RowId id) {
    Step& step = steps_.emplace_back();
    step = {id, false, true, true, {}};
    if constexpr (Forest::counts_places) step.entry = forest_.places.leave(forest_.rows, id);
    forest_.gaps.leave(forest_.rows.as_given(id));
    forest_.see(id, -1.0);
    ++n_gone_;
  }

  /// Trees have grown anew, in another domain.
  void move_to(Domain domain, decltype(Forest::trees)&& grown) {
    std::swap(forest_.keyed->domain, domain);
    std::swap(forest_.trees, grown);
    if (before_) return;  // it has moved twice
    before_.emplace(std::move(domain), std::move(grown));
  }

  /// Rows that are held, and not those that went.
  [[nodiscard]] std::vector<RowId> rows_left() const {
    std::vector<RowId> rows = forest_.rows_in_order();
    std::vector<bool> is_gone(forest_.rows.capacity(), false);
    for (const Step& step : steps_) is_gone[step.row] = is_gone[step.row] || !step.is_arrival;
    std::erase_if(rows, [&](RowId id) { return is_gone[id]; });
    return rows;
  }

  /// How many went.
  [[nodiscard]] std::size_t n_gone() const { return n_gone_; }

  /// The changes stay.
  void keep() {
    forest_.rows.make_room_for_freed(n_gone_);
    is_kept_ = true;
    for (const Step& step : steps_) {
      if (!step.is_arrival) forest_.rows.free(step.row);
    }
    for (auto& tree : forest_.trees) tree.keep();
  }

 private:
  static constexpr std::size_t many = 32;

  struct Step {
    RowId row = tree::none;
    bool is_arrival = true, is_placed = false, is_in_gaps = false;  ///< a departure was both
    Places::Entry entry{};
  };

  void undo() noexcept {
    if (before_) std::tie(forest_.keyed->domain, forest_.trees) = std::move(*before_);
    for (auto& tree : forest_.trees) tree.undo();
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) take_back(*step);
    forest_.rows.take_back(mark_, added_);
    forest_.counters = counters_;
    forest_.labels_seen = std::move(seen_);
    if (sums_) forest_.keyed->sums = std::move(*sums_);
    while (forest_.arrival_order.size() > n_in_order_) forest_.arrival_order.pop_back();
  }

  void take_back(Step& step) noexcept {
    if (step.row == tree::none) return;
    const double* x = forest_.rows.as_given(step.row);
    if (step.is_arrival) {
      if (step.is_in_gaps) forest_.gaps.leave(x);
      if constexpr (Forest::counts_places) {
        if (step.is_placed) forest_.places.leave(forest_.rows, step.row);
      }
    } else {
      forest_.gaps.come_back(x);
      if constexpr (Forest::counts_places) {
        forest_.places.come_back(forest_.rows, step.row, std::move(step.entry));
      }
    }
  }

  Forest& forest_;
  Rows::Mark mark_;
  decltype(Forest::counters) counters_;
  decltype(Forest::labels_seen) seen_;
  std::unique_ptr<typename Forest::SeenSums> sums_;
  std::size_t n_in_order_;
  std::vector<Step> steps_;
  std::vector<RowId> added_;
  std::size_t n_gone_ = 0;
  bool is_kept_ = false;
  std::optional<std::pair<Domain, decltype(Forest::trees)>> before_;  ///< what was, if it has moved
};

}  // namespace hedgerow::mondrian
