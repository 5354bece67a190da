// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy of normalised stable processes of Lakshminarayanan (2016), chapter 5, with interpolated Kneser-Ney
// smoothing.
//
//   G_root ~ NSP(d_root, H),   G_j ~ NSP(d_j, G_parent),   y ~ G_leaf,   d_j = exp(-gamma (tau_j - tau_parent)).
//
// Every node is a restaurant whose customers are, at a leaf, its rows, equal ones taken together, and, at an inner
// node, the tables of its children; a restaurant has at most one table a class (Algorithm 5.3): tab_jk = min(c_jk, 1),
// c_jk = tab_left,k + tab_right,k.
//
// Equation 5.5:  Gbar_jk = (c_jk - d_j tab_jk) / c_j + (d_j tab_j / c_j) Gbar_parent,k.
//
// Weights do not change how many customers there are. A customer weighs as much as the rows that it stands for, and a
// table as much as the mean of its customers; what a node says of a class is multiplied by the mean weight m_jk of that
// class there, and only the sum over trees is divided by its total. So a factor of all weights of a class is a factor
// in its odds, a factor of all weights is nothing, and a row of weight w is w equal rows.
// A vote within each tree could not do that: where all rows are of one class, there is nothing to be weighed. Nor could
// counts of copies: a class whose rows all come twice has the same neighbours as before.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "hedgerow/label/class_tally.hpp"
#include "hedgerow/label/concepts.hpp"
#include "hedgerow/numeric/exact_sum.hpp"
#include "hedgerow/numeric/mean_survival.hpp"

namespace hedgerow::label {

/// What a query needs besides the tables; it may change from query to query without touching a summary.
struct ClassQuery {
  std::vector<double> base;           ///< H, over the classes known when the query is asked
  double share = 0.0;                 ///< of H in every prediction
  double discount_rate = 1.0;         ///< gamma
  double leaf_discount = 0.0;         ///< the discount that a leaf keeps, however long its edge is
  double unit = 1.0;                  ///< the weight that the base distribution's customers have
  double power = 1.0;                 ///< of calibration; 1 for none. Only other powers need what follows
  std::vector<double> scales{};       ///< mean weight of a place of each class, in units; empty if all are one
  std::vector<double> plain_base{};   ///< H if all places weighed the same; empty if it is `base`
  std::vector<double> frequencies{};  ///< of the classes among the places; empty unless the power is below one

  [[nodiscard]] double scale(std::size_t c) const { return scales.empty() ? 1.0 : scales[c]; }
  [[nodiscard]] double plain(std::size_t c) const { return plain_base.empty() ? base[c] : plain_base[c]; }
  /// What the power moves predictions away from, or towards.
  [[nodiscard]] double reference(std::size_t c, double share_of_base) const {
    if (power > 1.0 || frequencies.empty()) return plain(c);
    return share_of_base * plain(c) + (1.0 - share_of_base) * frequencies[c];
  }

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
  bool pause_pure = true;     ///< Lakshminarayanan (2016), Algorithms 5.9 and 5.10: a block of one class is not split

  using Summary = ClassTally;
  using Query = ClassQuery;
  using Seen = std::vector<double>;  ///< weight of each class

  static constexpr bool counts_places = true;  ///< equal rows are one customer
  static constexpr bool labels_tell_order = false;
  static constexpr bool summaries_settle = true;  ///< Algorithm 5.7, line 4: a class that has a table needs no other

  static double mean_weight(const Summary::Entry& entry) { return entry.weight / entry.count; }

