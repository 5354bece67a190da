// SPDX-License-Identifier: BSD-3-Clause
// Trees to bytes and back; bytes that nobody vouches for are refused or are valid trees.
#include "hedgerow/bart/tree_code.hpp"

#include "hedgerow/bart/archive.hpp"
#include "sample_sum.hpp"

namespace hedgerow::bart {
namespace {

const Plan some_moves{{{Move::grow_prune, 3}, {Move::heat_bath, 1}}, 1};

TEST(trees_go_to_bytes_and_back) {
  posterior_tree::SumStage stage(false);
  random::Stream stream(41, random::Purpose::grow, 0, 0);
  std::vector<Tree> trees;
  TreeCode<Fixed> code;
  for (int i = 0; i < 200; ++i) {
    Tree tree = posterior_tree::draw_from_prior(stage.target, stream);
    for (Node& node : tree.nodes)
      node.value = node.is_leaf() ? static_cast<Fixed>(0x1p60 * (stream.uniform() - 0.5)) : 0;
    code.append(tree, [](const Node& leaf) { return leaf.value; });
    trees.push_back(std::move(tree));
  }
  CHECK(code.holds(200, stage.data.cuts) && !code.holds(199, stage.data.cuts) && !code.holds(201, stage.data.cuts));
  CHECK(code.shape.size() == (code.n_nodes + 7) / 8 && code.values.size() == code.rules.size() + 200);
  CodeReader<Fixed> reader(code);
  for (const Tree& tree : trees) {
    Tree read = reader.next_tree(stage.data, [](Node& leaf, Fixed value) { leaf.value = value; });
    CHECK(posterior_tree::assign_rows(stage.target, read, 0));
    CHECK(read.nodes.size() == tree.nodes.size());
    for (std::size_t id = 0; id < std::min(read.nodes.size(), tree.nodes.size()); ++id) {
      const Node &now = read.nodes[id], &then = tree.nodes[id];
      CHECK(now.size == then.size && now.begin == then.begin && now.end == then.end && now.depth == then.depth);
      CHECK(now.is_leaf() ? now.value == then.value && now.statistic.sum == then.statistic.sum : now.rule == then.rule);
    }
  }
}

/// Leaves on one side of a chain of inner nodes.
TreeCode<Fixed> chain_of(std::size_t depth, bool to_the_right) {
  TreeCode<Fixed> code;
  const auto append = [&](bool inner) {
    if (code.n_nodes % 8 == 0) code.shape.push_back(0);
    code.shape.back() = static_cast<std::uint8_t>(code.shape.back() | (inner ? 1U : 0U) << (code.n_nodes++ % 8));
  };
  for (std::size_t i = 0; i < depth; ++i) {
    append(true);
    if (to_the_right) append(false);
  }
  for (std::size_t i = to_the_right ? depth : 0; i <= depth; ++i) append(false);
  code.rules.assign(depth, 0);
  code.values.assign(depth + 1, 0);
  return code;
}

TEST(a_chain_of_rules_too_deep_to_be_read_is_refused) {
  const std::vector<std::vector<double>> cuts{{0.0}};
  for (const bool to_the_right : {false, true}) {
    CHECK(chain_of(0, to_the_right).holds(1, cuts) && chain_of(200, to_the_right).holds(1, cuts));
    CHECK(!chain_of(3'000'000, to_the_right).holds(1, cuts));
  }
}

TEST(bits_and_bytes_beyond_the_last_node_are_refused) {
  // Trees that are added later would take them for their own.
  const std::vector<std::vector<double>> cuts{{0.0}};
  TreeCode<Fixed> code{{0b001}, 3, {0}, {1, 2}};
  CHECK(code.holds(1, cuts));
  code.shape[0] = 0b1001;
  CHECK(!code.holds(1, cuts));
  code.shape = {0b001, 0xFF};
  CHECK(!code.holds(1, cuts));
  code.shape = {};
  CHECK(!code.holds(1, cuts));
  CHECK((TreeCode<Fixed>{{}, 0, {}, {}}.holds(0, cuts)) && !(TreeCode<Fixed>{{}, 0, {}, {}}.holds(1, cuts)));
}

constexpr std::size_t n_noise_trees = 2;

/// A sampler with draws, and what a file has of its one chain.
struct Stored {
  Sampler sampler;
  RowsArchive rows;
  ChainArchive chain;
  TreesArchive noise;  ///< empty unless it varies

  Stored(ResponseKind kind, bool varying)
      : sampler(sample_problem(some_moves, 3, false, varying), response_of(kind, varying), 1, 3, Start::prior) {
    sampler.run(6, 1, 1);
    rows = archived(sampler.problem().data);
    chain = archived(sampler.draws()[0], *sampler.chains()[0], kind != ResponseKind::normal);
    if (varying) noise = archived_noise(sampler.draws()[0], *sampler.chains()[0]);
  }

  static Response response_of(ResponseKind kind, bool varying) {
    Response response{kind, sample_labels(), {0.0}, 3.0, 0.1};
    if (varying) response.varying = {n_noise_trees, {4.0, 3.5}, 1e-6};
    for (double& label : response.labels) label = kind == ResponseKind::normal ? label : label > 0.8 ? 1.0 : 0.0;
    return response;
  }

