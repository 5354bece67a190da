// SPDX-License-Identifier: BSD-3-Clause
// A Mondrian forest: rows kept once, and trees that each hold all of them. It learns in batch (grow), row by row
// (learn) and backwards (forget). Trees share nothing but the rows, so threads work on whole trees; every random
// number is named by seed, tree and event, so neither threads nor chunks can be told from the result.
// It chooses no hyper-parameter: scaling and label model come from the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "hedgerow/data/batch.hpp"
#include "hedgerow/mondrian/learn/change.hpp"
#include "hedgerow/mondrian/learn/extend.hpp"
#include "hedgerow/mondrian/learn/extend_keyed.hpp"
#include "hedgerow/mondrian/learn/forget.hpp"
#include "hedgerow/mondrian/learn/keyed_state.hpp"
#include "hedgerow/mondrian/learn/locate.hpp"
#include "hedgerow/mondrian/learn/nursery.hpp"
#include "hedgerow/mondrian/structure/gaps.hpp"
#include "hedgerow/mondrian/structure/places.hpp"
#include "hedgerow/parallel/for_each_index.hpp"
#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::mondrian {

using data::Batch;

/// How many rows a forest has met: the clock of its randomness and of its reviews.
struct Counters {
  std::uint64_t arrivals = 0;     ///< rows ever learned online
  std::uint64_t generation = 0;   ///< how often the trees were grown in batch
  std::uint64_t next_review = 1;  ///< the number of arrivals at which scaling and smoothing are looked at again
};

template <label::LabelModel M>
class Forest {
 public:
  using Setting = typename Grower<M>::Setting;
  using SeenSums = typename M::SeenSums;
  static constexpr bool counts_places = M::counts_places;

  Forest(std::size_t width, std::size_t n_trees, Growth growth_, std::uint64_t seed_, std::size_t window_,
         bool is_keyed = false, bool is_close = false)
      : rows(width), growth(growth_), seed(seed_), window(window_) {
    trees.assign(n_trees, MondrianTree<M>(width));
    rows.are_a_set = is_keyed;
    if (is_keyed) keyed.emplace().domain.is_close = is_close;
  }

  Forest(Forest&&) noexcept = default;
  Forest& operator=(Forest&&) noexcept = default;

  Rows rows;
  Places places;  ///< of the rows held now; none unless the model counts them
  Gaps gaps;      ///< between the rows held now; none unless they are watched
  Scaling scaling;
  M model{};
  Growth growth;
  std::uint64_t seed;
  std::size_t window;  ///< rows kept, oldest forgotten first; 0 for all
  std::vector<MondrianTree<M>> trees;
  Counters counters;
  typename M::Seen labels_seen{};      ///< of the rows held now
  std::deque<RowId> arrival_order;     ///< oldest first; kept only with a window
  std::optional<KeyedState<M>> keyed;  ///< if cuts are

  [[nodiscard]] Setting setting() const { return {rows, growth, model}; }

  /// All rows, in an order that does not depend on how they were dealt to calls: numbers are reused in another order
  /// when rows come in chunks; arrivals are not. With keyed cuts it does not depend on when they came either.
  [[nodiscard]] std::vector<RowId> rows_in_order() const {
    if (window != 0 && !keyed) return {arrival_order.begin(), arrival_order.end()};
    std::vector<RowId> members;
    members.reserve(rows.size());
    rows.for_each([&](RowId id) { members.push_back(id); });
    if (keyed) sort_as_set(rows, members, [&](RowId a, RowId b) { return keyed->came_first(a, b); });
    return members;
  }

  /// A label comes (1) or leaves (-1).
  void see(RowId id, double sign) {
    if (keyed) {
      labels_seen = keyed->see(model, rows, id, sign);
    } else if (sign > 0.0) {
      model.see(labels_seen, rows.labels[id], rows.weight(id));
    } else {
      model.unsee(labels_seen, rows.labels[id], rows.weight(id));
    }
  }

  void require_labels(const Batch& batch) const {
    for (std::size_t i = 0; i < batch.n; ++i) {
      if (!model.is_label(batch.labels[i])) throw std::invalid_argument("a label is not one of the model's");
    }
  }

