// SPDX-License-Identifier: BSD-3-Clause
// Every move of a single tree against the list of all trees on a handful of rows. The list knows neither codes nor
// slices: a tree is named by how its rules divide the rows. A move runs alone where it can reach all trees, otherwise
// next to grow and prune. Shares of trees, of numbers of leaves and of root features are means over independent chains;
// the alarm is at 6.5 standard errors with 40 chains, below 2e-7 a comparison for Student's t with 39 degrees of
// freedom, and below 1e-3 for all comparisons of this file together if the seeds were drawn anew.
#include <functional>
#include <map>
#include <string>

#include "hedgerow/posterior_tree/moves/change_swap.hpp"
#include "hedgerow/posterior_tree/moves/exchange.hpp"
#include "hedgerow/posterior_tree/moves/graft.hpp"
#include "hedgerow/posterior_tree/moves/perturb.hpp"
#include "posterior_tree/sample_target.hpp"

namespace hedgerow::posterior_tree {
namespace {

using Shares = std::map<std::string, double>;

struct Handful {
  std::vector<std::vector<double>> rows;
  std::vector<double> classes, numbers;

  [[nodiscard]] RankedRows ranked(const std::vector<double>& labels) const {
    std::vector<double> x;
    for (const auto& row : rows) x.insert(x.end(), row.begin(), row.end());
    return {Points{x.data(), rows.size(), rows[0].size()}, labels, {}, 1};
  }
};

/// Two rows tie in a column.
const Handful apart{
    {{0.0, 1.0}, {1.0, 3.0}, {1.0, 0.5}, {2.5, 2.0}, {4.0, 3.5}}, {0.0, 1.0, 0.0, 1.0, 1.0}, {0.1, 2.0, 0.3, 1.5, 2.2}};
/// A grid, where rules can change places; in one column, gaps differ, and so do prior probabilities of cuts.
const Handful crossed{{{0, 0}, {0, 1}, {0, 5}, {2, 0}, {2, 1}, {2, 5}},
                      {0.0, 0.0, 1.0, 1.0, 0.0, 0.0},
                      {-1.4, -0.6, 1.8, 1.4, -1.2, -1.0}};

/// All trees on the rows of a node, by their names, with prior times likelihood as a logarithm.
class Enumeration {
 public:
  Enumeration(const Handful& handful, std::function<double(std::span<const RowId>)> log_likelihood)
      : handful_(handful), log_likelihood_(std::move(log_likelihood)) {}

  [[nodiscard]] Shares posterior() const {
    std::vector<RowId> all(handful_.rows.size());
    std::iota(all.begin(), all.end(), RowId{0});
    Shares found = trees(all, 0);
    double highest = -HUGE_VAL, total = 0.0;
    for (const auto& [name, log_joint] : found) highest = std::max(highest, log_joint);
    for (auto& [name, share] : found) total += share = std::exp(share - highest);
    for (auto& [name, share] : found) share /= total;
    return found;
  }

  static std::string leaf_name(std::vector<RowId> rows) {
    std::ranges::sort(rows);
    std::string name = "[";
    for (const RowId row : rows) name += std::to_string(row) + " ";
    return name + "]";
  }
  static std::string name(std::uint32_t feature, const std::string& left, const std::string& right) {
    return "(" + std::to_string(feature) + left + right + ")";
  }

 private:
  [[nodiscard]] Shares trees(const std::vector<RowId>& rows, std::uint32_t depth) const {
    std::vector<std::uint32_t> varying;
    for (std::uint32_t d = 0; d < handful_.rows[0].size(); ++d) {
      if (values(rows, d).size() > 1) varying.push_back(d);
    }
    const double split = sample_prior.base / std::sqrt(1.0 + depth);
    Shares found{{leaf_name(rows), log_likelihood_(rows) + (varying.empty() ? 0.0 : std::log(1.0 - split))}};
    for (const std::uint32_t d : varying) {
      const auto sorted = values(rows, d);
      for (auto lower = sorted.begin(), upper = std::next(lower); upper != sorted.end(); ++lower, ++upper) {
        std::vector<RowId> left, right;
        for (const RowId row : rows) (handful_.rows[row][d] <= *lower ? left : right).push_back(row);
        const double share = (*upper - *lower) / (*sorted.rbegin() - *sorted.begin());
        const double log_rule = std::log(split * share / static_cast<double>(varying.size()));
        const Shares rights = trees(right, depth + 1);
        for (const auto& [left_name, of_left] : trees(left, depth + 1)) {
          for (const auto& [right_name, of_right] : rights) {
            found[name(d, left_name, right_name)] = log_rule + of_left + of_right;
          }
        }
      }
    }
    return found;
  }

