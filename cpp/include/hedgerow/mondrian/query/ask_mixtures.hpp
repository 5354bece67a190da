// SPDX-License-Identifier: BSD-3-Clause
// The mixture over trees and nodes of Lakshminarayanan, Roy and Teh (2016), equation 5, as moments or as its
// components.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hedgerow/mondrian/query/ask.hpp"
#include "hedgerow/mondrian/query/predict.hpp"
#include "hedgerow/mondrian/query/walk.hpp"

namespace hedgerow::mondrian {

/// All trees in turn about n points: hear(point, weight, Gaussian) for each component, then finish_tree().
template <label::GaussianModel M, class Hear, class FinishTree>
void ask_trees(const Forest<M>& forest, const float* points, std::size_t n, const label::Query& query, Hear&& hear,
               FinishTree&& finish_tree) {
  Walk<M> walk;
  Descender<M> descender;
  if (n == 1) fetch_paths(forest.trees, forest.rows, points);
  for (const auto& tree : forest.trees) {
    const Asking<M> asking{tree, forest.rows, forest.growth, forest.model, query};
    if (n == 1) {
      walk.go_down(asking, points);
      walk.speak(asking, [&](double weight, const label::Gaussian& part) { hear(0U, weight, part); });
    } else {
      descender.descend(asking, points, n, hear);
    }
    finish_tree();
  }
}

/// The moments of all trees' mixtures at n points, added up tree after tree.
template <label::GaussianModel M>
std::vector<Moments> gather_moments(const Forest<M>& forest, const float* points, std::size_t n,
                                    const label::Query& query) {
  std::vector<Moments> moments(n), own(n);
  ask_trees(
      forest, points, n, query,
      [&](std::uint32_t i, double weight, const label::Gaussian& part) { own[i].hear(weight, part, query.centre); },
      [&] {
        for (std::size_t i = 0; i < n; ++i) moments[i] += own[i];
        std::fill(own.begin(), own.end(), Moments{});
      });
  return moments;
}

/// The points of a share that lie outside all rows, and where each of them enters: the nearest point of the rows' box.
struct Outsiders {
  std::vector<std::size_t> index;
  std::vector<float> entries;  ///< row-major, one an outsider

  template <label::LabelModel M>
  Outsiders(const Forest<M>& forest, const float* points, std::size_t n)
      : Outsiders(forest.trees.front(), forest.rows, points, n) {}

  template <label::LabelModel M>
  Outsiders(const MondrianTree<M>& tree, const Rows& rows, const float* points, std::size_t n) {
    if (tree.shape.is_empty()) return;
    const std::size_t width = rows.width();
    BoxRoom room;
    const Box box = tree.box(MondrianTree<M>::root, rows, room);  // the same in every tree
    for (std::size_t i = 0; i < n; ++i) {
      const float* x = points + i * width;
      if (outside_distance(box.lower, box.upper, x, width) <= 0.0) continue;
      index.push_back(i);
      append_entry(box, x, width, entries);
    }
  }

  /// The forest's means where they enter.
  /// None unless they are kept.
  template <label::GaussianModel M>
  [[nodiscard]] std::vector<double> kept_means(const Forest<M>& forest, const label::Query& query) const {
    std::vector<double> kept;
    if (index.empty() || !query.keeps_mean) return kept;
    for (const Moments& moments : gather_moments(forest, entries.data(), index.size(), query)) {
      kept.push_back(query.centre + moments.mean / static_cast<double>(forest.trees.size()));
    }
    return kept;
  }

  static void append_entry(const Box& box, const float* x, std::size_t width, std::vector<float>& entries) {
    for (std::size_t d = 0; d < width; ++d) entries.push_back(std::clamp(x[d], box.lower[d], box.upper[d]));
  }
};

/// Moments of the mixture at each point, its variance in three parts: that of the components, that between their
/// means, and what gaps between rows add.
struct MixtureMoments {
  explicit MixtureMoments(std::size_t n) : mean(n), within(n), between(n), added(n) {}
  std::vector<double> mean, within, between, added;

  void set(std::size_t i, const Moments& of_all_trees, double n_trees, double centre) {
    const double shifted = of_all_trees.mean / n_trees;
    mean[i] = centre + shifted;
    within[i] = of_all_trees.within / n_trees;
    between[i] = std::max(0.0, of_all_trees.square / n_trees - shifted * shifted);
  }
  /// The point keeps the mean of another; the way there widens its mixture.
  void keep_mean(std::size_t i, double kept, const label::Query& query) {
    const double apart = query.spread * query.spread * between[i], way = kept - mean[i];
    within[i] = query.widened(within[i] + apart, way * way) - apart;
    mean[i] = kept;
  }
  /// Gaps add so much, but for the bound.
  void widen(std::size_t i, double by, const label::Query& query) {
    const double before = within[i] + query.spread * query.spread * between[i];
    added[i] = query.widened(before, by) - before;
  }

  [[nodiscard]] std::vector<double> variances(const label::Query& query) const {
    std::vector<double> total(within);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += query.spread * query.spread * between[i];
    return total;
  }
};

template <label::GaussianModel M>
MixtureMoments predict_moments(const Forest<M>& forest, const Points& points, const label::Query& query,
                               std::size_t n_threads) {
  MixtureMoments found(points.n);
  const double n_trees = static_cast<double>(forest.trees.size());
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    const std::vector<Moments> moments = gather_moments(forest, scaled, n, query);
    for (std::size_t i = 0; i < n; ++i) found.set(begin + i, moments[i], n_trees, query.centre);
    const Outsiders outsiders(forest, scaled, n);
    const std::vector<double> kept = outsiders.kept_means(forest, query);
    for (std::size_t k = 0; k < kept.size(); ++k) found.keep_mean(begin + outsiders.index[k], kept[k], query);
    for (std::size_t i = begin; i < begin + n; ++i) {
      found.widen(i, forest.gaps.added(points.features + i * forest.rows.width()), query);
    }
  });
  return found;
}

