"""Are ranks uniform? The empirical distribution function against simultaneous bands (Säilynoja, Bürkner, Vehtari 2022).

Ranks are numbers from 0 to n_draws. At each possible rank the number of ranks up to it is binomial, which gives a
two-sided p-value; the statistic is the smallest of these over all ranks. Its distribution is exact: counts up to one
rank after another are a Markov chain, so the probability that none of them leaves its band is a product of matrices.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.stats import binom


def rank(truth, draws, rng):
    """How many of the draws are below the truth; a random number of those that equal it count too."""
    draws = np.asarray(draws)
    return int((draws < truth).sum() + rng.integers(0, (draws == truth).sum() + 1))


def p_value(ranks, n_draws):
    """Probability that uniform ranks have a count that is as improbable as the most improbable of these."""
    ranks = np.asarray(ranks)
    cumulative = np.bincount(ranks, minlength=n_draws + 1).cumsum()[:-1]
    return leaving(ranks.size, n_draws, _tails(ranks.size, n_draws)[cumulative, np.arange(n_draws)].min())


@lru_cache
def bands(n_ranks, n_draws, level):
    """Least and largest number of ranks up to 0, 1, ..., n_draws - 1; uniform ranks leave these at this rate."""
    low, high = 1e-3 * level / n_draws, 0.5
    for _ in range(25):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if leaving(n_ranks, n_draws, middle) <= level else (low, middle)
    inside = _tails(n_ranks, n_draws) > low
    return inside.argmax(axis=0), n_ranks - inside[::-1].argmax(axis=0)


def leaving(n_ranks, n_draws, tail):
    """Probability that uniform ranks have a count with a tail, below or above, of at most this probability."""
    kept = _tails(n_ranks, n_draws) > tail * (1.0 + 1e-9)
    counts = np.arange(n_ranks + 1)
    inside, lost = np.eye(1, n_ranks + 1)[0], 0.0
    for k in range(n_draws):
        start = np.flatnonzero(inside)
        steps = binom.pmf(counts - start[:, None], n_ranks - start[:, None], 1.0 / (n_draws + 1 - k))
        after = inside[start] @ steps
        lost += after[~kept[:, k]].sum()
        inside = np.where(kept[:, k], after, 0.0)
    return float(lost)


@lru_cache
def _tails(n_ranks, n_draws):
    """The smaller tail of each count of ranks up to each rank but the last."""
    counts, shares = np.arange(n_ranks + 1)[:, None], np.arange(1, n_draws + 1) / (n_draws + 1)
    return np.minimum(binom.cdf(counts, n_ranks, shares), binom.sf(counts - 1, n_ranks, shares))
