// SPDX-License-Identifier: BSD-3-Clause
// The hierarchical Gaussian for labels that are vectors, every component with the same smoothing. How much a node knows
// does not depend on what its labels say: one precision serves all components, and only means are vectors.
//
// A forest's labels are numbers; here they are the numbers of vectors in a table beside it. A leaf that holds one row
// keeps that row's number, so that vectors of its own are kept by inner nodes and by leaves of several rows only. The
// mean above the root is zero: the table holds what is left of labels after a base has been taken off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "hedgerow/label/concepts.hpp"
#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/numeric/compiler.hpp"
#include "hedgerow/numeric/exact_sum.hpp"

namespace hedgerow::label {

/// from + share (to - from), component by component.
template <class Value>
HEDGEROW_INLINE void step_towards(Value* result, const Value* from, const Value* to, double share, std::size_t n) {
  const auto s = static_cast<Value>(share);
  for (std::size_t k = 0; k < n; ++k) result[k] = from[k] + s * (to[k] - from[k]);
}

/// Vectors of one length, numbered.
struct LabelVectors {
  explicit LabelVectors(std::size_t length_) : length(length_) {
    if (length == 0) throw std::invalid_argument("vectors need a component");
  }

  std::size_t length;
  std::vector<float> values;  ///< row-major

  [[nodiscard]] std::size_t size() const { return values.size() / length; }
  /// n more, row-major. Numbers have 32 bits, of which the largest names nothing.
  void append(const double* vectors, std::size_t n, std::size_t their_length) {
    if (their_length != length) throw std::invalid_argument("vectors differ in length");
    if (size() + n >= 0xFFFFFFFF) throw std::invalid_argument("too many vectors");
    values.insert(values.end(), vectors, vectors + n * length);
  }
  /// Only the first n stay.
  void cut(std::size_t n) { values.resize(std::min(n, size()) * length); }
  const float* operator[](std::size_t number) const { return values.data() + number * length; }
  /// Nothing is kept of this one; its number stays.
  void clear(std::size_t number) {
    if (number >= size()) throw std::invalid_argument("there is no such vector");
    std::fill_n(values.data() + number * length, length, 0.0F);
  }
};

struct VectorHierarchy {
  ExponentialHierarchy precisions{};  ///< of every component
  std::shared_ptr<const LabelVectors> vectors =
      std::make_shared<LabelVectors>(1);  ///< grows as rows come, and is shared by copies of the model

  class Summary {
   public:
    double precision = 0.0;

    Summary() = default;
    Summary(double precision_, std::uint32_t number) : precision(precision_), number_(number) {}

    /// Whether it is said by children; such a summary follows from theirs.
    [[nodiscard]] bool is_merged() const { return number_ == merged; }
    [[nodiscard]] bool is_one_row() const { return number_ < merged; }
    [[nodiscard]] std::uint32_t row() const { return number_; }
    [[nodiscard]] const float* mean(const LabelVectors& labels) const {
      return is_one_row() ? labels[number_] : own_.data();
    }
    [[nodiscard]] std::size_t n_bytes() const { return own_.capacity() * sizeof(float); }

    /// A mean of its own, of a leaf of several rows or of an inner node.
    float* make_own(std::size_t length, bool is_merge) {
      own_.resize(length);
      number_ = is_merge ? merged : several;
      return own_.data();
    }

   private:
    static constexpr std::uint32_t several = std::numeric_limits<std::uint32_t>::max(), merged = several - 1;
    std::uint32_t number_ = merged;
    std::vector<float> own_;
  };
  struct Query {};
  using Seen = double;  ///< the weight of all rows

  [[nodiscard]] std::size_t length() const { return vectors->length; }

  void add(Summary& summary, double label, double weight) const {
    const double gained = weight * precisions.signal_to_noise;
    const auto number = static_cast<std::uint32_t>(label);
    if (summary.precision == 0.0) {
      summary = Summary(gained, number);
      return;
    }
    const float* before = summary.mean(*vectors);
    summary.precision += gained;
    step_towards(summary.make_own(length(), false), before, (*vectors)[number], gained / summary.precision, length());
  }