/// A mixture of Gaussians for each of n points: point i owns the components first[i] .. first[i + 1] - 1.
struct Mixtures {
  std::vector<std::int64_t> first{0};
  std::vector<double> weights, means, variances;

  void push(double weight, const label::Gaussian& part) {
    weights.push_back(weight);
    means.push_back(part.mean);
    variances.push_back(part.variance);
  }
  /// The components of one point of another such set, added to the last point of this one.
  void append(const Mixtures& other, std::size_t point) {
    const auto begin = static_cast<std::ptrdiff_t>(other.first[point]),
               end = static_cast<std::ptrdiff_t>(other.first[point + 1]);
    weights.insert(weights.end(), other.weights.begin() + begin, other.weights.begin() + end);
    means.insert(means.end(), other.means.begin() + begin, other.means.begin() + end);
    variances.insert(variances.end(), other.variances.begin() + begin, other.variances.begin() + end);
  }

  /// Those of all points of another such set, after the points of this one.
  void append(const Mixtures& other) {
    const auto before = static_cast<std::int64_t>(weights.size());
    for (std::size_t i = 1; i < other.first.size(); ++i) first.push_back(before + other.first[i]);
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
    means.insert(means.end(), other.means.begin(), other.means.end());
    variances.insert(variances.end(), other.variances.begin(), other.variances.end());
  }

  /// The components begin .. end - 1 are a whole mixture: bring their means closer together and, if `kept` is a number,
  /// let that be their mean; the way there widens them, and so does what gaps add.
  void finish(std::size_t begin, std::size_t end, const label::Query& query, double kept, double added) {
    if (query.spread == 1.0 && std::isnan(kept) && added == 0.0) return;
    double mean = 0.0, before = 0.0;
    for (std::size_t k = begin; k < end; ++k) mean += weights[k] * means[k];
    for (std::size_t k = begin; k < end; ++k) {
      const double apart = query.spread * (means[k] - mean);
      before += weights[k] * (variances[k] + apart * apart);
    }
    const double moved = std::isnan(kept) ? 0.0 : kept - mean;
    const double wider = query.widened(query.widened(before, moved * moved), added) - before;
    for (std::size_t k = begin; k < end; ++k) {
      means[k] = mean + moved + query.spread * (means[k] - mean);
      variances[k] += wider;
    }
  }
};

/// Gathers the mixtures of points that go down a tree together, and sorts what trees have said by point.
template <label::GaussianModel M>
class MixtureGatherer {
 public:
  static constexpr std::size_t at_once = 1024;  ///< points; what is said of more would not stay in the caches

  /// Those of n points, at most `at_once`, added to `found`.
  void gather(const Forest<M>& forest, const float* points, std::size_t n, const label::Query& query, Mixtures& found) {
    said_.clear();
    n_said_.assign(n + 1, 0);
    const double n_trees = static_cast<double>(forest.trees.size());
    ask_trees(
        forest, points, n, query,
        [&](std::uint32_t i, double weight, const label::Gaussian& part) {
          said_.push_back({i, weight / n_trees, part});
          ++n_said_[i + 1];
        },
        [] {});
    const std::size_t before = found.weights.size();
    for (auto* values : {&found.weights, &found.means, &found.variances}) values->resize(before + said_.size());
    n_said_[0] = before;
    for (std::size_t i = 0; i < n; ++i) {
      n_said_[i + 1] += n_said_[i];
      found.first.push_back(static_cast<std::int64_t>(n_said_[i + 1]));
    }
    for (const Said& said : said_) {
      const std::size_t place = n_said_[said.point]++;
      found.weights[place] = said.weight;
      found.means[place] = said.part.mean;
      found.variances[place] = said.part.variance;
    }
  }

 private:
  struct Said {
    std::uint32_t point;
    double weight;
    label::Gaussian part;
  };
  std::vector<Said> said_;           ///< in the order of trees, and of its path for each point
  std::vector<std::size_t> n_said_;  ///< of each point, then where its next component goes
};

template <label::GaussianModel M>
Mixtures predict_mixtures(const Forest<M>& forest, const Points& points, const label::Query& query,
                          std::size_t n_threads) {
  const std::size_t width = forest.rows.width();
  const std::size_t share_size = share_of(points.n, n_threads);
  std::vector<Mixtures> found((points.n + share_size - 1) / share_size);
  for_each_share(forest, points, n_threads, [&](const float* scaled, std::size_t begin, std::size_t n) {
    Mixtures& share = found[begin / share_size];
    MixtureGatherer<M> gatherer;
    for (std::size_t i = 0; i < n; i += gatherer.at_once) {
      gatherer.gather(forest, scaled + i * width, std::min(gatherer.at_once, n - i), query, share);
    }
    const Outsiders outsiders(forest, scaled, n);
    const std::vector<double> kept_means = outsiders.kept_means(forest, query);
    std::size_t next_outsider = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double kept = std::numeric_limits<double>::quiet_NaN();
      if (next_outsider < kept_means.size() && outsiders.index[next_outsider] == i) kept = kept_means[next_outsider++];
      share.finish(static_cast<std::size_t>(share.first[i]), static_cast<std::size_t>(share.first[i + 1]), query, kept,
                   forest.gaps.added(points.features + (begin + i) * width));
    }
  });
  if (found.size() == 1) return std::move(found.front());
  Mixtures all;
  for (const Mixtures& share : found) all.append(share);
  return all;
}

}  // namespace hedgerow::mondrian
