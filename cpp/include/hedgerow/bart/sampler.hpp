// SPDX-License-Identifier: BSD-3-Clause
// Several chains on one problem, as many at a time as there are threads. How work is cut into pieces, and by how many
// threads it is done, changes nothing.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hedgerow/bart/draws.hpp"

namespace hedgerow::bart {

class Sampler {
 public:
  Sampler(Problem problem, Response response, std::size_t n_chains, std::uint64_t seed, Start start)
      : problem_(std::move(problem)), response_(std::move(response)), draws_(n_chains) {
    for (std::uint32_t c = 0; c < n_chains; ++c) {
      chains_.push_back(std::make_unique<Chain>(problem_, response_, ChainKey{seed, c}, start));
    }
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Response& response() const { return response_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Chain>>& chains() const { return chains_; }
  [[nodiscard]] std::vector<std::unique_ptr<Chain>>& chains() { return chains_; }
  [[nodiscard]] const std::vector<Draws>& draws() const { return draws_; }
  [[nodiscard]] std::vector<Draws>& draws() { return draws_; }

  [[nodiscard]] std::size_t n_draws() const { return draws_[0].size(); }  ///< of each chain
  /// Of each chain, so far. The first round is the start.
  [[nodiscard]] std::uint64_t n_sweeps() const { return (chains_[0]->n_rounds() - 1) / problem_.plan.n_rounds; }
  [[nodiscard]] std::size_t n_bytes() const {
    std::size_t total = 0;
    for (const Draws& draws : draws_) total += draws.n_bytes();
    return total;
  }

  /// Sweeps all chains so often; every `keep_every`-th state is kept, none if it is 0. If memory runs out, chains and
  /// draws are as they were: copies of the chains are swept, and take the place of the others at the end.
  void run(std::size_t n_sweeps, std::size_t keep_every, std::size_t n_threads) {
    std::vector<std::unique_ptr<Chain>> next;
    std::vector<std::pair<Draws::Mark, Draws::Mark>> marks;
    for (const auto& chain : chains_) next.push_back(std::make_unique<Chain>(*chain));
    for (const Draws& draws : draws_) marks.emplace_back(draws.mark(), draws.noise.mark());
    try {
      parallel::for_each_index(chains_.size(), n_threads, [&](std::size_t c, std::size_t) {
        for (std::size_t s = 1; s <= n_sweeps; ++s) {
          next[c]->sweep();
          if (keep_every > 0 && s % keep_every == 0) draws_[c].add(*next[c], problem_.units.label);
        }
      });
    } catch (...) {
      for (std::size_t c = 0; c < draws_.size(); ++c) draws_[c].cut(marks[c].first, marks[c].second);
      throw;
    }
    chains_.swap(next);
  }

 private:
  Problem problem_;
  Response response_;
  std::vector<std::unique_ptr<Chain>> chains_;
  std::vector<Draws> draws_;
};

}  // namespace hedgerow::bart
