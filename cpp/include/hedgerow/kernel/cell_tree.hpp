// SPDX-License-Identifier: BSD-3-Clause
// One Mondrian sample as far as learned rows need it: the cuts that part their range, down to the cells of a lifetime,
// and of these only where a learned row lies. By projectivity (Balog et al. 2016, section 2.3) cuts that miss the range
// need not be stored, and where no row lies nothing need be; all of it is still there to be met, see cell.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "hedgerow/kernel/cell.hpp"

namespace hedgerow::kernel {

using NodeId = std::uint32_t;

/// "No such column".
inline constexpr std::uint32_t none = 0xFFFFFFFF;
/// A column whose number will be known when all rows have been looked at.
inline constexpr std::uint32_t unnumbered = none - 1;

/// A cut that parts the range, or a place where there is none. Such a place sends every point to itself, so that many
/// points can walk down abreast until none of them moves.
struct CellNode {
  static constexpr double is_not_cut = std::numeric_limits<double>::infinity();

  double location = is_not_cut;
  std::uint32_t feature = 0;
  NodeId children = 0;  ///< the left one, next to which the right one lies; or the place itself

  [[nodiscard]] bool is_place() const { return location == is_not_cut; }
  [[nodiscard]] NodeId child(const double* x) const { return children + static_cast<NodeId>(x[feature] > location); }
};

class CellTree {
 public:
  static constexpr NodeId root = 0;

  CellTree(std::size_t width, Process process, double lifetime)
      : nodes(1), columns(1, none), process_(process), lifetime_(lifetime), entry_(width) {}

  std::vector<CellNode> nodes;         ///< parents before children
  std::vector<std::uint32_t> columns;  ///< of cells with learned rows; `none` for cuts and for places without

  /// Where a point of the range lies.
  [[nodiscard]] NodeId find(const double* x) const {
    NodeId id = root;
    while (!nodes[id].is_place()) id = nodes[id].child(x);
    return id;
  }

  /// The same for several points at once, whose steps do not wait for each other.
  template <std::size_t n_abreast>
  void find(const double* first, std::size_t width, NodeId* found) const {
    const CellNode* const all = nodes.data();
    NodeId ids[n_abreast]{};
    for (NodeId has_moved = 1; has_moved != 0;) {
      has_moved = 0;
      for (std::size_t k = 0; k < n_abreast; ++k) {
        const NodeId next = all[ids[k]].child(first + k * width);
        has_moved |= next ^ ids[k];
        ids[k] = next;
      }
    }
    for (std::size_t k = 0; k < n_abreast; ++k) found[k] = ids[k];
  }

  /// The column of any point: walk past all cuts, those that miss the range too.
  [[nodiscard]] std::uint32_t column_anywhere(const double* x, const Range& range) const {
    if (!entry_.holds(x)) return none;
    Cell cell = entry_;
    NodeId id = root;
    for (Cut cut = process_.first_cut(cell); cut.time <= lifetime_; cut = process_.first_cut(cell)) {
      const bool to_right = cut.sends_right(x);
      if (range.is_parted(cell, cut)) {
        id = nodes[id].child(x);
      } else if (to_right != range.lies_right(cell, cut)) {
        return none;
      }
      cell.enter(cut, to_right);
    }
    return columns[id];
  }

  /// The name of the cell that holds x, learned or not.
  [[nodiscard]] std::uint64_t name_of(const double* x) const {
    Cell cell = entry_.holds(x) ? entry_ : Cell(entry_.lower.size());
    for (Cut cut = process_.first_cut(cell); cut.time <= lifetime_; cut = process_.first_cut(cell)) {
      cell.enter(cut, cut.sends_right(x));
    }
    return cell.name;
  }

