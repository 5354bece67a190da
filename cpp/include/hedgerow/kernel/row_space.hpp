// SPDX-License-Identifier: BSD-3-Clause
// Exact ridge regression along the sweep, in the space of rows: Balog et al. (2016), section 4.2.1, with the kernel
// matrix in the place of the feature covariance.
//
// With K the kernel matrix, S the diagonal of square roots of weights and ridge delta^2, let B = S K S + delta^2 I.
// When rows L and R of a cell are parted, K loses (1_L 1_R' + 1_R 1_L') / M, so B^-1 changes by a matrix of rank two.
// With p = B^-1 S 1_L and q = B^-1 S 1_R (Woodbury):
//     B^-1 + [p q] H^-1 [p q]',  H = [[-l'p, M - l'q], [M - l'q, -r'q]],  det B' / det B = -det H / M^2.
// The inverse itself is changed a batch of events at a time, by the caller, who has a matrix product at hand; until
// then the changes since are kept beside it. What the criteria need is changed at every event.
#pragma once

#include <cmath>
#include <limits>

#include "hedgerow/kernel/sweep.hpp"

namespace hedgerow::kernel {

/// What is learned from, in the order of the sweep's rows; rows behind the last label are there to be predicted only.
struct Labels {
  std::vector<double> scaled;  ///< S y
  std::vector<double> roots;   ///< square roots of weights
  std::vector<double> unseen;  ///< labels of the rows behind
  std::vector<double> unseen_weights;

  [[nodiscard]] std::size_t n() const { return scaled.size(); }
};

/// One point of the path: the solution after an event.
struct Criteria {
  double time = 0.0;
  double n_features = 0.0;       ///< cells with rows that are learned from
  double fit = 0.0;              ///< y' S B^-1 S y
  double log_determinant = 0.0;  ///< of B
  double leave_one_out = 0.0;    ///< weighted sum of squared leave-one-out errors
  double validation = 0.0;       ///< weighted sum of squared errors of the rows behind
};

class RowSpace {
 public:
  RowSpace(const Sweep& sweep, Labels labels, double ridge)
      : partition(sweep), sweep_(&sweep), labels_(std::move(labels)), ridge_(ridge), n_features_(n_trees()) {}

  Partition partition;
  std::vector<double> solution;  ///< B^-1 S y
  std::vector<double> diagonal;  ///< of B^-1
  double log_determinant = 0.0;

  [[nodiscard]] std::size_t n() const { return labels_.n(); }
  [[nodiscard]] std::size_t n_trees() const { return sweep_->n_trees; }
  [[nodiscard]] std::size_t n_done() const { return n_done_; }
  [[nodiscard]] bool is_done() const { return n_done_ == sweep_->splits.size(); }

  /// Take over a freshly computed inverse: the start, and whenever rounding errors have grown.
  void refresh(const double* inverse, double log_det) {
    log_determinant = log_det;
    solution.assign(n(), 0.0);
    diagonal.assign(n(), 0.0);
    for (std::size_t i = 0; i < n(); ++i) {
      const double* row = inverse + i * n();
      diagonal[i] = row[i];
      for (std::size_t j = 0; j < n(); ++j) solution[i] += row[j] * labels_.scaled[j];
    }
  }

  /// Go on through events until `most` of them have changed the kernel matrix, or all are done. The changes of the
  /// inverse are the rows of `left` and `right`, two an event: inverse += left' right. Returns their number. Stops
  /// early, before an event, when rounding errors have made its determinant impossible.
  std::size_t advance(const double* inverse, std::size_t most, double* left, double* right,
                      std::vector<Criteria>& path) {
    std::size_t n_changes = 0;
    while (!is_done() && n_changes < 2 * most) {
      const Split& split = sweep_->splits[n_done_];
      learned_rows(split);
      if (!parts_[0].empty() && !parts_[1].empty()) {
        if (!change(inverse, n_changes, left, right)) return n_changes;
        n_changes += 2;
        n_features_ += 1;
      }
      partition.apply(split);
      ++n_done_;
      path.push_back(criteria(split.time));
    }
    return n_changes;
  }

  /// Largest entry of S y - B B^-1 S y, over that of S y: how far rounding errors have come.
  [[nodiscard]] double residual() {
    predict(n());
    double worst = 0.0, largest = std::numeric_limits<double>::min();
    for (std::size_t i = 0; i < n(); ++i) {
      const double fitted = labels_.roots[i] * predictions_[i] + ridge_ * solution[i];
      worst = std::max(worst, std::abs(labels_.scaled[i] - fitted));
      largest = std::max(largest, std::abs(labels_.scaled[i]));
    }
    return worst / largest;
  }

