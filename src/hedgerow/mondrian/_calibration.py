"""From what trees believe to how wide a prediction must be, learned by leaving out one row at a time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from hedgerow._core import TreeMixtures
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, around, minimise

N_STEPS = 70
"""Steps of the search for the variance."""

NEAR = 0.99
"""Of the rows left out one at a time, this share counts as near to others."""

WIDEST = 1.2
"""Without evidence, a prediction has this many times the variance of all targets, at most."""

FEWEST_ROWS = 100
"""With fewer rows nothing is learned of tails or of gaps."""

COVERED = 0.9
"""Intervals of this confidence are checked against the targets left out."""

LEAST_GAIN = 0.01
"""In log density a row: tails that gain less are left Gaussian."""


LARGEST_VARIANCE, LARGEST_RATIO = 1e250, 1e20
"""In files: what learned numbers are far below, and what products of them are numbers with."""


class Calibration(NamedTuple):
    """What turns beliefs into predictions."""

    variance: float = math.nan  # gamma_1; NaN before it is learned
    noise: float = math.nan  # sigma_y^2, no longer tied to gamma_1 / K
    spread: float = 1.0  # how far apart the trees' means count
    near: float = 1.0  # variance of the mean, in units of gamma_1, as rows among others have it
    far: float = 0.0  # how much steeper it counts beyond that
    most: float = 1e300  # and what it counts as, at most
    wide_share: float = 0.0  # every component is two Gaussians: this share of it is wide,
    wide_ratio: float = 1.0  # by this much in variance; together they have the component's variance

    @classmethod
    def from_numbers(cls, numbers: Any) -> Calibration:
        """Take back what was written to a file, or ValueError."""
        found = cls(*(float(number) for number in numbers))
        if not all(math.isfinite(number) for number in found):
            raise ValueError("its calibration is not finite")
        scales = found.variance, found.noise, found.spread, found.near, found.most
        if not (min(scales) > 0.0 and found.far >= 0.0 and 0.0 <= found.wide_share < 1.0 and found.wide_ratio >= 1.0):
            raise ValueError("its calibration is out of range")
        if max(found.spread, found.far, found.wide_ratio) > LARGEST_RATIO or max(found[:2]) > LARGEST_VARIANCE:
            raise ValueError("its calibration is out of range")
        return found

    @property
    def tails(self) -> tuple[Floats, Floats]:
        """Weights and variances, relative to a component's, of the Gaussians that it is made of."""
        if self.wide_share == 0.0:
            return np.ones(1), np.ones(1)
        weights = np.array([1.0 - self.wide_share, self.wide_share])
        ratios = np.array([1.0, self.wide_ratio])
        return weights, ratios / (weights @ ratios)

    def variances(self, of_mean: Floats) -> Floats:
        """Variance of a target where that of the mean is so much, in units of gamma_1."""
        steeper = self.far * np.maximum(of_mean - self.near, 0.0)
        found: Floats = np.minimum(self.variance * of_mean + steeper, self.most) + self.noise
        return found


class LeftOut(NamedTuple):
    """Targets, weights or none, and of each tree the mean and its variance at each row without its target.

    The variance is in units of gamma_1.
    """

    targets: Floats
    weights: Floats
    means: Floats
    variances: Floats

    def average(self, values: Floats) -> float:
        """Weighted mean over the rows."""
        return float(np.average(values, weights=self.weights if self.weights.size else None))


def learn_calibration(
    rows: LeftOut, fixed: tuple[float | None, float | None], ratio: float | None, least: float
) -> Calibration:
    """gamma_1, sigma_y^2 and the spread of the trees under which targets left out one at a time are most likely.

    Trees err apart from each other, and averaging them takes most of that away; so their spread overstates how
    uncertain the mean is. And the K that smooths best is not the one that estimates the noise. `fixed` are gamma_1 and
    sigma_y^2 where they are known, and `ratio` is theirs if that is known; otherwise gamma_1, the variance far from all
    rows, is at least `least`.
    """
    error = rows.average((rows.targets - rows.means.mean(axis=1)) ** 2)
    typical = rows.average(rows.variances.mean(axis=1))
    if not (error > 0.0 and math.isfinite(error) and typical > 0.0):
        return Calibration()
    mixtures = TreeMixtures(rows.targets, rows.weights, rows.means, rows.variances)

    def calibration(logs: Point) -> Calibration:
        drift, noise = (math.exp(min(max(log, -14.0), 6.0)) for log in logs[:2])
        drift = max(error * drift / typical, least if ratio is None else 0.0) if fixed[0] is None else fixed[0]
        noise = error * noise if ratio is None else drift / ratio
        noise = noise if fixed[1] is None else fixed[1]
        return Calibration(drift, noise, 1.0 / (1.0 + math.exp(-logs[2])))

    def loss(logs: Point) -> float:
        return -float(mixtures.mean_log_density(*calibration(logs)[:3]))

    return calibration(minimise(loss, around((-1.0, -1.0, 0.0), (1.0, 1.0, -1.5)), N_STEPS)[0])


