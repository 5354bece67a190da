// SPDX-License-Identifier: BSD-3-Clause
// Trees that were drawn, and those of a chain as they stand, in an archive, and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "hedgerow/archive/archive.hpp"
#include "hedgerow/bart/draws.hpp"

namespace hedgerow::bart {

/// Names of a chain's arrays begin with it.
inline std::string prefix_of(std::size_t chain) { return "chain" + std::to_string(chain) + "."; }
inline std::string noise_prefix_of(std::size_t chain) { return prefix_of(chain) + "noise."; }

inline void append(TreeCode<Fixed>& state, const Ensemble& trees) {
  for (const Tree& tree : trees.trees()) state.append(tree, [](const Node& leaf) { return leaf.value; });
}

inline void write_trees(const TreesOfDraws& draws, const TreeCode<Fixed>& state, std::uint64_t n_rounds,
                        const std::string& prefix, archive::Archive& archive) {
  archive.add(prefix + "draws.shape", draws.code.shape);
  archive.add(prefix + "draws.rules", draws.code.rules);
  archive.add(prefix + "draws.values", draws.code.values);
  archive.add(prefix + "draws.first_node", draws.first_node);
  archive.add(prefix + "state.shape", state.shape);
  archive.add(prefix + "state.rules", state.rules);
  archive.add(prefix + "state.values", state.values);
  archive.add(prefix + "state.counts", std::vector<std::uint64_t>{state.n_nodes, n_rounds});
}

/// Each draw begins where a tree does, after as many trees as it should. What they say adds up to `most` at most.
inline TreesOfDraws read_draws(const archive::Archive& archive, const std::string& prefix, const BinnedRows& data,
                               std::size_t n_draws, std::uint64_t trees_a_draw, double most) {
  using archive::require;
  TreesOfDraws draws;
  draws.first_node = archive.get<std::uint64_t>(prefix + "draws.first_node");
  require(draws.first_node.size() == n_draws + 1 && draws.first_node[0] == 0, "draws and their trace differ in length");
  draws.code = {archive.get<std::uint8_t>(prefix + "draws.shape"), draws.first_node.back(),
                archive.get<std::uint32_t>(prefix + "draws.rules"), archive.get<float>(prefix + "draws.values")};
  require(draws.code.holds(n_draws * trees_a_draw, data.cuts), "trees are not whole");
  require(archive::all_finite(draws.code.values), "a value is not finite");
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

/// Trees of a chain as they stand, and the round that comes next.
struct TreesOfState {
  TreeCode<Fixed> code;
  std::uint64_t round;
};

inline TreesOfState read_state(const archive::Archive& archive, const std::string& prefix, std::size_t n_trees,
                               const BinnedRows& data) {
  using archive::require;
  const auto& counts = archive.get<std::uint64_t>(prefix + "state.counts");
  require(counts.size() == 2, "the state is not whole");
  require(counts[1] < (std::uint64_t{1} << 35), "there are too many rounds");
  TreesOfState state{{archive.get<std::uint8_t>(prefix + "state.shape"), counts[0],
                      archive.get<std::uint32_t>(prefix + "state.rules"), archive.get<Fixed>(prefix + "state.values")},
                     counts[1]};
  require(state.code.holds(n_trees, data.cuts), "trees of the state are not whole");
  return state;
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
  archive::require(total <= most, "a value is out of range");
  return trees;
}

}  // namespace hedgerow::bart