  /// Without its last bits: what rounding makes of the mean of equal weights shall not travel up the tree.
  static double table_weight(const Summary::Entry& entry) {
    constexpr std::uint64_t last_bits = 12, half = std::uint64_t{1} << (last_bits - 1);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(mean_weight(entry)) + half) >> last_bits << last_bits);
  }

  void add(Summary& summary, double label, double weight, bool is_first) const {
    summary.add(static_cast<ClassId>(label), weight, static_cast<std::uint32_t>(is_first));
  }

  struct ClassSum {
    numeric::ExactSum weight;
    std::int64_t n_rows = 0, n_places = 0;
  };
  using Sums = std::map<ClassId, ClassSum>;
  static void count(Sums& sums, double label, double weight, bool is_first, double sign) {
    const auto step = static_cast<std::int64_t>(sign);
    const auto at = sums.try_emplace(static_cast<ClassId>(label)).first;
    at->second.weight.add(sign * weight);
    at->second.n_places += is_first ? step : 0;
    if ((at->second.n_rows += step) == 0) sums.erase(at);
  }
  static Summary summary_of(const Sums& sums) {
    Summary summary;
    summary.make_room(sums.size());
    for (const auto& [label, sum] : sums) {
      summary.append(label, sum.weight.value(), static_cast<std::uint32_t>(sum.n_places));
    }
    return summary;
  }

  [[nodiscard]] bool pauses_pure() const { return pause_pure; }
  static bool is_pure(const Summary& summary) { return summary.size() == 1; }
  static bool is_empty(const Summary& summary) { return summary.size() == 0; }

  /// Tables do not depend on times; only a query does.
  static constexpr bool reads_clock = false;
  [[nodiscard]] double clock(double) const { return 0.0; }
  void read_clocks(double*, std::size_t) const {}

  [[nodiscard]] Summary merge(const Summary& left, double, const Summary& right, double, double) const {
    std::size_t n = 0;
    for_each_merged(left, right, [&](const Summary::Entry&) {
      ++n;
      return true;
    });
    Summary merged;
    merged.make_room(n);
    for_each_merged(left, right, [&](const Summary::Entry& entry) {
      merged.append(entry.label, entry.weight, entry.count);
      return true;
    });
    return merged;
  }

  /// Would a merge give just this?
  [[nodiscard]] bool is_merge(const Summary& summary, const Summary& left, const Summary& right) const {
    auto at = summary.entries().begin();
    const auto end = summary.entries().end();
    return for_each_merged(left, right,
                           [&](const Summary::Entry& entry) {
                             if (at == end || *at != entry) return false;
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

  using SeenSums = Sums;
  static void count_seen(SeenSums& sums, double label, double weight, double sign) {
    count(sums, label, weight, false, sign);
  }
  static Seen seen_of(const SeenSums& sums) {
    Seen seen(sums.empty() ? 0 : sums.rbegin()->first + std::size_t{1}, 0.0);
    for (const auto& [label, sum] : sums) seen[label] = sum.weight.value();
    return seen;
  }

  /// Of a class in a file, so that sums over classes are finite.
  static constexpr double largest_weight = 1e300;

  static void write(const Summary& summary, std::vector<double>& numbers) {
    numbers.push_back(static_cast<double>(summary.size()));
    for (const auto& [weight, label, count] : summary.entries())
      numbers.insert(numbers.end(), {static_cast<double>(label), weight, static_cast<double>(count)});
  }
  bool read(std::span<const double>& numbers, Summary& summary) const {
    summary = {};
    if (numbers.empty() || !(numbers[0] >= 0.0 && numbers[0] <= static_cast<double>((numbers.size() - 1) / 3)) ||
        numbers[0] != std::floor(numbers[0]))
      return false;
    const auto n = static_cast<std::size_t>(numbers[0]);
    for (std::size_t i = 0; i < n; ++i) {
      const double label = numbers[1 + 3 * i], weight = numbers[2 + 3 * i], count = numbers[3 + 3 * i];
      if (!is_label(label) || !(std::isnormal(weight) && weight > 0.0 && weight <= largest_weight)) return false;
      if (!(count >= 1.0 && count <= std::numeric_limits<std::uint32_t>::max()) || count != std::floor(count))
        return false;
      if (i > 0 && !(label > numbers[3 * i - 2])) return false;
      summary.append(static_cast<ClassId>(label), weight, static_cast<std::uint32_t>(count));
    }
    numbers = numbers.subspan(1 + 3 * n);
    return true;
  }
  static void write(const Seen& seen, std::vector<double>& numbers) { numbers = seen; }
  bool read(const std::vector<double>& numbers, Seen& seen) const {
    seen = numbers;
    return seen.size() <= n_classes &&
           std::ranges::all_of(seen, [](double weight) { return weight >= 0.0 && weight <= largest_weight; });
  }

  /// Every label held has been counted, so that it can be taken back.
  static bool has_seen(const Seen& seen, double label) { return label < static_cast<double>(seen.size()); }

  /// Sums of fractional weights depend, in their last bits, on the order in which rows came.
  static bool is_same(const Summary& stored, const Summary& heard) {
    return std::ranges::equal(stored.entries(), heard.entries(), [](const auto& a, const auto& b) {
      return a.label == b.label && a.count == b.count && std::abs(a.weight - b.weight) <= 1e-9 * b.weight;
    });
  }

  [[nodiscard]] bool is_label(double label) const {
    return label >= 0.0 && label < static_cast<double>(n_classes) && label == std::floor(label);
  }

 private:
  /// f(customers) for the classes of both children in order, while f says to go on; whether it always did.
  template <class Function>
  static bool for_each_merged(const Summary& left, const Summary& right, Function&& f) {
    auto a = left.entries().begin(), b = right.entries().begin();
    const auto a_end = left.entries().end(), b_end = right.entries().end();
    while (a != a_end || b != b_end) {
      const bool from_left = b == b_end || (a != a_end && a->label <= b->label);
      const bool from_right = a == a_end || (b != b_end && b->label <= a->label);
      const double weight = (from_left ? table_weight(*a) : 0.0) + (from_right ? table_weight(*b) : 0.0);
      if (!f(Summary::Entry{weight, from_left ? a->label : b->label, from_left && from_right ? 2U : 1U})) return false;
      a += static_cast<std::ptrdiff_t>(from_left);
      b += static_cast<std::ptrdiff_t>(from_right);
    }
    return true;
  }
};
static_assert(LabelModel<StableHierarchy>);

}  // namespace hedgerow::label