  /// Keep rows without putting them into trees; `grow` must follow.
  void store(const Batch& batch) {
    rows.given.reserve(rows.given.size() + batch.n * rows.width());
    rows.features.reserve(rows.features.size() + batch.n * rows.width());
    rows.labels.reserve(rows.capacity() + batch.n);
    Change change(*this, batch.n);
    for (std::size_t i = 0; i < batch.n; ++i) change.come(batch, i);
    counters.arrivals += batch.n;
    change.keep();
  }

  /// Trees [first, last) anew, in batch, on all rows: Lakshminarayanan, Roy and Teh (2016), Algorithm 1. Call `grown`
  /// after the last.
  void grow(std::size_t first, std::size_t last, std::size_t n_threads) {
    settle_domain();
    grow_on(rows_in_order(), trees, first, last, corners_of_domain(), n_threads);
  }
  /// The process runs where the rows lie, if it is to run close to them, and trees have not grown yet.
  void settle_domain() {
    if (keyed && keyed->domain.is_unsettled() && rows.size() > 0) keyed->domain.corners = corners_of(rows_in_order());
  }

  /// The first n trees stay: the forest is the one that was made with so many.
  void keep_trees(std::size_t n) {
    if (n == 0 || n > trees.size())
      throw std::invalid_argument("a forest keeps one tree at least, and no more than it has");
    trees.erase(trees.begin() + as_step(n), trees.end());
    trees.shrink_to_fit();
  }

  void grown() {
    ++counters.generation;
    nurseries_.clear();
    columns_ = {};
  }

  /// arriving(i): row i of the batch is known to come, and not yet counted.
  using Arriving = std::function<void(std::size_t i)>;
  /// before(b, row, i, worker): row i of the batch is about to enter tree b. Returns the row's distances from the boxes
  /// of its path, or null.
  using Before = std::function<const double*(std::size_t b, RowId row, std::size_t i, std::size_t worker)>;

  /// finish(): all rows have been learned, and the forest can still be as it was.
  using Finish = std::function<void()>;

  /// Rows enter in order, one after another, in every tree. If that fails, the forest is as it was.
  void learn(const Batch& batch, std::size_t n_threads, const Arriving& arriving = {}, const Before& before = {},
             const Finish& finish = {}) {
    Change change(*this, batch.n);
    for (std::size_t begin = 0; begin < batch.n;) begin = learn_some(change, batch, begin, n_threads, arriving, before);
    if (finish) finish();
    change.keep();
    if (window != 0) arrival_order.erase(arrival_order.begin(), arrival_order.begin() + as_step(change.n_gone()));
  }

  /// The numbers of rows equal to those of the batch, each taken once; where weights are given they must agree too.
  /// Stops at the first row that is not here, so that fewer than batch.n are returned.
  [[nodiscard]] std::vector<RowId> locate(const Batch& batch) const {
    std::vector<RowId> located;
    std::vector<float> x(rows.width());
    Locator<M> locator(trees.front(), rows, batch.n);
    for (std::size_t i = 0; i < batch.n; ++i) {
      const double* raw = batch.features + i * rows.width();
      const double* weight = batch.weights == nullptr ? nullptr : batch.weights + i;
      scaling.scale_row(raw, x.data());
      const RowId row = locator.find(raw, x.data(), batch.labels[i], weight);
      if (row == none) break;
      located.push_back(row);
    }
    return located;
  }

  /// The rows leave every tree. If that fails, the forest is as it was.
  void forget(std::span<const RowId> leaving, std::size_t n_threads) {
    std::vector<bool> is_leaving(window == 0 ? 0 : rows.capacity(), false);
    if (forgetters_.size() < n_threads) forgetters_.resize(n_threads);
    Change change(*this, leaving.size());
    for (const RowId id : leaving) change.go(id);
    parallel::for_each_index(trees.size(), n_threads, [&](std::size_t b, std::size_t worker) {
      for (const RowId id : leaving) forgetters_[worker].forget(trees[b], id, rows, growth, model);
    });
    change.keep();
    if (window == 0) return;
    for (const RowId id : leaving) is_leaving[id] = true;
    std::erase_if(arrival_order, [&](RowId id) { return is_leaving[id]; });
  }

