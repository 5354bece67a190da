// SPDX-License-Identifier: BSD-3-Clause
// What large leaves keep so that a row can leave them without a look at all the others: rows that coincide are never
// split, and a sensor that is stuck sends thousands of them. Sums without rounding do not depend on the order in which
// rows came and went, so a crowd that is made anew from the rows of its leaf says the same. It is in no file.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/mondrian/structure/rows.hpp"
#include "hedgerow/numeric/exact_sum.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::mondrian {

/// What a row adds to the size of a block: see `Rows::count`; where places are counted, one if it is the first at its
/// place.
template <label::LabelModel M>
double size_of(const Rows& rows, RowId row) {
  if constexpr (M::counts_places) return rows.is_repeated(row) ? 0.0 : 1.0;
  return rows.count(row);
}

template <label::LabelModel M>
class Crowds {
 public:
  /// A leaf of more rows is large: fewer are added up faster than a crowd is kept.
  static constexpr std::uint32_t few = 64;

  struct Crowd {
    numeric::ExactSum size;  ///< of the leaf, as its node counts it
    typename M::Sums labels;

    void count(RowId row, const Rows& rows, const M& model, double sign) {
      size.add(sign * size_of<M>(rows, row));
      model.count(labels, rows.labels[row], rows.weight(row), !rows.is_repeated(row), sign);
    }
  };

  /// That of a leaf, made of its rows if it has none.
  template <class ForEachRow>
  Crowd& of(tree::NodeId leaf, const Rows& rows, const M& model, ForEachRow&& for_each_row) {
    const auto found = crowds_.find(leaf);
    if (found != crowds_.end()) return found->second;
    Crowd crowd;
    for_each_row([&](RowId row) { crowd.count(row, rows, model, 1.0); });
    return crowds_.emplace(leaf, std::move(crowd)).first->second;
  }

  /// A row has come to a leaf.
  void arrive(tree::NodeId leaf, RowId row, const Rows& rows, const M& model) {
    if (crowds_.empty()) return;
    const auto found = crowds_.find(leaf);
    if (found != crowds_.end()) found->second.count(row, rows, model, 1.0);
  }

  /// A node has another number now.
  void move(tree::NodeId from, tree::NodeId to) {
    if (crowds_.empty()) return;
    auto crowd = crowds_.extract(from);
    if (crowd.empty()) return;
    crowd.key() = to;
    crowds_.insert(std::move(crowd));
  }
  using Taken = typename std::unordered_map<tree::NodeId, Crowd>::node_type;

  /// That of a leaf, if it has one, is out of reach of `clear` until it is given back.
  Taken take(tree::NodeId leaf) { return crowds_.extract(leaf); }
  void give_back(Taken&& crowd) { crowds_.insert(std::move(crowd)); }

  void erase(tree::NodeId leaf) {
    if (!crowds_.empty()) crowds_.erase(leaf);
  }
  void clear() noexcept { crowds_.clear(); }

  [[nodiscard]] std::size_t n_bytes() const { return crowds_.size() * sizeof(*crowds_.begin()); }

 private:
  std::unordered_map<tree::NodeId, Crowd> crowds_;
};

}  // namespace hedgerow::mondrian
