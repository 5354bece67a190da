// SPDX-License-Identifier: BSD-3-Clause
// Belief propagation on whole trees against a dense Gaussian: beliefs of all nodes, and the evidence.
#include "hedgerow/mondrian/learn/evidence.hpp"

#include <map>

#include "check.hpp"
#include "dense_gaussian.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

constexpr label::Query query{0.3, 2.5};

/// Every node of the tree a variable, every row an observation of its leaf.
struct DenseTree {
  DenseTree(const Forest<GaussianHierarchy>& forest, const MondrianTree<GaussianHierarchy>& tree) {
    const auto& model = forest.model;
    append_preorder(tree.shape, tree.root, order);
    const auto psi = [&](NodeId id) { return model.psi(tree.time(id, forest.growth)); };
    variable[tree.root] = dense.add_root(query.centre, query.variance * (model.psi(0.0) - psi(tree.root)));
    for (const NodeId id : order) {
      if (tree.node(id).is_leaf()) continue;
      for (const bool right : {false, true}) {
        const NodeId child = tree.node(id).child(right);
        variable[child] = dense.add(variable[id], query.variance * (psi(id) - psi(child)));
      }
    }
    for (const NodeId id : order) {
      if (!tree.node(id).is_leaf()) continue;
      tree.shape.for_each_row(id, [&](RowId row) {  // a weight is a number of repetitions
        for (double left = forest.rows.weight(row); left > 0.0; left -= 1.0) {
          log_density += dense.observe(variable[id], forest.rows.labels[row], query.variance / model.signal_to_noise);
        }
      });
    }
  }

  DenseGaussian dense;
  std::vector<NodeId> order;
  std::map<NodeId, std::size_t> variable;
  double log_density = 0.0;
};

/// Forests of every kind, with whole weights.
template <class Function>
void for_each_forest(Function&& f) {
  for (const Kind kind : all_kinds) {
    for (const Growth growth : {Growth{2.0, infinity}, Growth{5.0, infinity}, Growth{2.0, 0.8}}) {
      Sample sample = draw_sample(20, 2, kind);
      for (double& weight : sample.weights) weight = std::ceil(weight);
      f(grown_forest<GaussianHierarchy>(sample, 1, growth));
      f(learned_forest<GaussianHierarchy>(sample, 1, growth));
    }
  }
}

TEST(beliefs_of_all_nodes_are_the_exact_posterior) {
  for_each_forest([](const Forest<GaussianHierarchy>& forest) {
    const auto& tree = forest.trees[0];
    const DenseTree exact(forest, tree);
    std::map<NodeId, GaussianHierarchy::Belief> beliefs;
    const auto infer = [&](const GaussianHierarchy::Belief& parent, NodeId id) {
      beliefs[id] = forest.model.infer(parent, tree.summaries[id], tree.clock(id, forest.model));
      CHECK_NEAR(beliefs[id].mean, exact.dense.mean(exact.variable.at(id)), 1e-11);
      CHECK_NEAR(query.variance * beliefs[id].variance, exact.dense.variance(exact.variable.at(id)), 1e-11);
    };
    infer(forest.model.prior(query), tree.root);
    for (const NodeId id : exact.order) {
      if (tree.node(id).is_leaf()) continue;
      infer(beliefs.at(id), tree.node(id).left());
      infer(beliefs.at(id), tree.node(id).right());
    }
  });
}

TEST(the_evidence_is_the_density_of_all_labels) {
  for_each_forest([](const Forest<GaussianHierarchy>& forest) {
    const DenseTree exact(forest, forest.trees[0]);
    const double evidence = log_evidence(forest.trees[0], forest.rows, forest.growth, forest.model, query);
    CHECK_NEAR(evidence, exact.log_density, 1e-9);
  });
}

TEST(the_evidence_of_no_labels_is_zero) {
  const auto forest = empty_forest<GaussianHierarchy>(2, 1);
  CHECK(log_evidence(forest.trees[0], forest.rows, forest.growth, forest.model, query) == 0.0);
}

}  // namespace
}  // namespace hedgerow::mondrian
