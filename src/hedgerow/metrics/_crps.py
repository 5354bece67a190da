"""The continuous ranked probability score: closed forms for our distributions, for samples and for quantiles.

With F the predicted distribution function, CRPS(F, y) is the integral over t of (F(t) - 1[y <= t])^2, which is
E|X - y| - E|X - X'| / 2 for X, X' independent draws from F (Gneiting and Raftery 2007, equation 21).
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np
from scipy import special

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive import Forecasts, LabelMixture, LocationScale, NormalMixture, Reshaped
from hedgerow.predictive._conformal import ConformalShape
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, Shape, StudentShape

FALLBACK_LEVELS = (np.arange(400) + 0.5) / 400
"""Quantiles that stand for a distribution of which only quantiles are known."""
TAIL = 9.0
"""Standard deviations beyond which a Gaussian has no weight, to the precision of the sums."""
AT_ONCE = 1 << 20
"""Values of distribution functions that are computed at once."""


@singledispatch
def crps_of_distribution(forecast: Any, y: Floats) -> Floats:
    """CRPS of each row; of a distribution that is not one of ours, from 400 of its quantiles."""
    return crps_of_quantiles(np.asarray(forecast.ppf(FALLBACK_LEVELS)), FALLBACK_LEVELS, y)


@crps_of_distribution.register
def _(forecast: NormalMixture, y: Floats) -> Floats:
    """Grimit, Gneiting, Berrocal and Johnson (2006), equation 5."""
    gaps = np.repeat(y, np.diff(forecast.first)) - forecast.means
    distance = forecast._sum(forecast.weights * mean_distance(gaps, forecast.variances))
    spread = _mean_distances_within(forecast)
    scores: Floats = distance - 0.5 * spread
    return scores


@crps_of_distribution.register
def _(forecast: LocationScale, y: Floats) -> Floats:
    """What is moved and stretched has its score stretched."""
    scores: Floats = forecast.scale * _crps_of_shape(forecast.shape, (y - forecast.location) / forecast.scale)
    return scores


@crps_of_distribution.register
def _(forecast: Reshaped, y: Floats) -> Floats:
    """No closed form: the levels of a common shape are moved, differently in each row."""
    return crps_of_quantiles(forecast.ppf(FALLBACK_LEVELS), FALLBACK_LEVELS, y)


@crps_of_distribution.register
def _(forecast: Forecasts, y: Floats) -> Floats:
    ends = np.cumsum([len(part) for part in forecast.parts])
    labels = np.split(y, ends[:-1])
    parts = [crps_of_distribution(part, own) for part, own in zip(forecast.parts, labels, strict=True)]
    return np.concatenate([np.empty(0), *parts])


@crps_of_distribution.register
def _(forecast: LabelMixture, y: Floats) -> Floats:
    """E|X - y| over the targets kept, less the integral of F (1 - F), which is E|X - X'| / 2."""
    row = np.repeat(np.arange(len(forecast)), forecast.sizes)
    distance = np.add.reduceat(forecast.weights * np.abs(forecast.labels - y[row]), forecast.first[:-1])
    order = np.lexsort([forecast.labels, row])
    labels, weights = forecast.labels[order], forecast.weights[order]
    below = np.cumsum(weights) - row  # the weights of a row add up to one
    gaps = np.append(np.diff(labels), 0.0)
    gaps[forecast.first[1:] - 1] = 0.0
    scores: Floats = distance - np.add.reduceat(below * (1.0 - below) * gaps, forecast.first[:-1])
    return scores


@singledispatch
def _crps_of_shape(shape: Shape, z: Floats) -> Floats:
    quantiles = np.broadcast_to(shape.ppf(FALLBACK_LEVELS), (z.size, FALLBACK_LEVELS.size))
    return crps_of_quantiles(quantiles, FALLBACK_LEVELS, z)


@_crps_of_shape.register
def _(shape: ConformalShape, z: Floats) -> Floats:
    """Of the scores, smoothed: extreme quantiles may be infinite, and the score would be."""
    return _crps_of_shape(shape.smooth, z)


@_crps_of_shape.register
def _(shape: NormalShape, z: Floats) -> Floats:
    return crps_of_normal(np.zeros(z.size), np.ones(z.size), z)


@_crps_of_shape.register
def _(shape: StudentShape, z: Floats) -> Floats:
    """Jordan, Krueger and Lerch (2019), appendix A: Student's t with a scale."""
    n, x = shape.degrees, z / shape.scale
    density = np.exp(shape.logpdf(z)) * shape.scale
    spread = 2.0 * math.sqrt(n) / (n - 1.0) * special.beta(0.5, n - 0.5) / special.beta(0.5, 0.5 * n) ** 2
    scores: Floats = shape.scale * (x * (2.0 * shape.cdf(z) - 1.0) + 2.0 * density * (n + x**2) / (n - 1.0) - spread)
    return scores


