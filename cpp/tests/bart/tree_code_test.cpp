// SPDX-License-Identifier: BSD-3-Clause
// Trees to bytes and back; bytes that nobody vouches for are refused or are valid trees.
#include "hedgerow/bart/tree_code.hpp"

#include "hedgerow/bart/archive.hpp"
#include "hedgerow/bart/ask.hpp"
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

/// A sampler with draws, and what a file has of it.
struct Stored {
  Settings settings;
  Observed observed;
  archive::Archive archive;

  Stored(ResponseKind kind, bool varying)
      : settings(
            sample_settings(some_moves, 3, varying ? VaryingNoise{n_noise_trees, {4.0, 3.5}, 1e-6} : VaryingNoise{})),
        observed{kind, sample_labels(), {}, {0.0}} {
    for (double& label : observed.labels) label = kind == ResponseKind::normal ? label : label > 0.8 ? 1.0 : 0.0;
    const auto sampler = new_sampler(sample_data(), observed, settings, 1, 3, Start::prior);
    sampler->run(6, 1, 1);
    archive = archived(*sampler);
  }

  /// Loads, goes on and predicts; false if refused.
  [[nodiscard]] bool is_taken(const archive::Archive& other) const {
    try {
      const auto loaded = restored(other, observed, settings, 1, 3);
      loaded->run(2, 1, 1);
      const std::size_t width = loaded->problem().data.n_features;
      const std::vector<double> values(width * 5, 0.25);
      const Points points{values.data(), 5, width};
      for (const double one : predict(*loaded, Part::mean, points, 1)) CHECK(std::isfinite(one));
      if (settings.varying.n_trees == 0) return true;
      for (const double one : predict(*loaded, Part::noise, points, 1)) {
        CHECK(std::isfinite(std::exp(one)) && std::exp(one) > 0.0);
      }
      const TracePoint& last = loaded->draws()[0].trace.back();
      CHECK(std::isfinite(last.noise) && last.noise > 0.0);
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
    CHECK(stored.is_taken(stored.archive));
    int n_refused = 0, n_taken = 0;
    for (int repetition = 0; repetition < 1500; ++repetition) {
      archive::Archive spoiled = stored.archive;
      std::uint32_t n_arrays = 0;
      spoiled.for_each([&](const std::string&, auto&) { ++n_arrays; });
      auto chosen = static_cast<int>(random::draw_below(n_arrays, stream));
      spoiled.for_each([&](const std::string&, auto& array) {
        if (chosen-- == 0) spoil(array, stream);
      });
      ++(stored.is_taken(spoiled) ? n_taken : n_refused);
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
  const Settings settings{{0.99, 0.0}, 1.0, n_trees, {}, 1, 3.0, 1.0, {}};
  const Observed observed{ResponseKind::normal, std::vector<double>(n, 0.0), {}, {0.0}};
  const auto sampler = new_sampler({Points{points.data(), n, 2}, 1}, observed, settings, 1, 3, Start::prior);
  const auto again = restored(archived(*sampler), observed, settings, 1, 3);
  CHECK(std::ranges::equal(sampler->chains()[0]->sums()[0].residuals(), again->chains()[0]->sums()[0].residuals()));
}

}  // namespace
}  // namespace hedgerow::bart