def with_distance(calibration: Calibration, near: LeftOut, variance: float, of_one_row: float) -> Calibration:
    """Let predictions without evidence be as wide as all targets, of that variance, are: no less, and hardly more.

    Leaving out one row at a time does not show that. Where there is a row, even one alone, is not far: `of_one_row`
    is the variance of the mean there.
    """
    most = max(WIDEST * variance - calibration.noise, (WIDEST - 1.0) * variance)
    border = min(max(float(np.quantile(near.variances, NEAR)), of_one_row), 0.99)
    steeper = max(0.0, variance - calibration.variance) / (1.0 - border)
    return calibration._replace(near=border, far=steeper, most=most)


def with_tails(calibration: Calibration, rows: LeftOut, factors: Floats) -> Calibration:
    """Scale all variances, and give components tails heavier than Gaussian ones if targets left out are likelier then.

    Each row counts as one Gaussian, of the variance of its mixture; `factors` are by how much that of each row differs
    from what the calibration gives. Intervals of 90 % are then at least as wide as that many targets need: few-valued
    ones, some of them exactly right, would talk them down.
    """
    within = factors * calibration.variances(rows.variances).mean(axis=1)
    misses = rows.targets - rows.means.mean(axis=1)
    squares = misses**2 / (within + calibration.spread**2 * rows.means.var(axis=1))

    def tailed(point: Point) -> Calibration:
        share = 0.5 / (1.0 + math.exp(-min(max(point[1], -6.0), 6.0)))
        return calibration._replace(wide_share=share, wide_ratio=1.0 + math.exp(min(max(point[2], -2.0), 5.0)))

    def loss(tried: Calibration, log_scale: float) -> float:
        scale = math.exp(min(max(log_scale, -3.0), 3.0))
        density = sum(
            weight * np.exp(-0.5 * squares / (scale * ratio)) / math.sqrt(scale * ratio)
            for weight, ratio in zip(*tried.tails, strict=True)
        )
        return -rows.average(np.log(np.maximum(density, 1e-300)))

    plain, least = minimise(lambda point: loss(calibration, point[0]), around((0.0,), (0.3,)), 20)
    start = around((plain[0], -1.0, 1.0), (0.3, 1.0, 1.0))
    best, least_tailed = minimise(lambda point: loss(tailed(point), point[0]), start, 80)
    found, point = (tailed(best), best) if least_tailed < least - LEAST_GAIN else (calibration, plain)
    reach = _quantile(np.sqrt(squares), rows.weights, COVERED) / _central(found, COVERED)
    scale = max(math.exp(min(max(point[0], -3.0), 3.0)), reach**2)
    variance, noise, far = (scale * part for part in (found.variance, found.noise, found.far))
    return found._replace(variance=variance, noise=noise, far=far)


def _central(calibration: Calibration, confidence: float) -> float:
    """How far the central interval of a component reaches, in standard deviations."""
    weights, ratios = calibration.tails
    reach = np.linspace(0.0, 10.0, 2001)
    inside = sum(
        weight * special.erf(reach / math.sqrt(2.0 * ratio)) for weight, ratio in zip(weights, ratios, strict=True)
    )
    return float(np.interp(confidence, inside, reach))


def _quantile(values: Floats, weights: Floats, level: float) -> float:
    order = np.argsort(values)
    up_to = np.cumsum(weights[order] if weights.size else np.ones(values.size))
    return float(values[order][np.searchsorted(up_to, level * up_to[-1]).clip(max=values.size - 1)])


def log_density(calibration: Calibration, targets: Floats, means: Floats, variances: Floats) -> Floats:
    """Log density of each target under its row of components, equally weighted, with their means brought together."""
    centre = means.mean(axis=1, keepdims=True)
    squares = (targets[:, None] - centre - calibration.spread * (means - centre)) ** 2
    parts = [
        math.log(weight) - 0.5 * (np.log(2.0 * np.pi * ratio * variances) + squares / (ratio * variances))
        for weight, ratio in zip(*calibration.tails, strict=True)
    ]
    logs = np.concatenate(parts, axis=1)
    highest = logs.max(axis=1)
    density: Floats = np.log(np.exp(logs - highest[:, None]).sum(axis=1) / means.shape[1]) + highest
    return density