  /// Which rows are equal, anew.
  void find_places() {
    places = {};
    rows.repeated.clear();
    if constexpr (M::counts_places) rows.for_each([&](RowId id) { places.arrive(rows, id); });
  }

  /// All summaries anew under other numbers of the label model. If that fails, the forest is as it was.
  void set_model(const M& other, std::size_t n_threads) {
    Change change(*this, rows.size());
    parallel::for_each_index(trees.size(), n_threads, [&](std::size_t b, std::size_t) {
      parallel::may_stop();
      trees[b].hear_everything(rows, other);
    });
    change.keep();
    model = other;
  }

  /// The same rows in the units of another scaling, in trees still to be grown.
  [[nodiscard]] Forest rescaled(const Scaling& other) const {
    Forest fresh(rows.width(), trees.size(), growth, seed, window, keyed.has_value(), keyed && keyed->domain.is_close);
    fresh.rows = rows;
    if (keyed) {
      fresh.keyed->sums = keyed->sums;
      fresh.keyed->came_when = keyed->came_when;
      fresh.keyed->n_came = keyed->n_came;
    }
    fresh.rows.for_each([&](RowId id) { fresh.rows.scale(other, id); });
    fresh.find_places();
    fresh.scaling = other;
    fresh.model = model;
    fresh.counters = counters;
    fresh.labels_seen = labels_seen;
    fresh.arrival_order = arrival_order;
    return fresh;
  }

 private:
  /// Lower and upper corner of the smallest box around some rows.
  [[nodiscard]] std::vector<float> corners_of(std::span<const RowId> members) const {
    std::vector<float> corners(2 * rows.width());
    if (!members.empty()) {
      bound_rows(rows.features.data(), members.data(), members.size(), rows.width(), corners.data(),
                 corners.data() + rows.width());
    }
    return corners;
  }

  /// Trees [first, last) of some anew, on these rows; keyed cuts in a domain.
  void grow_on(std::span<const RowId> members, std::vector<MondrianTree<M>>& some, std::size_t first, std::size_t last,
               std::span<const float> domain, std::size_t n_threads) {
    if (columns_.empty() && Grower<M>::wants_columns(members.size(), rows.width())) columns_ = transposed(rows);
    const std::vector<float> corners = corners_of(members);
    const Box box{corners.data(), corners.data() + rows.width()};
    nurseries_.resize(std::max(nurseries_.size(), n_threads));
    parallel::for_each_index(last - first, n_threads, [&](std::size_t index, std::size_t worker) {
      auto& nursery = nurseries_[worker];
      if (!nursery) nursery = std::make_unique<Nursery<M>>(rows.width());
      const auto number = static_cast<std::uint32_t>(first + index);
      const Sowing<M> sowing{members, box, columns_.empty() ? nullptr : columns_.data(), setting()};
      nursery->tree.clear();
      if (!members.empty() && keyed) {
        nursery->grow_keyed(sowing, seed, number, domain);
      } else if (!members.empty()) {
        nursery->grow(sowing, random::Stream(seed, random::Purpose::grow, number, counters.generation));
      }
      some[first + index] = nursery->tree;  // a copy of exactly the right size
    });
  }

  [[nodiscard]] std::span<const float> corners_of_domain() const {
    return keyed ? std::span<const float>(keyed->domain.corners) : std::span<const float>();
  }

  /// Does a row lie where the process runs? It is brought into forest units for that.
  bool has_room_for(const double* raw) {
    if (!keyed || !keyed->domain.is_close) return true;
    coming_.resize(rows.width());
    scaling.scale_row(raw, coming_.data());
    return keyed->domain.has_room_for(coming_.data());
  }

