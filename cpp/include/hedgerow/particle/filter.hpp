// SPDX-License-Identifier: BSD-3-Clause
// A particle filter: all particles take a step, their weights change, and when few carry most of the weight they are
// resampled (Lakshminarayanan 2016, Algorithm 3.1, lines 6 to 17). What a particle is and how it steps is the caller's
// matter. Work can be cut anywhere between two steps and taken up again; that changes nothing. A conditional filter
// (Andrieu, Doucet and Holenstein 2010; Lakshminarayanan 2016, Algorithm 4.2) keeps its first particle, whatever is
// resampled: its steps are told beforehand, and one drawn from all particles in the end leaves their target as it was.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "hedgerow/particle/resampling.hpp"
#include "hedgerow/particle/weights.hpp"

namespace hedgerow::particle {

template <class P>
concept Particle = std::copyable<P> && requires(const P particle) {
  { particle.is_complete() } -> std::same_as<bool>;
};

/// When and how a filter resamples.
struct Schedule {
  Resampling scheme = Resampling::multinomial;
  double least_share = 0.1;  ///< resample if the effective sample size is below this share of the particles
};

/// Does the first particle survive every resampling? If so, resample by independent draws: other schemes would have to
/// know of it.
enum class Keeps { none, first };

/// Which filter this is, among independent ones with the same seed.
struct FilterKey {
  std::uint64_t seed;
  std::uint32_t island;
};

/// Steps of particles and resamplings draw from streams of their own. A step is named by its stage and its particle.
inline random::Stream step_stream(FilterKey key, std::uint64_t stage, std::size_t particle) {
  return {key.seed, random::Purpose::particle_step, key.island, (stage << 24) | particle};
}

template <Particle P>
class Filter {
 public:
  static constexpr std::size_t most_particles = std::size_t{1} << 24;  ///< so that the names of steps differ

  /// n copies of the first particle, each with this weight.
  Filter(const P& first, double log_weight, std::size_t n, Schedule schedule, FilterKey key, Keeps keeps = Keeps::none)
      : particles_(n, first), log_weights_(n, log_weight), schedule_(schedule), key_(key), keeps_(keeps) {}

  [[nodiscard]] const std::vector<P>& particles() const { return particles_; }
  [[nodiscard]] const std::vector<double>& log_weights() const { return log_weights_; }
  [[nodiscard]] std::vector<double> weights() const { return normalised(log_weights_); }
  [[nodiscard]] bool is_finished() const { return finished_; }
  [[nodiscard]] std::size_t n_resamplings() const { return n_resamplings_; }

  /// Estimate of the last target's normalising constant, W / C in Algorithm 3.1. Unbiased before the logarithm.
  [[nodiscard]] double log_evidence() const {
    return log_sum_exp(log_weights_) - std::log(static_cast<double>(particles_.size()));
  }

  /// step(particle, stream, is_kept) takes a particle one stage further and returns the logarithm of the factor on its
  /// weight, equation (3.7); the kept one has to step as it did. Goes on until finished, or until may_go_on() says no.
  template <class Step, class GoOn>
  void run(Step&& step, GoOn&& may_go_on) {
    while (!finished_ && may_go_on()) {
      P& particle = particles_[next_];
      if (!particle.is_complete()) {
        random::Stream stream = step_stream(key_, stage_, next_);
        log_weights_[next_] += step(particle, stream, keeps_ == Keeps::first && next_ == 0);
      }
      if (++next_ == particles_.size()) end_stage();
    }
  }

 private:
  void end_stage() {
    next_ = 0;
    finished_ = true;
    for (const P& particle : particles_) finished_ = finished_ && particle.is_complete();
    // Differs from Algorithm 3.1: the last stage is not followed by resampling, which would only add noise.
    if (!finished_) resample_if_due();
    ++stage_;
  }

  void resample_if_due() {
    const std::vector<double> weights = normalised(log_weights_);
    const auto n = static_cast<double>(particles_.size());
    if (effective_sample_size(weights) >= schedule_.least_share * n) return;
    random::Stream stream(key_.seed, random::Purpose::resample, key_.island, stage_);
    const double log_mean = log_evidence();
    const std::size_t n_kept = keeps_ == Keeps::first ? 1 : 0;
    auto copies = offspring(schedule_.scheme, weights, particles_.size() - n_kept, stream);
    if (n_kept > 0) ++copies[0];
    replace_by(copies);
    std::ranges::fill(log_weights_, log_mean);  // in logarithms: a particle may be a thousand nats behind
    ++n_resamplings_;
  }

  /// A particle with offspring, as the kept one always has, stays where it is, and its other copies take the places of
  /// those without.
  void replace_by(const std::vector<std::uint32_t>& copies) {
    std::size_t vacant = 0;
    for (std::size_t c = 0; c < copies.size(); ++c) {
      for (std::uint32_t copy = 1; copy < copies[c]; ++copy) {
        while (copies[vacant] != 0) ++vacant;
        particles_[vacant++] = particles_[c];
      }
    }
  }

  std::vector<P> particles_;
  std::vector<double> log_weights_;
  Schedule schedule_;
  FilterKey key_;
  Keeps keeps_;
  std::uint64_t stage_ = 0;
  std::size_t next_ = 0;  ///< the particle whose turn it is
  std::size_t n_resamplings_ = 0;
  bool finished_ = false;
};

}  // namespace hedgerow::particle
