// SPDX-License-Identifier: BSD-3-Clause
// Particle Gibbs (Lakshminarayanan 2016, Algorithm 4.2): a tree, or a subtree, is drawn from a conditional filter in
// which the present one is a particle that always survives. Blocks and proposals are those of Bayesian decision trees.
#pragma once

#include <algorithm>
#include <vector>

#include "hedgerow/bart/tree.hpp"
#include "hedgerow/bayesian_tree/growing_tree.hpp"
#include "hedgerow/label/known_noise.hpp"
#include "hedgerow/particle/filter.hpp"
#include "hedgerow/posterior_tree/assign_rows.hpp"
#include "hedgerow/posterior_tree/leaves/normal_values.hpp"

namespace hedgerow::bart {

class ParticleGibbs {
 public:
  using Model = label::KnownNoise;
  using Particle = bayesian_tree::GrowingTree<Model>;

  ParticleGibbs(const BinnedRows& data, std::span<const double> weights, posterior_tree::TreePrior prior,
                std::size_t n_particles)
      : problem_{ranked(data, weights), Model(1.0, 1.0), prior}, n_particles_(n_particles) {}

  /// Weights of rows from now on.
  void set_weights(std::span<const double> weights) { problem_.data.weights.assign(weights.begin(), weights.end()); }

  /// The whole tree, as the thesis does it: proposals from the prior, resampling at every stage.
  bool draw_tree(const Target& target, Tree& tree, random::Stream& stream) {
    return draw(target, tree, 0, {bayesian_tree::Proposal::prior}, {particle::Resampling::multinomial, 1.1}, stream,
                [](const Particle&) { return 0.0; });
  }

  /// The subtree of a node, each node as likely: a tree with more nodes is less likely to choose this one.
  bool draw_subtree(const Target& target, Tree& tree, random::Stream& stream) {
    const auto id = static_cast<NodeId>(random::draw_below(tree.nodes.size(), stream));
    const std::size_t n_others = tree.nodes.size() - tree.nodes[id].size;
    return draw(target, tree, id, {bayesian_tree::Proposal::optimal}, {particle::Resampling::multinomial, 0.5}, stream,
                [&](const Particle& drawn) { return -std::log(static_cast<double>(n_others + drawn.nodes().size())); });
  }

 private:
  using SplitNode = bayesian_tree::SplitNode;

  static posterior_tree::RankedRows ranked(const BinnedRows& data, std::span<const double> weights) {
    posterior_tree::RankedRows rows;
    rows.n_rows = data.n_rows;
    rows.n_features = data.n_features;
    rows.codes.assign(data.codes.begin(), data.codes.end());
    rows.positions = data.positions;
    rows.labels.resize(data.n_rows);
    rows.weights.assign(weights.begin(), weights.end());
    return rows;
  }

  template <class LogFactor>
  bool draw(const Target& target, Tree& tree, NodeId id, const bayesian_tree::Growth& growth,
            const particle::Schedule& schedule, random::Stream& stream, LogFactor&& log_factor) {
    const auto rows = tree.rows_of(id);
    if (!target.is_splittable(rows)) return false;
    set_labels(target, rows);
    std::vector<RowId> rising(rows.begin(), rows.end());
    std::ranges::sort(rising);
    const auto root = bayesian_tree::new_block(problem_, std::move(rising), tree.nodes[id].depth);
    const auto present = bayesian_tree::as_grown(
        tree, id, [&](const Rule& rule) { return problem_.data.positions[rule.feature][rule.cut]; });
    const particle::FilterKey key{static_cast<std::uint64_t>(stream.uniform() * 0x1p52), 0};
    particle::Filter<Particle> filter(Particle(root), root->log_marginal, n_particles_, schedule, key,
                                      particle::Keeps::first);
    std::size_t n_visits = 0;
    filter.run(
        [&](Particle& particle, random::Stream& own, bool is_kept) {
          return is_kept ? particle.repeat(present.nodes, problem_, growth, room_)
                         : particle.grow(problem_, growth, room_, own, n_visits);
        },
        [] { return true; });
    std::vector<double> logs = filter.log_weights();
    for (std::size_t c = 0; c < logs.size(); ++c) logs[c] += log_factor(filter.particles()[c]);
    const std::size_t chosen = draw_index(particle::normalised(logs), stream);
    if (chosen == 0) return false;
    take(target, tree, id, filter.particles()[chosen].nodes());
    return true;
  }

  /// Residuals as numbers, and the noise as it is now. Leaves of particles are normal, and so must those of trees be.
  void set_labels(const Target& target, std::span<const RowId> rows) {
    const auto& evidence = dynamic_cast<const posterior_tree::NormalValues&>(target.leaves.evidence);
    problem_.model = Model(evidence.noise_variance(), evidence.leaf_variance());
    for (const RowId row : rows) {
      problem_.data.labels[row] = static_cast<double>(target.leaves.labels[row]) * evidence.units().label;
    }
  }

  static std::size_t draw_index(const std::vector<double>& weights, random::Stream& stream) {
    double left = stream.uniform();
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if ((left -= weights[c]) < 0.0) return c;
    }
    return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  }

  /// Puts a tree that has grown in the place of a subtree, and assigns the rows to its leaves.
  void take(const Target& target, Tree& tree, NodeId id, const std::vector<SplitNode>& chosen) const {
    Tree grown = tree.copy_of(id);
    const Node top = grown.nodes[0];
    grown.nodes.clear();
    append(grown, chosen, 0);
    grown.nodes[0].begin = top.begin;
    grown.nodes[0].end = top.end;
    grown.nodes[0].depth = top.depth;
    posterior_tree::assign_rows(target, grown, 0);
    tree.replace(id, grown);
  }

  void append(Tree& grown, const std::vector<SplitNode>& chosen, std::size_t from) const {
    const std::size_t place = grown.nodes.size();
    grown.nodes.emplace_back();
    if (!chosen[from].is_leaf()) {
      const SplitNode& node = chosen[from];
      grown.nodes[place].rule = {node.feature, static_cast<Bin>(problem_.data.rank_at(node.feature, node.location))};
      append(grown, chosen, chosen[from].link);
      append(grown, chosen, chosen[from].link + 1);
    }
    grown.nodes[place].size = static_cast<std::uint32_t>(grown.nodes.size() - place);
  }

  bayesian_tree::Problem<Model> problem_;
  std::size_t n_particles_;
  bayesian_tree::Workspace room_;
};

}  // namespace hedgerow::bart