  /// A row comes from outside the domain: trees are grown anew on all rows, where the process runs on a domain that
  /// holds it too. Returns the number of the next row.
  std::size_t learn_outside(Change<Forest>& change, const Batch& batch, std::size_t i, RowId oldest,
                            std::size_t n_threads, const Arriving& arriving, const Before& before) {
    if (arriving) arriving(i);
    if (oldest != none) change.go(oldest);
    const RowId row = change.come(batch, i);
    if (before) {
      parallel::for_each_index(trees.size(), n_threads,
                               [&](std::size_t b, std::size_t worker) { before(b, row, i, worker); });
    }
    Domain wider = keyed->domain.widened(rows.row(row));
    std::vector<MondrianTree<M>> grown(trees.size(), MondrianTree<M>(rows.width()));
    columns_ = {};  // of other rows, if growth was interrupted
    grow_on(change.rows_left(), grown, 0, grown.size(), wider.corners, n_threads);
    nurseries_.clear();
    columns_ = {};
    change.move_to(std::move(wider), std::move(grown));
    ++counters.arrivals;
    return i + 1;
  }

  /// Learns rows from `begin` on and returns where it stopped: before a row whose coming lets another row stand for the
  /// place of the oldest. Until then all trees must know the oldest as the one that does.
  std::size_t learn_some(Change<Forest>& change, const Batch& batch, std::size_t begin, std::size_t n_threads,
                         const Arriving& arriving, const Before& before) {
    arrived_.clear();
    leaving_.clear();
    std::size_t end = begin;
    for (; end < batch.n; ++end) {
      const bool is_full = window != 0 && arrival_order.size() - change.n_gone() >= window;
      const RowId oldest = is_full ? arrival_order[change.n_gone()] : none;
      if (is_full && end > begin && places.is_followed(oldest)) break;
      if (!has_room_for(batch.features + end * rows.width())) {
        if (end == begin) return learn_outside(change, batch, end, oldest, n_threads, arriving, before);
        break;
      }
      if (arriving) arriving(end);
      if (is_full) change.go(oldest);
      arrived_.push_back(change.come(batch, end));
      leaving_.push_back(oldest);
    }
    if (arrived_.size() == 1) fetch_paths(trees, rows, rows.row(arrived_[0]));
    if (arrived_.size() < enough_for_threads) n_threads = 1;
    if (extenders_.size() < n_threads) extenders_.resize(n_threads);
    if (keyed_extenders_.size() < n_threads) keyed_extenders_.resize(n_threads);
    if (forgetters_.size() < n_threads) forgetters_.resize(n_threads);
    parallel::for_each_index(trees.size(), n_threads, [&](std::size_t b, std::size_t worker) {
      for (std::size_t k = 0; k < arrived_.size(); ++k) {
        const double* distances = before ? before(b, arrived_[k], begin + k, worker) : nullptr;
        const auto number = static_cast<std::uint32_t>(b);
        if (keyed) {
          keyed_extenders_[worker].extend(trees[b], arrived_[k], setting(), {seed, number, keyed->domain.corners});
        } else {
          extenders_[worker].extend(trees[b], arrived_[k], setting(),
                                    random::Stream(seed, random::Purpose::extend, number, counters.arrivals + k),
                                    distances);
        }
        if (leaving_[k] != none) forgetters_[worker].forget(trees[b], leaving_[k], rows, growth, model);
      }
    });
    counters.arrivals += arrived_.size();
    return end;
  }

  static std::ptrdiff_t as_step(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  static constexpr std::size_t enough_for_threads = 4;  // rows; fewer are learned before a thread has begun

  std::vector<float> columns_;                          ///< while growing: `transposed(rows)`, or empty
  std::vector<std::unique_ptr<Nursery<M>>> nurseries_;  ///< while growing: one a worker
  std::vector<Extender<M>> extenders_;                  ///< one a worker
  std::vector<KeyedExtender<M>> keyed_extenders_;       ///< the same with keyed cuts
  std::vector<Forgetter<M>> forgetters_;                ///< one a worker
  std::vector<RowId> arrived_, leaving_;                ///< while learning
  std::vector<float> coming_;                           ///< a row that may be learned next
};

}  // namespace hedgerow::mondrian