@_crps_of_shape.register
def _(shape: EmpiricalShape, z: Floats) -> Floats:
    """A mixture of narrow Gaussians, the same for all rows."""
    n, variance = shape.centres.size, shape.width**2
    distance = np.array([mean_distance(one - shape.centres, variance).mean() for one in z])
    spread = _mean_distance_within(np.full(n, 1.0 / n), shape.centres, np.full(n, variance))
    return distance - 0.5 * spread


def crps_of_normal(mean: Floats, std: Floats, y: Floats) -> Floats:
    """CRPS of Gaussians: E|X - y| less std / sqrt(pi)."""
    scores: Floats = mean_distance(y - mean, std**2) - std / math.sqrt(math.pi)
    return scores


def crps_of_samples(samples: Floats, y: Floats) -> Floats:
    """CRPS of the distribution that gives each of a row's samples the same probability."""
    ordered = np.sort(samples, axis=1)
    n = ordered.shape[1]
    # E|X - X'| / 2 is the sum of (2 k - n - 1) x_(k) / n^2 over the ordered sample.
    spread = (ordered * (2.0 * np.arange(1, n + 1) - n - 1.0)).sum(axis=1) / n**2
    scores: Floats = np.abs(ordered - y[:, None]).mean(axis=1) - spread
    return scores


def crps_of_quantiles(quantiles: Floats, levels: Floats, y: Floats) -> Floats:
    """CRPS as the integral over levels of twice the pinball loss, by the levels given.

    Each level stands for those nearer to it than to another. Exact for a distribution on n equally probable points
    with their levels (k - 1/2) / n.
    """
    borders = np.concatenate([[0.0], 0.5 * (levels[1:] + levels[:-1]), [1.0]])
    gaps = y[:, None] - quantiles
    losses = np.maximum(levels * gaps, (levels - 1.0) * gaps)
    # Not a product of matrices: its last bits depend on how many rows there are.
    scores: Floats = 2.0 * (losses * np.diff(borders)).sum(axis=1)
    return scores


def mean_distance(gap: Floats, variance: Floats | float) -> Floats:
    """E|gap + sqrt(variance) Z| of a standard normal Z; without variance it is the gap itself."""
    scale = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(gap == 0.0, 0.0, gap / (math.sqrt(2.0) * scale))
    found: Floats = gap * special.erf(z) + scale * math.sqrt(2.0 / math.pi) * np.exp(-(z**2))
    return found


def _mean_distances_within(mixtures: NormalMixture) -> Floats:
    """E|X - X'| of two draws from the mixture of each row.

    It is the integral of 2 F (1 - F), and the trapezoidal rule with steps of half the least standard deviation gives
    it to the last digits: the Fourier transform of F (1 - F) falls as exp(-(frequency * deviation)^2 / 4). If a
    component is so narrow that more steps than components are needed, pairs are summed.
    """
    begins, sizes = mixtures.first[:-1], np.diff(mixtures.first)
    deviations = np.sqrt(mixtures.variances)
    low = np.minimum.reduceat(mixtures.means - TAIL * deviations, begins)
    high = np.maximum.reduceat(mixtures.means + TAIL * deviations, begins)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wanted = (high - low) / (0.5 * np.minimum.reduceat(deviations, begins))
    # Powers of two, so that a row's score does not depend on its company.
    log_steps = np.where(wanted < sizes, np.ceil(np.log2(np.clip(wanted, 2.0, 2.0**30))), 0).astype(int)
    spread = np.empty(len(mixtures))
    for row in np.flatnonzero(log_steps == 0):
        own = slice(mixtures.first[row], mixtures.first[row + 1])
        spread[row] = _mean_distance_within(mixtures.weights[own], mixtures.means[own], mixtures.variances[own])
    for log_step in np.unique(log_steps[log_steps > 0]):
        n_steps = 2**log_step
        rows = np.flatnonzero(log_steps == log_step)
        for some in np.array_split(rows, math.ceil(rows.size * n_steps / AT_ONCE)):
            is_chosen = np.zeros(len(mixtures), dtype=bool)
            is_chosen[some] = True
            step = (high - low)[some] / n_steps
            points = low[some, None] + step[:, None] * np.arange(1, n_steps)
            below = mixtures.of_rows(is_chosen).cdf(points)
            spread[some] = 2.0 * step * (below * (1.0 - below)).sum(axis=1)
    return spread


def _mean_distance_within(weights: Floats, means: Floats, variances: Floats) -> float:
    """E|X - X'| of two draws from one mixture: all pairs of components, each pair once."""
    total = float(np.sum(weights**2 * 2.0 * np.sqrt(variances / math.pi)))
    for first in range(weights.size - 1):
        rest = slice(first + 1, None)
        distances = mean_distance(means[first] - means[rest], variances[first] + variances[rest])
        total += 2.0 * float(weights[first] * (weights[rest] @ distances))
    return total
