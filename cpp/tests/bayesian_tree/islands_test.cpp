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
    archive::Archive bad = good;
    change(bad);
    return tests::throws<std::invalid_argument>([&] { (void)restored(bad, problem.model, sample_width); });
  };
  CHECK(!refuses([](archive::Archive&) {}));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint32_t>("nodes.feature").pop_back(); }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint32_t>("nodes.feature")[0] = sample_width; }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint32_t>("nodes.link")[0] = 0; }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint32_t>("nodes.link")[0] = 3; }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint32_t>("nodes.link")[1] = 0xFFFFFFFF; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("nodes.location")[0] = std::nan(""); }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint64_t>("trees.first_node")[1] += 1; }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint64_t>("trees.first_node").back() -= 1; }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint64_t>("trees.first_node").clear(); }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("trees.weight")[0] = -a.get<double>("trees.weight")[0]; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("trees.weight")[0] = std::nan(""); }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("trees.weight")[0] += 0.5; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("trees.weight").clear(); }));
  CHECK(refuses(
      [](archive::Archive& a) { a.get<std::uint64_t>("leaves.first")[1] = a.get<std::uint64_t>("leaves.first")[0]; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("leaves.numbers")[0] = 17.0; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("leaves.numbers").pop_back(); }));
  CHECK(refuses([](archive::Archive& a) { a.get<std::uint64_t>("trees.most_probable")[0] = 1'000'000; }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("trees.log_joint")[0] = std::nan(""); }));
  CHECK(refuses([](archive::Archive& a) { a.get<double>("islands.log_evidence")[0] = HUGE_VAL; }));
}

}  // namespace
}  // namespace hedgerow::bayesian_tree