  /// Loads, goes on and predicts; false if refused.
  [[nodiscard]] bool is_taken(const RowsArchive& other_rows, const ChainArchive& other,
                              const TreesArchive& other_noise) const {
    try {
      const bool varying = sampler.response().varying.n_trees > 0;
      Problem problem = sample_problem(some_moves, 3, false, varying);
      problem.data = restored(other_rows);
      if (problem.data.n_rows != sample_rows) return false;  // labels tell
      Sampler loaded(std::move(problem), sampler.response(), 1, 3, Start::leaves);
      loaded.draws()[0] = restored_draws(other, loaded.problem(), 1);
      Draws& draws = loaded.draws()[0];
      if (varying) draws.noise = restored_noise(other_noise, loaded.problem(), draws.size(), n_noise_trees);
      restore(other, other_noise, loaded.problem(), loaded.response(), *loaded.chains()[0]);
      loaded.run(2, 1, 1);
      const std::vector<double> points(loaded.problem().data.n_features * 5, 0.25);
      std::vector<double> found(loaded.draws()[0].size() * 5);
      predict(loaded.draws()[0], loaded.problem().data, 1, 3, {points.data(), 5, loaded.problem().data.n_features}, 1,
              found.data());
      for (const double one : found) CHECK(std::isfinite(one));
      if (!varying) return true;
      predict(draws.noise, loaded.problem().data, 1, n_noise_trees,
              {points.data(), 5, loaded.problem().data.n_features}, 1, found.data());
      for (const double one : found) CHECK(std::isfinite(std::exp(one)) && std::exp(one) > 0.0);
      CHECK(std::isfinite(draws.notes.back().noise) && draws.notes.back().noise > 0.0);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }
};

/// Flips a bit, cuts, or lengthens an array.
template <class V>
void spoil(std::vector<V>& array, random::Stream& stream) {
  const double kind = stream.uniform();
  if (kind < 0.1 && !array.empty()) {
    array.pop_back();
  } else if (kind < 0.2) {
    array.push_back(array.empty() ? V{} : array[random::draw_below(array.size(), stream)]);
  } else if (!array.empty()) {
    V& one = array[random::draw_below(array.size(), stream)];
    auto* bytes = reinterpret_cast<unsigned char*>(&one);
    const auto bit = random::draw_below(8 * sizeof(V), stream);
    bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << (bit % 8)));
  }
}

TEST(spoiled_files_are_refused_or_are_valid_trees) {
  random::Stream stream(42, random::Purpose::grow, 0, 0);
  const std::pair<ResponseKind, bool> kinds[] = {
      {ResponseKind::normal, false}, {ResponseKind::normal, true}, {ResponseKind::probit, false}};
  for (const auto& [kind, varying] : kinds) {
    const Stored stored(kind, varying);
    CHECK(stored.is_taken(stored.rows, stored.chain, stored.noise));
    int n_refused = 0, n_taken = 0;
    for (int repetition = 0; repetition < 1500; ++repetition) {
      RowsArchive rows = stored.rows;
      ChainArchive chain = stored.chain;
      TreesArchive noise = stored.noise;
      std::uint32_t n_arrays = 0;
      const auto count = [&](const char*, auto&) { ++n_arrays; };
      rows.for_each_array(count);
      chain.for_each_array(count);
      if (varying) noise.for_each_array(count);
      auto chosen = static_cast<int>(random::draw_below(n_arrays, stream));
      const auto spoil_chosen = [&](const char*, auto& array) {
        if (chosen-- == 0) spoil(array, stream);
      };
      rows.for_each_array(spoil_chosen);
      chain.for_each_array(spoil_chosen);
      noise.for_each_array(spoil_chosen);
      ++(stored.is_taken(rows, chain, noise) ? n_taken : n_refused);
    }
    CHECK(n_refused > 300 && n_taken > 100);
  }
}

TEST(a_state_of_many_leaves_can_be_stored) {
  // Values of one tree do not add up in a row, however many leaves there are.
  std::vector<double> points;
  random::Stream stream(43, random::Purpose::grow, 0, 0);
  const std::size_t n = 1000, n_trees = 20;
  for (std::size_t i = 0; i < 2 * n; ++i) points.push_back(stream.uniform());
  const double unit = std::exp2(std::ceil(std::log2(256.0 * std::sqrt(20.0) * n)) - 61.0);  // as the bindings choose it
  const Problem problem{BinnedRows({points.data(), n, 2}, 1), {}, {0.99, 0.0}, 1.0, {unit, 1.0}, n_trees, {}, 1};
  const Response response{ResponseKind::normal, std::vector<double>(n, 0.0), {0.0}, 3.0, 1.0};
  const Chain chain(problem, response, {3, 0}, Start::prior);
  Chain again(problem, response, {3, 0}, Start::leaves);
  restore(archived(Draws{}, chain, false), {}, problem, response, again);
  CHECK(std::ranges::equal(chain.sums()[0].residuals(), again.sums()[0].residuals()));
}

}  // namespace
}  // namespace hedgerow::bart
