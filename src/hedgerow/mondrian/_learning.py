"""Hyper-parameters learned from exact leave-one-out: how fast to cut each column, and how much to smooth.

Rates are learned in a few trees that are grown for it, on a few thousand rows at most; smoothing in some of the trees
that the forest has grown in these units. Given units and smoothing, a forest is a Mondrian forest as any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._smoothing import Calibration

Floats = npt.NDArray[np.float64]

FEWEST_ROWS = 16
"""With fewer rows, or less weight, nothing is learned."""

N_TREES = 10
"""Trees in which rates and smoothing are learned."""


class Effort(NamedTuple):
    """How much is spent on learning."""

    most_rows: int = 10_000  # rows that rates are learned from, at most
    n_rounds: int = 3  # rates are learned in units that have the rates of the round before
    most_smoothing: int = 1_000_000  # rows times trees that smoothing is learned from, at most
    n_searches: int = 20  # steps of the search for smoothing, after a coarse grid
    fewest_smoothing: int = 2  # trees that smoothing is learned from, at least
    most_calibrating: int = 1000  # rows that the variance is learned from, at most; 0 if it is learned elsewhere


LEAST_BLOCK = 8.0
"""Contrasts are taken in blocks of so many rows or more."""

POWER, FLOOR = 0.75, 0.01
"""A column's rate is its slope, relative to the steepest, to this power, and at least this."""


class Sample(NamedTuple):
    """Rows to learn from: features, labels as the core takes them, and weights, or none."""

    X: Floats
    labels: Floats
    weights: Floats

    @property
    def weight(self) -> float:
        """How many rows these count as."""
        return float(self.weights.sum()) if self.weights.size else float(self.labels.size)

    def few(self, most: int, seed: int) -> Sample:
        """Return so many of the rows at most, drawn without replacement."""
        n = self.X.shape[0]
        if n <= most:
            return self
        drawn = np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
        return Sample(self.X[drawn], self.labels[drawn], self.weights[drawn] if self.weights.size else self.weights)


Grow = Callable[[Sample, ColumnScaling, int], Any]
"""Grow a few trees: rows, units, and which of several forests it is."""


def learn_rates(grow: Grow, sample: Sample, scaling: ColumnScaling, n_rounds: int) -> Floats:
    """How fast to cut each column, the steepest at rate 1: from the contrasts of cuts that have not seen the labels.

    gains / distances is the squared slope of the labels along a column, in units of the column's own scaling. Of a
    column that is constant nothing is known, and it has rate 1 should it begin to vary.
    """
    rates = np.ones(scaling.slopes.size)
    constant = (sample.X[0] == sample.X).all(axis=0)
    for round_ in range(n_rounds):
        gains, distances = grow(sample, scaling.at_rates(rates), round_).contrasts(LEAST_BLOCK)
        slopes = np.divide(gains * rates**2, distances, out=np.zeros_like(gains), where=distances > 0).clip(min=0.0)
        if not slopes.max() > 0.0:
            return np.ones_like(rates)
        rates = np.maximum((slopes / slopes.max()) ** POWER, FLOOR)
    return np.where(constant, 1.0, rates)


def learn_smoothing(
    problem: Any, centre: float, rate: float | None, ratio: float | None, n_searches: int
) -> tuple[float, float]:
    """gamma_2 and K that make the leave-one-out error of a few trees smallest; those given stay as they are."""

    def numbers(logs: Floats) -> tuple[float, float]:
        free = iter(np.exp(np.clip(logs, -25.0, 25.0)).tolist())
        return (next(free) if rate is None else rate), (next(free) if ratio is None else ratio)

    def error(logs: Floats) -> float:
        return float(problem.mean_square(*numbers(logs), centre))

    rates = [math.log(number) for number in (0.05, 0.3, 1.5, 8.0)] if rate is None else [None]
    ratios = [math.log(number) for number in (30.0, 3000.0)] if ratio is None else [None]
    grid = [np.array([log for log in pair if log is not None]) for pair in ((a, b) for a in rates for b in ratios)]
    if grid[0].size == 0:
        return numbers(grid[0])
    errors = [error(logs) for logs in grid]
    start = grid[int(np.argmin(errors))]
    simplex = np.vstack([start, start + np.diag([0.7, 1.0][-start.size :])])
    found = minimize(error, start, method="Nelder-Mead", options={"maxfev": n_searches, "initial_simplex": simplex})
    return numbers(found.x if found.fun < min(errors) else start)


def learn_calibration(
    labels: Floats,
    means: Floats,
    variances: Floats,
    weights: Floats,
    fixed: tuple[float | None, float | None],
    ratio: float | None,
) -> Calibration:
    """gamma_1, sigma_y^2 and the spread of the trees under which leave-one-out labels are most likely.

    Row i of `means` and `variances`, in units of gamma_1, has one component a tree. Trees err apart from each other,
    and averaging them takes away most of that; so their spread overstates the doubt about the mean. And the K that
    smooths best is not the one that tells the noise. `fixed` are gamma_1 and sigma_y^2 where they are known, and
    `ratio` is theirs if that is known.
    """
    centre = means.mean(axis=1)
    weights = weights if weights.size else np.ones(labels.size)
    error = float(np.average((labels - centre) ** 2, weights=weights))
    typical = float(np.average(variances.mean(axis=1), weights=weights))
    if not (error > 0.0 and math.isfinite(error) and typical > 0.0):
        return Calibration()

    def calibration(logs: Floats) -> Calibration:
        drift, noise = (math.exp(float(np.clip(log, -14.0, 6.0))) for log in logs[:2])
        drift = error * drift / typical if fixed[0] is None else fixed[0]
        noise = error * noise if ratio is None else drift / ratio
        noise = noise if fixed[1] is None else fixed[1]
        return Calibration(drift, noise, 1.0 / (1.0 + math.exp(-float(logs[2]))))

    def loss(logs: Floats) -> float:
        variance, noise, spread = calibration(logs)
        density = log_mixture_density(labels, means, variance * variances + noise, spread)
        return -float(np.average(density, weights=weights))

    start = np.array([-1.0, -1.0, 0.0])
    simplex = np.vstack([start, start + np.diag([1.0, 1.0, -1.5])])
    found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 70, "initial_simplex": simplex})
    return calibration(found.x)


def log_mixture_density(labels: Floats, means: Floats, variances: Floats, spread: float) -> Floats:
    """Log density of each label under its row of components, equally weighted, with their means brought together."""
    centre = means.mean(axis=1, keepdims=True)
    misses = labels[:, None] - centre - spread * (means - centre)
    logs = -0.5 * (np.log(2.0 * np.pi * variances) + misses**2 / variances)
    highest = logs.max(axis=1)
    density: Floats = np.log(np.exp(logs - highest[:, None]).mean(axis=1)) + highest
    return density
