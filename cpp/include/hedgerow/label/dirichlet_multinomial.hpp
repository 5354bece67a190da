// SPDX-License-Identifier: BSD-3-Clause
// Labels of K classes in a leaf, independent draws from a distribution that is itself a draw from a symmetric
// Dirichlet with total weight `concentration` (Lakshminarayanan 2016, equation 3.2). A row of weight w counts as w
// rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hedgerow/label/leaf_model.hpp"
#include "hedgerow/numeric/log_gamma.hpp"

namespace hedgerow::label {

class DirichletMultinomial {
  struct Tables {
    Tables(double share, double concentration, std::size_t most)
        : of_class(share, 1.0, most), of_total(concentration, 1.0, most) {}
    numeric::LogGammaTable of_class, of_total;
  };

 public:
  struct Summary {
    std::vector<double> counts;  ///< c_jk, one a class
    double total = 0.0;
  };

  /// Tables reach to `most` rows, if counts are whole numbers; more, and fractions, are computed.
  DirichletMultinomial(std::size_t n_classes, double concentration, std::size_t most)
      : n_classes_(n_classes),
        concentration_(concentration),
        share_(concentration / static_cast<double>(n_classes)),
        tables_(std::make_shared<const Tables>(share_, concentration, most)) {}

  [[nodiscard]] std::size_t n_classes() const { return n_classes_; }
  [[nodiscard]] double concentration() const { return concentration_; }
  [[nodiscard]] double share() const { return share_; }  ///< alpha / K

  [[nodiscard]] Summary empty() const { return {std::vector<double>(n_classes_, 0.0), 0.0}; }

  void add(Summary& summary, double label, double weight) const {
    summary.counts[static_cast<std::size_t>(label)] += weight;
    summary.total += weight;
  }

  /// Equation (3.2). Classes that are absent cancel.
  [[nodiscard]] double log_marginal(const Summary& summary) const {
    double sum = tables_->of_total.at(0.0) - tables_->of_total.at(summary.total);
    for (const double count : summary.counts) {
      if (count > 0.0) sum += tables_->of_class.at(count) - tables_->of_class.at(0.0);
    }
    return sum;
  }

  /// One label more changes two of the terms.
  class Scan {
   public:
    explicit Scan(const DirichletMultinomial& model) : tables_(model.tables_.get()), summary_(model.empty()) {}

    void add(double label, double weight) {
      double& count = summary_.counts[static_cast<std::size_t>(label)];
      log_marginal_ += tables_->of_class.at(count + weight) - tables_->of_class.at(count);
      log_marginal_ += tables_->of_total.at(summary_.total) - tables_->of_total.at(summary_.total + weight);
      count += weight;
      summary_.total += weight;
    }
    [[nodiscard]] double log_marginal() const { return log_marginal_; }

   private:
    const Tables* tables_;
    Summary summary_;
    double log_marginal_ = 0.0;
  };
  [[nodiscard]] Scan scan() const { return Scan(*this); }

  /// Class and count of each class that came: few, if there are hundreds.
  static void write(const Summary& summary, std::vector<double>& numbers) {
    for (std::size_t k = 0; k < summary.counts.size(); ++k) {
      if (summary.counts[k] > 0.0) numbers.insert(numbers.end(), {static_cast<double>(k), summary.counts[k]});
    }
  }
  [[nodiscard]] bool read(std::span<const double> numbers, Summary& summary) const {
    if (numbers.size() % 2 != 0) return false;
    summary = empty();
    double last = -1.0;
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const double label = numbers[i], count = numbers[i + 1];
      const bool is_class = label > last && label < static_cast<double>(n_classes_) && label == std::floor(label);
      if (!is_class || !(count > 0.0) || !std::isfinite(count)) return false;
      add(summary, last = label, count);
    }
    return true;
  }

 private:
  std::size_t n_classes_;
  double concentration_, share_;
  std::shared_ptr<const Tables> tables_;  ///< never changes, so that copies of a model may share it
};
static_assert(LeafModel<DirichletMultinomial>);

}  // namespace hedgerow::label