  /// Store all cuts on the ways to some points of the range; visit(cell, row) tells of each cell the first of the rows
  /// in it, which rise. Points go down together, so that a cut is drawn once for all of them.
  template <class PointOf, class Visit>
  void learn(std::vector<std::uint32_t> rows, PointOf&& point_of, const Range& range, Visit&& visit) {
    struct Block {
      Cell cell;
      NodeId id;
      std::uint32_t *begin, *end;
    };
    std::vector<Block> pending;
    if (!rows.empty()) pending.push_back({entry_, root, rows.data(), rows.data() + rows.size()});
    while (!pending.empty()) {
      auto [cell, id, begin, end] = std::move(pending.back());
      pending.pop_back();
      const Cut cut = first_parting(cell, range);
      if (!(cut.time <= lifetime_)) {
        visit(id, *begin);
        continue;
      }
      if (nodes[id].is_place()) split(id, cut);
      std::uint32_t* const middle =
          std::stable_partition(begin, end, [&](std::uint32_t row) { return !cut.sends_right(point_of(row)); });
      for (const bool to_right : {false, true}) {
        if ((to_right ? middle : begin) == (to_right ? end : middle)) continue;
        pending.push_back({cell, nodes[id].children + to_right, to_right ? middle : begin, to_right ? end : middle});
        pending.back().cell.enter(cut, to_right);
      }
    }
  }

  /// Forget all that was learned since there were n nodes, before it was numbered.
  void cut(std::size_t n) noexcept {
    nodes.resize(n);
    columns.resize(n);
    for (NodeId id = 0; id < n; ++id) {
      if (nodes[id].children >= n) nodes[id] = {CellNode::is_not_cut, 0, id};
      if (columns[id] == unnumbered) columns[id] = none;
    }
  }

  /// A tree whose walks start from where the new range is parted first, and which stores what parts it but not the old
  /// one.
  [[nodiscard]] CellTree widened(const Range& old_range, const Range& range) const {
    CellTree wider(entry_.lower.size(), process_, lifetime_);
    wider.enter(range);
    std::vector<Pending> pending;
    if (!old_range.lower.empty()) pending.push_back({wider.entry_, root, root});
    while (!pending.empty()) {
      auto [cell, old_id, id] = std::move(pending.back());
      pending.pop_back();
      const Cut cut = first_parting(cell, range);
      if (!(cut.time <= lifetime_)) {
        wider.columns[id] = columns[old_id];
        continue;
      }
      const bool is_old = old_range.is_parted(cell, cut);
      if (is_old && nodes[old_id].is_place()) continue;  // nothing was learned here
      const bool lies_right = old_range.lies_right(cell, cut);
      wider.split(id, cut);
      for (const bool to_right : {false, true}) {
        if (!is_old && to_right != lies_right) continue;
        pending.push_back(
            {cell, is_old ? nodes[old_id].children + to_right : old_id, wider.nodes[id].children + to_right});
        pending.back().cell.enter(cut, to_right);
      }
    }
    return wider;
  }

  /// Walk from the whole box to the cell in which the range is parted first.
  void enter(const Range& range) {
    entry_ = Cell(entry_.lower.size());
    first_parting(entry_, range);
  }

  /// Whether the stored cuts are those that the process has in store for the range.
  [[nodiscard]] bool is_true(const Range& range) const {
    std::vector<Pending> pending{{entry_, root, root}};
    while (!pending.empty()) {
      auto [cell, id, same] = std::move(pending.back());
      pending.pop_back();
      const Cut cut = first_parting(cell, range);
      const CellNode& node = nodes[id];
      if (node.is_place()) {
        if (cut.time <= lifetime_ && columns[id] != none) return false;
        continue;
      }
      if (!(cut.time <= lifetime_) || cut.location != node.location || cut.feature != node.feature) return false;
      for (const bool to_right : {false, true}) {
        pending.push_back({cell, node.children + to_right, same});
        pending.back().cell.enter(cut, to_right);
      }
    }
    return true;
  }

 private:
  struct Pending {
    Cell cell;
    NodeId old_id, id;
  };

  /// The first cut of `cell` that parts the range, or one after the lifetime. The cell becomes the one that is so cut.
  Cut first_parting(Cell& cell, const Range& range) const {
    Cut cut = process_.first_cut(cell);
    while (cut.time <= lifetime_ && !range.is_parted(cell, cut)) {
      cell.enter(cut, range.lies_right(cell, cut));
      cut = process_.first_cut(cell);
    }
    return cut;
  }

  void split(NodeId id, const Cut& cut) {
    const auto pair = static_cast<NodeId>(nodes.size());
    nodes[id] = {cut.location, cut.feature, pair};
    for (const NodeId child : {pair, pair + 1}) nodes.push_back({CellNode::is_not_cut, 0, child});
    columns.resize(nodes.size(), none);
  }

  Process process_;
  double lifetime_;
  Cell entry_;  ///< the cell in which the range is parted first: walks start there
};

}  // namespace hedgerow::kernel
