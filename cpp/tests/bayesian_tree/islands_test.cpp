// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bayesian_tree/islands.hpp"

#include "bayesian_tree/sample_problem.hpp"
#include "check.hpp"
#include "hedgerow/bayesian_tree/archive.hpp"
#include "hedgerow/bayesian_tree/ask.hpp"
#include "hedgerow/bayesian_tree/chain.hpp"

namespace hedgerow::bayesian_tree {
namespace {

using Classes = label::DirichletMultinomial;
using Reals = label::NormalInverseGamma;

template <class M>
TreeSample filter_sample(const Problem<M>& problem, Growth growth, std::size_t visits, std::size_t n_threads) {
  Islands<M, FilterIsland<M>> islands(problem, {growth, {}}, 62, 3, 9);
  while (!islands.is_finished()) islands.work(visits, n_threads);
  return islands.sample();
}

template <class M>
TreeSample chain_sample(const Problem<M>& problem, std::size_t visits, std::size_t n_threads) {
  Islands<M, Chain<M>> islands(problem, {400, 100}, 62, 3, 9);
  while (!islands.is_finished()) islands.work(visits, n_threads);
  return islands.sample();
}

bool same(const TreeSample& a, const TreeSample& b) {
  return a.nodes == b.nodes && a.weights == b.weights && a.leaf_numbers == b.leaf_numbers &&
         a.log_evidence == b.log_evidence && a.log_joint == b.log_joint;
}

TEST(neither_threads_nor_pieces_of_work_change_a_bit) {
  for (const Growth& growth :
       {Growth{}, Growth{Proposal::empirical, Expansion::layer, 0}, Growth{Proposal::optimal, Expansion::node, 0},
        Growth{Proposal::optimal, Expansion::node, 2}}) {
    const auto whole = filter_sample(class_problem(), growth, 1'000'000, 1);
    CHECK(same(whole, filter_sample(class_problem(), growth, 100, 1)));
    CHECK(same(whole, filter_sample(class_problem(), growth, 777, 3)));
  }
  const auto whole = chain_sample(real_problem(), 1'000'000, 1);
  CHECK(same(whole, chain_sample(real_problem(), 1, 2)));
}

template <class M>
void check_sample(const Problem<M>& problem, const TreeSample& sample) {
  double total = 0.0;
  for (const double weight : sample.weights) total += weight;
  CHECK_NEAR(total, 1.0, 1e-12);
  CHECK(sample.n_trees() > 10);
  // Every training row ends in a leaf whose numbers count it.
  for (std::size_t t = 0; t < sample.n_trees(); ++t) {
    const auto joint = log_joint(problem, sample.tree(t));
    CHECK(joint.has_value() && std::isfinite(*joint));
  }
  CHECK_NEAR(*log_joint(problem, sample.tree(sample.most_probable)), sample.log_joint, 1e-12);
  const TreeSample again = restored(archived(sample), problem.model, problem.data.n_features);
  CHECK(same(sample, again));
}

TEST(samples_are_trees_with_weights) {
  check_sample(class_problem(), filter_sample(class_problem(), {}, 10'000, 2));
  check_sample(real_problem(true),
               filter_sample(real_problem(true), {Proposal::optimal, Expansion::node, 0}, 10'000, 2));
  check_sample(class_problem(true), chain_sample(class_problem(true), 10'000, 2));
}

TEST(a_chain_keeps_as_many_trees_as_asked_for) {
  const auto problem = class_problem();
  Chain<Classes> chain(problem, {1000, 400}, 37, {1, 0});
  chain.run(1'000'000'000);
  double total = 0.0;
  for (const double weight : chain.sample().weights) total += 37.0 * weight;
  CHECK_NEAR(total, 37.0, 1e-9);
  for (const double weight : chain.sample().weights) CHECK_NEAR(37.0 * weight, std::round(37.0 * weight), 1e-9);
}

/// After every accepted step the tree must be what its rules make of the rows.
TEST(moves_keep_a_tree_in_order) {
  const auto problem = class_problem();
  ChainTree<Classes> tree(problem);
  Sides sides;
  int n_accepted = 0;
  for (std::uint64_t step = 0; step < 3000; ++step) {
    random::Stream stream(2, random::Purpose::metropolis, 0, step);
    std::optional<Candidate<Classes>> found;
    switch (random::draw_below(4, stream)) {
      case 0:
        found = propose_grow(problem, tree, sides, stream);
        break;
      case 1:
        found = propose_prune(tree, stream);
        break;
      case 2:
        found = propose_change(problem, tree, sides, stream);
        break;
      default:
        found = propose_swap(tree, sides, stream);
    }
    if (!found || stream.uniform() >= std::exp(std::min(0.0, found->log_ratio + 2.0))) continue;
    tree = found->tree;
    ++n_accepted;
    const auto nodes = tree.finished().nodes();
    CHECK(nodes.size() == tree.size());
    CHECK(log_joint(problem, nodes).has_value());
    double log_likelihood = 0.0, expected = 0.0;
    for (std::uint32_t id = 0; id < tree.size(); ++id) {
      const auto& node = tree.node(id);
      CHECK(node.splittable == is_splittable(problem.data, node.block->rows));
      if (node.is_leaf()) {
        log_likelihood += node.block->log_marginal;
        expected += problem.model.log_marginal(new_block(problem, node.block->rows, 0)->summary);
        continue;
      }
      CHECK(tree.node(node.left).parent == id && tree.node(node.left + 1).parent == id);
      const auto children = divide(problem, *node.block, node.rule, sides);
      CHECK(children->first->rows == tree.node(node.left).block->rows);
      CHECK(children->second->rows == tree.node(node.left + 1).block->rows);
    }
    CHECK_NEAR(log_likelihood, expected, 1e-12);
  }
  CHECK(n_accepted > 300);
}

/// Going there and back multiplies to one: a grow undone by the prune of the same node.
TEST(a_prune_undoes_a_grow) {
  const auto problem = real_problem();
  ChainTree<Reals> tree(problem);
  Sides sides;
  random::Stream stream(4, random::Purpose::metropolis, 0, 0);
  const auto grown = propose_grow(problem, tree, sides, stream);
  const auto pruned = propose_prune(grown->tree, stream);
  CHECK(pruned->tree.size() == 1);
  CHECK_NEAR(grown->log_ratio + pruned->log_ratio, 0.0, 1e-9);
}

/// Joining may move the joined node itself, if it is one of the last: the ratio must be that of the right node.
TEST(every_prune_has_the_ratio_of_growing_back) {
  const auto problem = class_problem();
  Sides sides;
  int n_moved = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    ChainTree<Classes> tree(problem);
    for (std::uint64_t step = 0; step < 200; ++step) {
      random::Stream stream(3, random::Purpose::metropolis, seed, step);
      const auto found =
          stream.uniform() < 0.45 ? propose_prune(tree, stream) : propose_grow(problem, tree, sides, stream);
      if (!found) continue;
      const auto inner = tree.inner().size(), inner_now = found->tree.inner().size();
      const double before = tree.log_joint_at(0), now = found->tree.log_joint_at(0);
      if (inner_now < inner) {
        const auto log_rules = [](const ChainTree<Classes>& of) {
          double sum = 0.0;
          for (const std::uint32_t id : of.inner()) sum += of.node(id).log_rule;
          return sum;
        };
        const double counts = log_size(tree.prunable()) - log_size(found->tree.growable());
        CHECK_NEAR(found->log_ratio, now - before - log_rules(found->tree) + log_rules(tree) + counts, 1e-8);
        for (const std::uint32_t id : tree.prunable()) n_moved += id >= tree.size() - 2;
      }
      tree = found->tree;
    }
  }
  CHECK(n_moved > 10);
}

TEST(probabilities_average_the_trees) {
  const auto problem = class_problem();
  const auto sample = filter_sample(problem, {}, 10'000, 1);
  const std::vector<double> x{1.0, 0.5, 3.0, 1.0, -7.0, 99.0, 0.0, 0.0};
  std::vector<double> found(6);
  ask_classes(sample, problem.model, {x.data(), 2, sample_width}, 2, found.data());
  const auto leaves = ask_leaves(sample, {x.data(), 2, sample_width}, 2);
  for (std::size_t point = 0; point < 2; ++point) {
    std::vector<double> expected(3, 0.0);
    double total = 0.0;
    for (const auto& [leaf, weight] : leaves[point]) {
      auto summary = problem.model.empty();
      CHECK(problem.model.read(sample.leaf(leaf), summary));
      for (std::size_t k = 0; k < 3; ++k)
        expected[k] += weight * (summary.counts[k] + 5.0 / 3.0) / (summary.total + 5.0);
      total += weight;
    }
    CHECK_NEAR(total, 1.0, 1e-12);
    for (std::size_t k = 0; k < 3; ++k) CHECK_NEAR(found[point * 3 + k], expected[k], 1e-12);
  }
}

/// Each change makes an archive that is no sample of trees.
TEST(archives_that_are_no_trees_are_refused) {
  const auto problem = class_problem();
  const auto good = archived(filter_sample(problem, {}, 10'000, 1));
  const auto refuses = [&](auto&& change) {
    Archive bad = good;
    change(bad);
    return tests::throws<std::invalid_argument>([&] { (void)restored(bad, problem.model, sample_width); });
  };
  CHECK(!refuses([](Archive&) {}));
  CHECK(refuses([](Archive& a) { a.features.pop_back(); }));
  CHECK(refuses([](Archive& a) { a.features[0] = sample_width; }));
  CHECK(refuses([](Archive& a) { a.links[0] = 0; }));
  CHECK(refuses([](Archive& a) { a.links[0] = 3; }));
  CHECK(refuses([](Archive& a) { a.links[1] = 0xFFFFFFFF; }));
  CHECK(refuses([](Archive& a) { a.locations[0] = std::nan(""); }));
  CHECK(refuses([](Archive& a) { a.first_node[1] += 1; }));
  CHECK(refuses([](Archive& a) { a.first_node.back() -= 1; }));
  CHECK(refuses([](Archive& a) { a.first_node.clear(); }));
  CHECK(refuses([](Archive& a) { a.weights[0] = -a.weights[0]; }));
  CHECK(refuses([](Archive& a) { a.weights[0] = std::nan(""); }));
  CHECK(refuses([](Archive& a) { a.weights[0] += 0.5; }));
  CHECK(refuses([](Archive& a) { a.weights.clear(); }));
  CHECK(refuses([](Archive& a) { a.first_number[1] = a.first_number[0]; }));
  CHECK(refuses([](Archive& a) { a.leaf_numbers[0] = 17.0; }));
  CHECK(refuses([](Archive& a) { a.leaf_numbers.pop_back(); }));
  CHECK(refuses([](Archive& a) { a.most_probable[0] = 1'000'000; }));
  CHECK(refuses([](Archive& a) { a.log_joint[0] = std::nan(""); }));
  CHECK(refuses([](Archive& a) { a.log_evidence[0] = HUGE_VAL; }));
}

}  // namespace
}  // namespace hedgerow::bayesian_tree