  struct Sums {
    numeric::ExactSum weight;
    std::vector<numeric::ExactSum> components;
  };
  void count(Sums& sums, double label, double weight, bool, double sign) const {
    const float* vector = (*vectors)[static_cast<std::size_t>(label)];
    sums.components.resize(length());
    sums.weight.add(sign * weight);
    for (std::size_t k = 0; k < length(); ++k) sums.components[k].add_product(sign * weight, double{vector[k]});
  }
  [[nodiscard]] Summary summary_of(const Sums& sums) const {
    const double weight = sums.weight.value();
    Summary summary;
    summary.precision = weight * precisions.signal_to_noise;
    float* mean = summary.make_own(length(), false);
    for (std::size_t k = 0; k < length(); ++k) mean[k] = static_cast<float>(sums.components[k].value() / weight);
    return summary;
  }

  static constexpr bool reads_clock = true;
  static constexpr bool summaries_settle = false;
  static constexpr bool counts_places = false;
  static constexpr bool labels_tell_order = true;  ///< which came earlier have smaller ones
  static constexpr bool pauses_pure() { return false; }
  static bool is_pure(const Summary&) { return false; }
  static bool is_empty(const Summary& summary) { return summary.precision == 0.0; }
  [[nodiscard]] double clock(double time) const { return precisions.clock(time); }
  void read_clocks(double* times, std::size_t n) const { precisions.read_clocks(times, n); }

  [[nodiscard]] Summary merge(const Summary& left, double left_psi, const Summary& right, double right_psi,
                              double own_psi) const {
    const double from_left = ExponentialHierarchy::diffuse(left.precision, own_psi - left_psi);
    const double from_right = ExponentialHierarchy::diffuse(right.precision, own_psi - right_psi);
    Summary both;
    both.precision = from_left + from_right;
    step_towards(both.make_own(length(), true), left.mean(*vectors), right.mean(*vectors), from_right / both.precision,
                 length());
    return both;
  }

  static void see(Seen& seen, double, double weight) { seen += weight; }
  static void unsee(Seen& seen, double, double weight) { seen -= weight; }
  using SeenSums = numeric::ExactSum;
  static void count_seen(SeenSums& sum, double, double weight, double sign) { sum.add(sign * weight); }
  static Seen seen_of(const SeenSums& sum) { return sum.value(); }
  static bool has_seen(const Seen&, double) { return true; }
  [[nodiscard]] bool is_label(double label) const {
    return label >= 0.0 && label < static_cast<double>(vectors->size()) && label == std::floor(label);
  }

  // To numbers and back: of an inner node nothing, of a leaf its precision and the number of its row, or -1 and a mean.

  void write(const Summary& summary, std::vector<double>& numbers) const {
    if (summary.is_merged()) return numbers.push_back(0.0);
    numbers.push_back(summary.precision);
    numbers.push_back(summary.is_one_row() ? static_cast<double>(summary.row()) : -1.0);
    const float* mean = summary.mean(*vectors);
    if (!summary.is_one_row()) numbers.insert(numbers.end(), mean, mean + length());
  }
  bool read(std::span<const double>& numbers, Summary& summary) const {
    const auto next = [&] {
      const double number = numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : numbers.front();
      if (!numbers.empty()) numbers = numbers.subspan(1);
      return number;
    };
    summary = {};
    const double precision = next();
    if (precision == 0.0) return true;
    if (!(precision > 0.0 && std::isfinite(precision))) return false;
    const double number = next();
    if (is_label(number)) {
      summary = Summary(precision, static_cast<std::uint32_t>(number));
      return true;
    }
    if (number != -1.0 || numbers.size() < length()) return false;
    summary.precision = precision;
    float* mean = summary.make_own(length(), false);
    for (std::size_t k = 0; k < length(); ++k) {
      mean[k] = static_cast<float>(next());
      if (!std::isfinite(mean[k])) return false;
    }
    return true;
  }
  static void write(const Seen& seen, std::vector<double>& numbers) { numbers = {seen}; }
  static bool read(const std::vector<double>& numbers, Seen& seen) {
    if (numbers.size() != 1 || !(numbers[0] >= 0.0 && std::isfinite(numbers[0]))) return false;
    seen = numbers[0];
    return true;
  }
};
static_assert(LabelModel<VectorHierarchy>);

}  // namespace hedgerow::label