  [[nodiscard]] std::set<double> values(const std::vector<RowId>& rows, std::uint32_t feature) const {
    std::set<double> found;
    for (const RowId row : rows) found.insert(handful_.rows[row][feature]);
    return found;
  }

  const Handful& handful_;
  std::function<double(std::span<const RowId>)> log_likelihood_;
};

template <class AnyTree>
std::string name_of(const AnyTree& tree, NodeId id = 0) {
  const auto rows = tree.rows_of(id);
  if (tree.nodes[id].is_leaf()) return Enumeration::leaf_name({rows.begin(), rows.end()});
  return Enumeration::name(tree.nodes[id].rule.feature, name_of(tree, tree.left(id)), name_of(tree, tree.right(id)));
}

/// Adds the shares of numbers of leaves, and of features at the root.
Shares with_totals(Shares shares) {
  Shares totals;
  for (const auto& [name, share] : shares) {
    totals["leaves: " + std::to_string(std::ranges::count(name, '['))] += share;
    totals["root: " + name.substr(0, 2)] += share;
  }
  shares.merge(totals);
  return shares;
}

template <class T>
using Step = std::function<bool(const T&, typename T::Tree&, random::Stream&)>;

template <class Stage, class T>
void check_shares(const Stage& stage, const Shares& truth, const Step<T>& step, std::uint32_t name) {
  constexpr std::uint32_t n_chains = 40;
  constexpr std::uint64_t n_steps = 1500, n_burn_in = 100;
  Shares sums, squares;
  for (std::uint32_t chain = 0; chain < n_chains; ++chain) {
    random::Stream stream(21, random::Purpose::grow, chain, name);
    auto tree = one_leaf(stage);
    Shares shares;
    std::string present = name_of(tree);
    for (std::uint64_t i = 0; i < n_burn_in + n_steps; ++i) {
      if (step(stage.target, tree, stream)) present = name_of(tree);
      if (i >= n_burn_in) shares[present] += 1.0 / static_cast<double>(n_steps);
    }
    for (const auto& [what, share] : with_totals(shares)) {
      sums[what] += share;
      squares[what] += share * share;
    }
  }
  const Shares expected = with_totals(truth);
  for (const auto& [what, share] : sums) CHECK(expected.contains(what));
  for (const auto& [what, share] : expected) {
    if (share < 0.005) continue;
    const double mean = sums[what] / n_chains, variance = squares[what] / n_chains - mean * mean;
    CHECK_NEAR(mean, share, 6.5 * std::sqrt(std::max(variance, 1e-12) / (n_chains - 1)));
  }
}

template <class Stage>
void check_handful(const Handful& handful, const Stage& stage) {
  using T = std::remove_const_t<decltype(stage.target)>;
  const Shares truth =
      Enumeration(handful, [&](std::span<const RowId> rows) { return stage.slow_log_likelihood(rows); }).posterior();
  CHECK(truth.size() > 40);
  const auto next_to = [](auto move) {
    return Step<T>([move](const T& target, typename T::Tree& tree, random::Stream& stream) {
      bool changed = grow_or_prune(target, tree, GrowChance::certain_if_alone, stream);
      for (int i = 0; i < 4; ++i) changed = move(target, tree, stream) || changed;
      return changed;
    });
  };
  const std::vector<Step<T>> steps{
      [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::certain_if_alone, s); },
      [](auto& t, auto& tree, auto& s) { return grow_or_prune(t, tree, GrowChance::even, s); },
      [](auto& t, auto& tree, auto& s) { return grow_prune_change_or_swap(t, tree, s); },
      [](auto& t, auto& tree, auto& s) { return graft_or_take_out(t, tree, OtherSide::from_prior, s); },
      [](auto& t, auto& tree, auto& s) { return graft_or_take_out(t, tree, OtherSide::alike, s); },
      next_to(perturb<T>),
      next_to(change<T>),
      next_to(swap<T>),
      next_to(exchange<T>),
  };
  for (std::uint32_t i = 0; i < steps.size(); ++i) check_shares(stage, truth, steps[i], i);
}

TEST(moves_of_trees_for_classes_keep_to_the_posterior) {
  for (const Handful* handful : {&apart, &crossed}) {
    check_handful(*handful, LabelStage<label::DirichletMultinomial>(handful->ranked(handful->classes), {2, 1.0, 10}));
  }
}

TEST(moves_of_trees_for_numbers_keep_to_the_posterior) {
  for (const Handful* handful : {&apart, &crossed}) {
    check_handful(*handful,
                  LabelStage<label::NormalInverseGamma>(handful->ranked(handful->numbers), {{0.5, 0.5, 3.0, 0.2}, 10}));
  }
}

}  // namespace
}  // namespace hedgerow::posterior_tree
