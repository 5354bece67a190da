// SPDX-License-Identifier: BSD-3-Clause
// Chains and what they have drawn, as flat arrays for files. What comes from a file is checked, all of it, before use.
#pragma once

#include <numeric>
#include <stdexcept>
#include <string>

#include "hedgerow/bart/new_sampler.hpp"

namespace hedgerow::bart {

inline void require(bool holds, const char* sentence) {
  if (!holds) throw std::invalid_argument(std::string("not valid draws of sums of trees: ") + sentence);
}

struct RowsArchive {
  std::vector<Bin> bins;
  std::vector<std::uint64_t> n_cuts;
  std::vector<double> cuts, cut_weights;

  template <class Function>
  void for_each_array(Function&& f) {
    f("rows.bins", bins);
    f("rows.n_cuts", n_cuts);
    f("rows.cuts", cuts);
    f("rows.cut_weights", cut_weights);
  }
};

/// Trees that were drawn, and those of a chain as they stand.
struct TreesArchive {
  std::vector<std::uint8_t> shape, state_shape;
  std::vector<std::uint32_t> rules, state_rules;
  std::vector<float> values;
  std::vector<Fixed> state_values;
  std::vector<std::uint64_t> first_node, state_counts;  ///< counts: nodes and rounds

  template <class Function>
  void for_each_array(Function&& f) {
    f("draws.shape", shape);
    f("draws.rules", rules);
    f("draws.values", values);
    f("draws.first_node", first_node);
    f("state.shape", state_shape);
    f("state.rules", state_rules);
    f("state.values", state_values);
    f("state.counts", state_counts);
  }
};

struct ChainArchive : TreesArchive {
  std::vector<Fixed> utilities;
  std::vector<double> trace, noise_variance;

