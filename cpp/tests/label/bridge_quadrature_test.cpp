// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <utility>

#include "check.hpp"
#include "dense_gaussian.hpp"
#include "hedgerow/label/bridge.hpp"
#include "hedgerow/label/gaussian_hierarchy.hpp"

namespace hedgerow::label {
namespace {

using tests::DenseGaussian;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// E value(t) for an exponential wait t of rate eta, given that it is shorter than D. Double exponential quadrature:
/// its points crowd at both ends, so it does not matter on which scale the value changes.
template <class Value>
double expected(double eta, double D, const Value& value) {
  const double end = std::min(D, 800.0 / eta);
  double mass = 0.0, moment = 0.0;
  for (double s = -6.0; s <= 4.0; s += 0.01) {
    const double from_below = std::exp(-3.14159265358979324 * std::sinh(s));
    const double t = end / (1.0 + from_below);
    const double density = t * (from_below / (1.0 + from_below)) * std::cosh(s) * std::exp(-eta * t);
    mass += density;
    moment += density * value(t);
  }
  return moment / mass;
}

ShareOfEdge by_quadrature(double eta, double D, double g) {
  const double whole = -std::expm1(-g * D);
  const auto share = [&](double t) { return -std::expm1(-g * t) / whole; };
  return {expected(eta, D, share), expected(eta, D, [&](double t) { return share(t) * share(t); })};
}

ShareOfEdge in_closed_form(double eta, double D, double g) { return share_of_edge(eta, D, std::exp(-eta * D), g); }

TEST(shares_of_an_edge_are_integrals_over_the_time_of_the_branch) {
  for (double log_h = -12.0; log_h <= 6.0; log_h += 0.37) {
    for (double log_x = -12.0; log_x <= 6.0; log_x += 0.41) {
      for (const double D : {1.0, 1e-6}) {
        const double eta = std::pow(10.0, log_h) / D, g = std::pow(10.0, log_x) / D;
        const ShareOfEdge found = in_closed_form(eta, D, g), wanted = by_quadrature(eta, D, g);
        CHECK_NEAR(found.mean, wanted.mean, 1e-10);
        CHECK_NEAR(found.mean / wanted.mean, 1.0, 1e-6);
        CHECK_NEAR(found.square, wanted.square, 1e-6);
        CHECK(found.square >= found.mean * found.mean);
        CHECK(found.square <= found.mean * (1.0 + 1e-9));
      }
    }
  }
}

TEST(shares_of_an_edge_without_end) {
  for (double log_eta = -12.0; log_eta <= 12.0; log_eta += 0.7) {
    for (double log_g = -12.0; log_g <= 12.0; log_g += 0.9) {
      const double eta = std::pow(10.0, log_eta), g = std::pow(10.0, log_g);
      const ShareOfEdge found = share_of_edge(eta, infinity, 0.0, g), wanted = by_quadrature(eta, infinity, g);
      CHECK_NEAR(found.mean, wanted.mean, 1e-10);
      CHECK_NEAR(found.square, wanted.square, 1e-10);
      CHECK(found.square >= found.mean * found.mean);
    }
  }
}

TEST(shares_at_the_limits) {
  const std::pair<double, double> limits[] = {{1e-300, 1e-300}, {1e-300, 1.0}, {1.0, 1e-300},
                                              {1e300, 1.0},     {1.0, 1e300},  {1e300, 1e300}};
  for (const auto& [eta, g] : limits) {
    for (const double D : {1e-300, 1e-3, 1.0, 1e10, infinity}) {
      const ShareOfEdge found = in_closed_form(eta, D, g);
      CHECK(found.mean >= 0.0 && found.mean <= 1.0);
      CHECK(found.square >= 0.0 && found.square <= 1.0);
    }
  }
  CHECK_NEAR(in_closed_form(1e-9, 1.0, 1e-9).mean, 0.5, 1e-9);
  CHECK_NEAR(in_closed_form(1e-9, 1.0, 1e-9).square, 1.0 / 3, 1e-9);
  CHECK_NEAR(in_closed_form(1e12, 1.0, 1.0).mean, 0.0, 1e-11);  // leaves at once
  CHECK_NEAR(in_closed_form(1.0, 1.0, 1e12).mean, 1.0, 1e-11);  // the clock has run down before
}

/// A root split at 0.7 above two leaves. What is said of a point that branches off the left edge, when the time of the
/// branch is integrated over, against a dense Gaussian at each time.
TEST(a_branch_is_integrated_over_its_time) {
  const double split = 0.7, rate = 1.3, ratio = 5.0;
  const Query query{0.25, 3.0, 3.0 / 5.0};
  for (const double lifetime : {infinity, 2.0}) {
    const auto model = ExponentialHierarchy::make(rate, ratio, lifetime);
    ExponentialHierarchy::Summary left, right;
    model.add(left, 1.5, 1.0);
    model.add(left, -0.5, 2.0);
    model.add(right, 4.0, 0.5);
    const auto root = model.merge(left, model.clock(lifetime), right, model.clock(lifetime), model.clock(split));
    const auto at_root = model.infer(model.prior(query), root, model.clock(split));
    const auto at_left = model.infer(at_root, left, model.clock(lifetime));
    const auto drift = [&](double from, double to) {
      return query.variance * (std::exp(-rate * from) - std::exp(-rate * to));
    };
    const auto fresh_leaf = [&](double when) {
      DenseGaussian dense;
      const std::size_t top = dense.add_root(query.centre, drift(0.0, split));
      const std::size_t fork = dense.add(top, drift(split, when));
      const std::size_t one = dense.add(fork, drift(when, lifetime)), other = dense.add(top, drift(split, lifetime));
      dense.observe(one, 1.5, query.noise);
      dense.observe(one, -0.5, query.noise / 2.0);
      dense.observe(other, 4.0, query.noise / 0.5);
      const std::size_t fresh = dense.add(fork, drift(when, lifetime));
      return std::pair{dense.mean(fresh), dense.variance(fresh)};
    };
    for (const double outside : {1e-3, 0.5, 2.5, 40.0}) {
      const double elapsed = lifetime - split;
      const double survival = std::exp(-outside * elapsed);
      const Branch branch{split, elapsed, outside, survival, 0.0, share_of_edge(outside, elapsed, survival, rate)};
      const double mean = expected(outside, elapsed, [&](double t) { return fresh_leaf(split + t).first; });
      const double variance = expected(outside, elapsed, [&](double t) {
        const auto [at, about] = fresh_leaf(split + t);
        return about + (at - mean) * (at - mean);
      });
      const Gaussian said = model.speak_outside(at_root, at_left, branch, query);
      CHECK_NEAR(said.mean, mean, 1e-10);
      CHECK_NEAR(said.variance, variance + query.noise, 1e-9);
    }
  }
}

}  // namespace
}  // namespace hedgerow::label
