// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy of normalised stable processes of document 004, chapter 5, with interpolated Kneser-Ney smoothing.
//
//   G_root ~ NSP(d_root, H),   G_j ~ NSP(d_j, G_parent),   y ~ G_leaf,   d_j = exp(-gamma (tau_j - tau_parent)).
//
// Every node is a restaurant whose customers are, at a leaf, its rows and, at an inner node, the tables of its
// children; a restaurant has at most one table a class (Algorithm 5.3): tab_jk = min(c_jk, 1), c_jk = tab_left,k +
// tab_right,k. A row of weight w is w customers; where the customers of a class weigh less than one, so does their
// table.
//
// Equation 5.5:  Gbar_jk = (c_jk - d_j tab_jk) / c_j + (d_j tab_j / c_j) Gbar_parent,k.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "hedgerow/label/class_tally.hpp"
#include "hedgerow/label/concepts.hpp"
#include "hedgerow/numeric/mean_survival.hpp"

namespace hedgerow::label {

/// What a query needs besides the tables; it may change from query to query without touching a summary.
struct ClassQuery {
  std::vector<double> base;    ///< H, over the classes known when the query is asked
  double share = 0.0;          ///< of H in every prediction
  double discount_rate = 1.0;  ///< gamma

  /// E exp(-gamma Delta) of the wait Delta until a query point branches off, given that it does so within `elapsed`
  /// (Algorithm 5.8, line 9): an exponential of rate `outside`, cut off. With f(h) = (1 - exp(-h)) / h it is
  /// f((eta + gamma) elapsed) / f(eta elapsed); survival = exp(-eta elapsed), discount = exp(-gamma elapsed).
  [[nodiscard]] double expected_discount(double outside, double elapsed, double survival, double discount) const {
    if (survival == 0.0) return outside / (outside + discount_rate);  // also on the edge without end
    return numeric::mean_survival((outside + discount_rate) * elapsed, survival * discount) /
           numeric::mean_survival(outside * elapsed, survival);
  }
};

struct StableHierarchy {
  std::size_t n_classes = 0;  ///< labels are 0 .. n_classes - 1; may grow at any time
  bool pause_pure = true;     ///< document 004, Algorithms 5.9 and 5.10: a block of one class is not split

  using Summary = ClassTally;
  using Query = ClassQuery;
  using Seen = std::vector<double>;  ///< weight of each class

  static constexpr bool summaries_settle = true;  ///< Algorithm 5.7, line 4: a class that has a table needs no other

  static double table(double count) { return std::min(count, 1.0); }

  void add(Summary& summary, double label, double weight) const { summary.add(static_cast<ClassId>(label), weight); }

  [[nodiscard]] bool pauses_pure() const { return pause_pure; }
  static bool is_pure(const Summary& summary) { return summary.size() == 1; }
  static bool is_empty(const Summary& summary) { return summary.size() == 0; }

  /// Tables do not depend on times; only a query does.
  static constexpr bool reads_clock = false;
  [[nodiscard]] double clock(double) const { return 0.0; }
  void read_clocks(double*, std::size_t) const {}

  [[nodiscard]] Summary merge(const Summary& left, double, const Summary& right, double, double) const {
    std::size_t n = 0;
    for_each_merged(left, right, [&](ClassId, double) {
      ++n;
      return true;
    });
    Summary merged;
    merged.make_room(n);
    for_each_merged(left, right, [&](ClassId label, double count) {
      merged.append(label, count);
      return true;
    });
    return merged;
  }

  /// Would a merge give just this?
  [[nodiscard]] bool is_merge(const Summary& summary, const Summary& left, const Summary& right) const {
    auto at = summary.entries().begin();
    const auto end = summary.entries().end();
    return for_each_merged(left, right,
                           [&](ClassId label, double count) {
                             if (at == end || at->label != label || at->count != count) return false;
                             ++at;
                             return true;
                           }) &&
           at == end;
  }

  static void see(Seen& seen, double label, double weight) {
    const auto id = static_cast<std::size_t>(label);
    if (id >= seen.size()) seen.resize(id + 1, 0.0);
    seen[id] += weight;
  }
  static void unsee(Seen& seen, double label, double weight) {
    double& left = seen[static_cast<std::size_t>(label)];
    left = left - weight <= 1e-12 * weight ? 0.0 : left - weight;
  }

  static void write(const Summary& summary, std::vector<double>& numbers) {
    numbers.push_back(static_cast<double>(summary.size()));
    for (const auto& [count, label] : summary.entries())
      numbers.insert(numbers.end(), {static_cast<double>(label), count});
  }
  bool read(std::span<const double>& numbers, Summary& summary) const {
    summary = {};
    if (numbers.empty() || !(numbers[0] >= 0.0 && numbers[0] <= static_cast<double>((numbers.size() - 1) / 2)) ||
        numbers[0] != std::floor(numbers[0]))
      return false;
    const auto n = static_cast<std::size_t>(numbers[0]);
    for (std::size_t i = 0; i < n; ++i) {
      const double label = numbers[1 + 2 * i], count = numbers[2 + 2 * i];
      if (!is_label(label) || !(count > 0.0 && std::isnormal(count))) return false;
      if (i > 0 && !(label > numbers[2 * i - 1])) return false;
      summary.append(static_cast<ClassId>(label), count);
    }
    numbers = numbers.subspan(1 + 2 * n);
    return true;
  }
  static void write(const Seen& seen, std::vector<double>& numbers) { numbers = seen; }
  bool read(const std::vector<double>& numbers, Seen& seen) const {
    seen = numbers;
    return seen.size() <= n_classes &&
           std::ranges::all_of(seen, [](double weight) { return weight >= 0.0 && std::isfinite(weight); });
  }

  /// Every label held has been counted, so that it can be taken back.
  static bool has_seen(const Seen& seen, double label) { return label < static_cast<double>(seen.size()); }

  /// Counts of fractional weights depend, in their last bits, on the order in which rows came.
  static bool is_same(const Summary& stored, const Summary& heard) {
    return std::ranges::equal(stored.entries(), heard.entries(), [](const auto& a, const auto& b) {
      return a.label == b.label && std::abs(a.count - b.count) <= 1e-9 * b.count;
    });
  }

  [[nodiscard]] bool is_label(double label) const {
    return label >= 0.0 && label < static_cast<double>(n_classes) && label == std::floor(label);
  }

 private:
  /// f(class, customers) for the classes of both children in order, while f says to go on; whether it always did.
  template <class Function>
  static bool for_each_merged(const Summary& left, const Summary& right, Function&& f) {
    auto a = left.entries().begin(), b = right.entries().begin();
    const auto a_end = left.entries().end(), b_end = right.entries().end();
    while (a != a_end || b != b_end) {
      const bool from_left = b == b_end || (a != a_end && a->label <= b->label);
      const bool from_right = a == a_end || (b != b_end && b->label <= a->label);
      const ClassId label = from_left ? a->label : b->label;
      if (!f(label, (from_left ? table(a->count) : 0.0) + (from_right ? table(b->count) : 0.0))) return false;
      a += static_cast<std::ptrdiff_t>(from_left);
      b += static_cast<std::ptrdiff_t>(from_right);
    }
    return true;
  }
};
static_assert(LabelModel<StableHierarchy>);

}  // namespace hedgerow::label