  template <class Function>
  void for_each_array(Function&& f) {
    TreesArchive::for_each_array(f);
    f("draws.notes", trace);
    f("state.utilities", utilities);
    f("state.noise_variance", noise_variance);
  }
};

inline RowsArchive archived(const BinnedRows& data) {
  RowsArchive archive{data.codes, {}, {}, {}};
  for (std::size_t d = 0; d < data.n_features; ++d) {
    const auto &cuts = data.cuts[d], &before = data.positions[d];
    archive.n_cuts.push_back(cuts.size());
    archive.cuts.insert(archive.cuts.end(), cuts.begin(), cuts.end());
    archive.cut_weights.insert(archive.cut_weights.end(), before.begin() + 1, before.end());
  }
  return archive;
}

inline BinnedRows restored(const RowsArchive& archive) {
  BinnedRows data;
  data.n_features = archive.n_cuts.size();
  require(data.n_features > 0 && archive.bins.size() % data.n_features == 0, "rows do not fill their columns");
  data.n_rows = archive.bins.size() / data.n_features;
  require(data.n_rows > 0, "there are no rows");
  data.codes = archive.bins;
  require(archive.cut_weights.size() == archive.cuts.size(), "cuts and their weights differ in number");
  std::size_t first = 0;
  for (std::uint32_t d = 0; d < data.n_features; ++d) {
    const std::uint64_t n = archive.n_cuts[d];
    require(n <= BinnedRows::most_cuts && n <= archive.cuts.size() - first, "cuts of a column are missing");
    const auto begin = archive.cuts.begin() + static_cast<std::ptrdiff_t>(first);
    const auto& cuts = data.cuts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
    auto& before = data.positions.emplace_back(1, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      require(std::isfinite(cuts[i]) && (i == 0 || cuts[i - 1] < cuts[i]), "cuts of a column do not rise");
      const double weight = archive.cut_weights[first + i];
      require(weight > before.back() && weight < 2.0, "weights of cuts do not add up");
      before.push_back(weight);
    }
    require(std::all_of(data.column(d), data.column(d) + data.n_rows, [&](Bin bin) { return bin <= n; }),
            "a value lies beyond the cuts of its column");
    first += n;
  }
  require(first == archive.cuts.size(), "there are more cuts than columns have");
  return data;
}

inline void archive_trees(const TreesOfDraws& draws, const TreeCode<Fixed>& state, const Chain& chain,
                          TreesArchive& archive) {
  archive.shape = draws.code.shape;
  archive.rules = draws.code.rules;
  archive.values = draws.code.values;
  archive.first_node = draws.first_node;
  archive.state_shape = state.shape;
  archive.state_rules = state.rules;
  archive.state_values = state.values;
  archive.state_counts = {state.n_nodes, chain.n_rounds()};
}

inline void append(TreeCode<Fixed>& state, const Ensemble& trees) {
  for (const Tree& tree : trees.trees()) state.append(tree, [](const Node& leaf) { return leaf.value; });
}

inline ChainArchive archived(const Draws& draws, const Chain& chain, bool with_utilities) {
  ChainArchive archive;
  TreeCode<Fixed> state;
  for (const SumOfTrees& sum : chain.sums()) append(state, sum);
  archive_trees(draws, state, chain, archive);
  append(draws.trace, archive.trace);
  archive.noise_variance = {chain.noise_variance()};
  if (with_utilities) {
    for (const auto& utilities : chain.utilities()) {
      archive.utilities.insert(archive.utilities.end(), utilities.begin(), utilities.end());
    }
  }
  return archive;
}

/// Of the noise, if it varies.
inline TreesArchive archived_noise(const Draws& draws, const Chain& chain) {
  TreesArchive archive;
  TreeCode<Fixed> state;
  append(state, *chain.noise_trees());
  archive_trees(draws.noise, state, chain, archive);
  return archive;
}

/// Each draw begins where a tree does, after as many trees as it should. What they say adds up to `most` at most.
inline TreesOfDraws restored_trees(const TreesArchive& archive, const BinnedRows& data, std::size_t n_draws,
                                   std::uint64_t trees_a_draw, double most) {
  TreesOfDraws draws;
  draws.first_node = archive.first_node;
  require(draws.first_node.size() == n_draws + 1 && draws.first_node[0] == 0, "draws and their trace differ in length");
  draws.code = {archive.shape, draws.first_node.back(), archive.rules, archive.values};
  require(draws.code.holds(n_draws * trees_a_draw, data.cuts), "trees are not whole");
  require(std::ranges::all_of(archive.values, [](float value) { return std::isfinite(value); }),
          "a value is not finite");
  std::uint64_t node = 0;
  CodeReader<float> reader(draws.code);
  for (std::size_t draw = 0; draw < n_draws; ++draw) {
    require(draws.first_node[draw] == node, "a draw does not begin with a tree");
    double total = 0.0;
    for (std::uint64_t tree = 0; tree < trees_a_draw; ++tree) {
      float largest = 0.0F;
      for (std::uint64_t n_open = 1; n_open > 0; ++node) {
        const bool is_inner = reader.next_is_inner();
        n_open = is_inner ? n_open + 1 : n_open - 1;
        if (!is_inner) largest = std::max(largest, std::abs(reader.next_value()));
      }
      total += static_cast<double>(largest);
    }
    require(total <= most, "values of a draw are out of range");
  }
  return draws;
}

/// Of the logarithm of a variance: its exponential is a number still, and so are sums of them.
constexpr double most_log_variance = 500.0;

inline TreesOfDraws restored_noise(const TreesArchive& archive, const Problem& problem, std::size_t n_draws,
                                   std::size_t n_trees) {
  return restored_trees(archive, problem.data, n_draws, n_trees, most_log_variance);
}

inline Draws restored_draws(const ChainArchive& archive, const Problem& problem, std::size_t n_sums) {
  require(archive.trace.size() % 4 == 0, "a trace is not whole");
  Draws draws;
  static_cast<TreesOfDraws&>(draws) =
      restored_trees(archive, problem.data, archive.trace.size() / 4, n_sums * problem.n_trees, HUGE_VAL);
  for (std::size_t i = 0; i + 3 < archive.trace.size(); i += 4) {
    const double* point = archive.trace.data() + i;
    require(std::all_of(point, point + 4, [](double value) { return std::isfinite(value); }),
            "a number of a trace is not finite");
    draws.trace.push_back({point[0], point[1], point[2], point[3]});
  }
  return draws;
}

/// The next trees of a state. At no point do their values add up to more than `most`.
inline std::vector<Tree> next_trees(CodeReader<Fixed>& reader, const BinnedRows& data, std::size_t n_trees,
                                    double most) {
  std::vector<Tree> trees;
  double total = 0.0;
  for (std::size_t m = 0; m < n_trees; ++m) {
    double largest = 0.0;
    trees.push_back(reader.next_tree(data, [&](Node& leaf, Fixed value) {
      leaf.value = value;
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }));
    total += largest;
  }
  require(total <= most, "a value is out of range");
  return trees;
}

inline TreeCode<Fixed> state_of(const TreesArchive& archive, std::size_t n_trees, const BinnedRows& data) {
  require(archive.state_counts.size() == 2, "the state is not whole");
  TreeCode<Fixed> state{archive.state_shape, archive.state_counts[0], archive.state_rules, archive.state_values};
  require(state.holds(n_trees, data.cuts), "trees of the state are not whole");
  return state;
}

/// `noise` is not looked at if it is constant.
inline void restore(const ChainArchive& archive, const TreesArchive& noise, const Problem& problem,
                    const Response& response, Chain& chain) {
  require(archive.noise_variance.size() == 1, "the state is not whole");
  require(archive.noise_variance[0] > 0.0 && std::isfinite(archive.noise_variance[0]), "the noise is not positive");
  const TreeCode<Fixed> state = state_of(archive, response.n_sums() * problem.n_trees, problem.data);
  require(archive.state_counts[1] < (std::uint64_t{1} << 35), "there are too many rounds");
  // So small that no sum over rows overflows, of what trees say and what they leave, each as often as its weight says.
  const double n_rows = static_cast<double>(problem.data.n_rows);
  const double most = 0x1p61 / std::max(n_rows, std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0));
  const auto is_small = [&](Fixed value) { return std::abs(static_cast<double>(value)) * 4.0 <= most; };
  require(std::ranges::all_of(archive.utilities, is_small), "a utility is out of range");
  Utilities utilities = first_utilities(response, problem.units);
  if (response.kind != ResponseKind::normal) {
    const std::size_t n = problem.data.n_rows;
    require(archive.utilities.size() == n * utilities.size(), "utilities are missing");
    for (std::size_t k = 0; k < utilities.size(); ++k) {
      std::copy_n(archive.utilities.begin() + static_cast<std::ptrdiff_t>(k * n), n, utilities[k].begin());
    }
  }
  CodeReader<Fixed> reader(state);
  std::vector<std::vector<Tree>> trees(response.n_sums());
  for (auto& sum : trees) sum = next_trees(reader, problem.data, problem.n_trees, most);
  std::vector<Tree> noise_trees;
  if (response.varying.n_trees > 0) {
    const TreeCode<Fixed> noise_state = state_of(noise, response.varying.n_trees, problem.data);
    require(noise.state_counts[1] == archive.state_counts[1], "trees of the noise are of another round");
    CodeReader<Fixed> noise_reader(noise_state);
    noise_trees =
        next_trees(noise_reader, problem.data, response.varying.n_trees, most_log_variance / NoiseTrees::unit);
  }
  require(chain.restore(std::move(trees), std::move(noise_trees), std::move(utilities), archive.noise_variance[0],
                        archive.state_counts[1]),
          "a rule divides no rows");
}

