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


@singledispatch
def crps_of_distribution(forecast: Any, y: Floats) -> Floats:
    """CRPS of each row; of a distribution that is not one of ours, from 400 of its quantiles."""
    return crps_of_quantiles(np.asarray(forecast.ppf(FALLBACK_LEVELS)), FALLBACK_LEVELS, y)


@crps_of_distribution.register
def _(forecast: NormalMixture, y: Floats) -> Floats:
    """Grimit, Gneiting, Berrocal and Johnson (2006), equation 5."""
    gaps = np.repeat(y, np.diff(forecast.first)) - forecast.means
    distance = forecast._sum(forecast.weights * mean_distance(gaps, forecast.variances))
    spread = np.array(
        [
            _mean_distance_within(forecast.weights[row], forecast.means[row], forecast.variances[row])
            for row in map(slice, forecast.first[:-1], forecast.first[1:])
        ]
    )
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


def _mean_distance_within(weights: Floats, means: Floats, variances: Floats) -> float:
    """E|X - X'| of two draws from one mixture: all pairs of components, each pair once."""
    total = float(np.sum(weights**2 * 2.0 * np.sqrt(variances / math.pi)))
    for first in range(weights.size - 1):
        rest = slice(first + 1, None)
        distances = mean_distance(means[first] - means[rest], variances[first] + variances[rest])
        total += 2.0 * float(weights[first] * (weights[rest] @ distances))
    return total
