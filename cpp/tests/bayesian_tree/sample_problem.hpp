// SPDX-License-Identifier: BSD-3-Clause
// Small problems with ties, equal rows and a constant column, for the tests of this room.
#pragma once

#include "hedgerow/bayesian_tree/block.hpp"
#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"

namespace hedgerow::bayesian_tree {

constexpr std::size_t sample_rows = 60, sample_width = 4;

/// Columns: few values, many values, constant, halves.
inline RankedRows sample_data(bool classes, bool weighted = false) {
  random::Stream stream(5, random::Purpose::grow, 0, 0);
  std::vector<double> x, y, weights;
  for (std::size_t i = 0; i < sample_rows; ++i) {
    const double few = std::floor(4.0 * stream.uniform()), many = 10.0 * stream.uniform() - 5.0;
    x.insert(x.end(), {few, i % 7 == 0 ? -1.0 : many, 3.0, std::floor(2.0 * stream.uniform())});
    const double signal = few + (many > 0.0 ? 2.0 : 0.0) + stream.uniform();
    y.push_back(classes ? std::floor(signal / 2.5) : signal);
    if (weighted) weights.push_back(0.25 + stream.uniform());
  }
  for (std::size_t d = 0; d < sample_width; ++d) x[sample_width + d] = x[d];  // row 1 equals row 0
  return {Points{x.data(), sample_rows, sample_width}, y, weights, 1};
}

inline Problem<label::DirichletMultinomial> class_problem(bool weighted = false) {
  return {sample_data(true, weighted), {3, 5.0, sample_rows}, {0.95, 0.5}};
}

inline Problem<label::NormalInverseGamma> real_problem(bool weighted = false) {
  return {sample_data(false, weighted), {{2.0, 0.2, 3.0, 0.4}, sample_rows}, {0.9, 1.0}};
}

}  // namespace hedgerow::bayesian_tree