/// Names of a chain's arrays begin with it.
inline std::string prefix_of(std::size_t chain) { return "chain" + std::to_string(chain) + "."; }
inline std::string noise_prefix_of(std::size_t chain) { return prefix_of(chain) + "noise."; }

/// `give(arrays, prefix)` is called with every part of a sampler.
template <class Give>
void archive(const Sampler& sampler, Give&& give) {
  give(archived(sampler.problem().data), std::string());
  for (std::size_t c = 0; c < sampler.chains().size(); ++c) {
    const Chain& chain = *sampler.chains()[c];
    give(archived(sampler.draws()[c], chain, sampler.response().kind != ResponseKind::normal), prefix_of(c));
    if (chain.noise_trees()) give(archived_noise(sampler.draws()[c], chain), noise_prefix_of(c));
  }
}

/// A sampler that goes on as the one that was archived, given what travels with a model's parameters.
/// `take(arrays, prefix)` fills a part.
template <class Take>
std::unique_ptr<Sampler> restored(Take&& take, Observed observed, const Settings& settings, std::size_t n_chains,
                                  std::uint64_t seed) {
  RowsArchive rows;
  take(rows, std::string());
  auto sampler = new_sampler(restored(rows), std::move(observed), settings, n_chains, seed, Start::leaves);
  const Response& response = sampler->response();
  for (std::size_t c = 0; c < n_chains; ++c) {
    ChainArchive own;
    take(own, prefix_of(c));
    Draws& draws = sampler->draws()[c] = restored_draws(own, sampler->problem(), response.n_sums());
    TreesArchive noise;
    if (const std::size_t n_trees = response.varying.n_trees; n_trees > 0) {
      take(noise, noise_prefix_of(c));
      draws.noise = restored_noise(noise, sampler->problem(), draws.size(), n_trees);
    }
    restore(own, noise, sampler->problem(), response, *sampler->chains()[c]);
    require(draws.size() == sampler->n_draws() && sampler->chains()[c]->n_rounds() == sampler->chains()[0]->n_rounds(),
            "chains differ in length");
  }
  return sampler;
}

}  // namespace hedgerow::bart
