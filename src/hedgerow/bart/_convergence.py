"""How well chains agree, and how many independent draws they are worth.

Vehtari, Gelman, Simpson, Carpenter and Bürkner, *Rank-normalization, folding, and localization: an improved R-hat*
(Bayesian Analysis, 2021). Draws have the shape (n_chains, n_draws).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from hedgerow.numeric.arrays import Floats


def r_hat(draws: Floats) -> float:
    """Rank-normalised split R-hat: 1 if all halves of all chains look alike, in location and in spread.

    NaN for fewer than four draws a chain, or if all draws are equal; infinite if chains never move and differ.
    """
    halves = _halves(draws)
    if halves.shape[1] < 2 or np.ptp(halves) == 0.0:
        return math.nan
    folded = np.abs(halves - np.median(halves))
    return float(np.nanmax([_plain_r_hat(_rank_normalised(part)) for part in (halves, folded)]))


def bulk_ess(draws: Floats) -> float:
    """Effective sample size of all chains together for the bulk of the distribution.

    NaN for fewer than ten draws a chain, or if all draws are equal.
    """
    halves = _halves(draws)
    if halves.shape[1] < 5 or np.ptp(halves) == 0.0:
        return math.nan
    return _plain_ess(_rank_normalised(halves))


def _halves(draws: Floats) -> Floats:
    """First and second halves of the chains, as chains; an odd draw in the middle is left out."""
    n = draws.shape[1] // 2
    return np.concatenate([draws[:, :n], draws[:, draws.shape[1] - n :]])


def _rank_normalised(draws: Floats) -> Floats:
    """Normal scores of the ranks among all draws: equation 14 of the paper."""
    ranks = rankdata(draws).reshape(draws.shape)
    scores: Floats = ndtri((ranks - 0.375) / (draws.size + 0.25))
    return scores


def _plain_r_hat(draws: Floats) -> float:
    """Equations 1 to 4: the variance over all chains next to that within them."""
    n = draws.shape[1]
    between, within = n * draws.mean(axis=1).var(ddof=1), draws.var(axis=1, ddof=1).mean()
    if within == 0.0:
        return math.inf if between > 0.0 else math.nan
    return math.sqrt((n - 1 + between / within) / n)


def _plain_ess(draws: Floats) -> float:
    """Equations 10 to 13: autocorrelations over all chains, summed by Geyer's initial monotone sequence of pairs."""
    n = draws.shape[1]
    covariances = _autocovariances(draws).mean(axis=0)
    within = covariances[0] * n / (n - 1)
    over_all = covariances[0] + draws.mean(axis=1).var(ddof=1)
    correlations = 1.0 - (within - covariances) / over_all
    correlations[0] = 1.0
    pairs = correlations[: n // 2 * 2].reshape(-1, 2).sum(axis=1)[: (n - 3) // 2]
    n_positive = int(np.argmax(pairs <= 0.0)) if (pairs <= 0.0).any() else pairs.size
    monotone = np.minimum.accumulate(pairs[:n_positive])
    # The first term that is left out counts once if it is positive: it lowers the error for chains that alternate.
    time = -1.0 + 2.0 * monotone.sum() + max(correlations[2 * n_positive], 0.0)
    return float(draws.size / max(time, 1.0 / math.log10(draws.size)))


def _autocovariances(draws: Floats) -> Floats:
    n = draws.shape[1]
    spectrum = np.fft.rfft(draws - draws.mean(axis=1, keepdims=True), 2 * n, axis=1)
    found: Floats = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n, axis=1)[:, :n] / n
    return found
