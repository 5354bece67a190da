// SPDX-License-Identifier: BSD-3-Clause
// The way of one point down one tree: Lakshminarayanan, Roy and Teh (2016), supplement, Algorithm 5. The point may
// leave the tree on any edge of its path, with the probability that a Mondrian process would have cut it off there; so
// a tree's prediction is a mixture over the edges on which it can leave, and the leaf (Lakshminarayanan, Roy and Teh
// 2016, equation 3). First the way is measured, then spoken about; in between it can be used to let the point enter the
// tree.
#pragma once

#include <cstddef>
#include <vector>

#include "hedgerow/mondrian/query/departures.hpp"
#include "hedgerow/mondrian/query/descend.hpp"

namespace hedgerow::mondrian {

template <label::GaussianModel M>
class Walk {
 public:
  /// From the root, which must be there, to the leaf in which x falls.
  void go_down(const Asking<M>& asking, const float* x) {
    nodes_.clear();
    times_.clear();
    outside_.clear();
    path_distances_.start();
    for (NodeId id = asking.tree.root;;) {
      const Node& node = asking.tree.node(id);
      nodes_.push_back(id);
      times_.push_back(asking.tree.time(id, asking.growth));
      outside_.push_back(path_distances_.next(asking.tree, id, asking.rows, x));
      if (node.is_leaf()) return;
      id = node.child(node.sends_right(x));
    }
  }

  /// How far x lies outside each box of its path.
  [[nodiscard]] const double* distances() const { return outside_.data(); }
  /// Outside the root's box, and so outside that of all rows?
  [[nodiscard]] bool begins_outside() const { return outside_.front() > 0.0; }

  /// hear(weight, Gaussian) for each component of the tree's mixture at x.
  template <class Hear>
  void speak(const Asking<M>& asking, Hear&& hear) {
    form_beliefs(asking);
    double stay = 1.0;  // probability of not having left the tree yet
    for (std::size_t level = 0; level < nodes_.size();) {
      std::size_t n = 0;
      for (; level < nodes_.size() && n < Branches::most; ++level) {
        if (!(outside_[level] > 0.0)) continue;
        const double above = level == 0 ? 0.0 : times_[level - 1];
        levels_[n] = level;
        branches_.outside[n] = outside_[level];
        branches_.above[n] = above;
        branches_.elapsed[n] = times_[level] - above;
        ++n;
      }
      work_out(asking.model, branches_, n);
      for (std::size_t k = 0; k < n; ++k) {
        const double survival = branches_.survival[k];
        speak_on_edge(asking.model, beliefs_[levels_[k]], beliefs_[levels_[k] + 1], branches_[k], asking.query,
                      stay * (1.0 - survival), hear);
        stay *= survival;
      }
    }
    hear(stay, asking.model.speak(beliefs_[nodes_.size()], asking.query));
  }

 private:
  /// What is believed above the root, and then at each node of the path.
  void form_beliefs(const Asking<M>& asking) {
    const std::size_t n = nodes_.size();
    clocks_ = times_;
    asking.model.read_clocks(clocks_.data(), n);
    if (beliefs_.size() <= n) beliefs_.resize(2 * n + 1);
    beliefs_[0] = asking.model.prior(asking.query);
    for (std::size_t k = 0; k < n; ++k) {
      beliefs_[k + 1] = asking.model.infer(beliefs_[k], asking.tree.summaries[nodes_[k]], clocks_[k]);
    }
  }

  PathDistances path_distances_;
  std::vector<NodeId> nodes_;
  std::vector<double> times_, outside_, clocks_;
  std::vector<typename M::Belief> beliefs_;
  std::size_t levels_[Branches::most];  ///< of the branches
  Branches branches_;
};

}  // namespace hedgerow::mondrian