  [[nodiscard]] Criteria criteria(double time) {
    Criteria found{time, static_cast<double>(n_features_), 0.0, log_determinant, 0.0, 0.0};
    for (std::size_t i = 0; i < n(); ++i) {
      found.fit += labels_.scaled[i] * solution[i];
      const double error = solution[i] / diagonal[i];
      found.leave_one_out += error * error;
    }
    if (labels_.unseen.empty()) return found;
    predict(sweep_->n_rows);
    for (std::size_t k = 0; k < labels_.unseen.size(); ++k) {
      const double error = labels_.unseen[k] - predictions_[n() + k];
      found.validation += labels_.unseen_weights[k] * error * error;
    }
    return found;
  }

 private:
  void learned_rows(const Split& split) {
    const std::uint32_t* rows = sweep_->rows_of(split.tree);
    for (const int side : {0, 1}) {
      parts_[side].clear();
      const std::uint32_t begin = side == 0 ? split.begin : split.middle, end = side == 0 ? split.middle : split.end;
      for (std::uint32_t k = begin; k < end; ++k) {
        if (rows[k] < n()) parts_[side].push_back(rows[k]);
      }
    }
  }

  /// One event: rows n_changes and n_changes + 1 of `left` and `right`.
  bool change(const double* inverse, std::size_t n_changes, double* left, double* right) {
    double* p = right + n_changes * n();
    double* q = p + n();
    solve(parts_[0], inverse, n_changes, left, right, p);
    solve(parts_[1], inverse, n_changes, left, right, q);
    const double n_all = static_cast<double>(n_trees());
    const double lp = sum(parts_[0], p), rq = sum(parts_[1], q), gap = n_all - sum(parts_[0], q);
    const double determinant = lp * rq - gap * gap;
    if (!(determinant < 0.0)) return false;
    const double pp = -rq / determinant, pq = -gap / determinant, qq = -lp / determinant;
    const double on_p = sum(parts_[0], solution.data()), on_q = sum(parts_[1], solution.data());
    double* by_p = left + n_changes * n();
    double* by_q = by_p + n();
    for (std::size_t i = 0; i < n(); ++i) {
      by_p[i] = pp * p[i] + pq * q[i];
      by_q[i] = pq * p[i] + qq * q[i];
      solution[i] += by_p[i] * on_p + by_q[i] * on_q;
      diagonal[i] += by_p[i] * p[i] + by_q[i] * q[i];
    }
    log_determinant += std::log(-determinant / (n_all * n_all));
    return true;
  }

  /// B^-1 S 1_part, from the inverse and the changes since.
  void solve(const std::vector<std::uint32_t>& part, const double* inverse, std::size_t n_changes, const double* left,
             const double* right, double* found) const {
    std::fill_n(found, n(), 0.0);
    for (const std::uint32_t row : part) add(labels_.roots[row], inverse + row * n(), found);
    for (std::size_t k = 0; k < n_changes; ++k) add(sum(part, right + k * n()), left + k * n(), found);
  }
  void add(double factor, const double* vector, double* result) const {
    for (std::size_t i = 0; i < n(); ++i) result[i] += factor * vector[i];
  }
  [[nodiscard]] double sum(const std::vector<std::uint32_t>& part, const double* vector) const {
    double total = 0.0;
    for (const std::uint32_t row : part) total += labels_.roots[row] * vector[row];
    return total;
  }

  /// Mean predictions of the first rows: weights of the cells, then their means over trees.
  void predict(std::size_t n_wanted) {
    const std::size_t n_all = sweep_->n_rows;
    cell_weights_.assign(partition.n_columns, 0.0);
    predictions_.assign(n_wanted, 0.0);
    for (std::size_t m = 0; m < n_trees(); ++m) {
      const std::uint32_t* columns = partition.columns.data() + m * n_all;
      for (std::size_t i = 0; i < n(); ++i) cell_weights_[columns[i]] += labels_.roots[i] * solution[i];
      for (std::size_t i = 0; i < n_wanted; ++i) predictions_[i] += cell_weights_[columns[i]];
    }
    for (double& prediction : predictions_) prediction /= static_cast<double>(n_trees());
  }

  const Sweep* sweep_;
  Labels labels_;
  double ridge_;
  std::size_t n_features_;
  std::size_t n_done_ = 0;
  std::vector<std::uint32_t> parts_[2];  ///< rows of the two sides of an event
  std::vector<double> cell_weights_, predictions_;
};

}  // namespace hedgerow::kernel
