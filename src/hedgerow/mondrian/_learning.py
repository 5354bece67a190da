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

from hedgerow._core import TreeMixtures
from hedgerow._simplex import Point, around, minimise
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._smoothing import Calibration

Floats = npt.NDArray[np.float64]

FEWEST_ROWS = 16
"""With fewer rows, or less weight, nothing is learned."""

N_TREES = 10
"""Trees in which rates are learned, and smoothing at most: its error is corrected for how few they are."""


class Effort(NamedTuple):
    """How much is spent on learning."""

    most_rows: int = 10_000  # rows that rates are learned from, at most
    n_rounds: int = 3  # rates are learned in units that have the rates of the round before
    most_smoothing: int = 30_000  # rows times trees that smoothing is learned from, at most, but for
    fewest_smoothing: int = 5  # trees at least
    n_searches: int = 20  # steps of the search for smoothing, after a coarse grid
    most_calibrating: int = 1000  # rows that the variance is learned from, at most; 0 if it is learned elsewhere


N_LIKELIHOODS = 70
"""Steps of the search for the variance."""

AGAIN = {"n_rounds": 1, "n_searches": 12}
"""What is spent less by a review that begins with the rates in force."""

FEWEST_AGAIN = 100
"""With fewer rows a review begins from nothing: what was learned before, from half as many, is of little help."""


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


def learn_rates(grow: Grow, sample: Sample, scaling: ColumnScaling, n_rounds: int, rates: Floats) -> Floats:
    """How fast to cut each column, the steepest at rate 1: from the contrasts of cuts that have not seen the labels.

    gains / distances is the squared slope of the labels along a column, in units of the column's own scaling. Of a
    column that is constant nothing is known, and it has rate 1 should it begin to vary. `rates` are those of the first
    round's units.
    """
    constant = (sample.X[0] == sample.X).all(axis=0)
    for round_ in range(n_rounds):
        gains, distances = grow(sample, scaling.at_rates(rates), round_).contrasts(LEAST_BLOCK)
        slopes = np.divide(gains * rates**2, distances, out=np.zeros_like(gains), where=distances > 0).clip(min=0.0)
        if not slopes.max() > 0.0:
            return np.ones_like(rates)
        rates = np.maximum((slopes / slopes.max()) ** POWER, FLOOR)
    return np.where(constant, 1.0, rates)


def learn_smoothing(
    problem: Any,
    centre: float,
    known: tuple[float | None, float | None],
    n_searches: int,
) -> tuple[float, float]:
    """gamma_2 and K that make the leave-one-out error of a few trees smallest; those known stay as they are.

    The search begins where a coarse grid is best, not with what was learned before: the two lie along a flat valley,
    and one search after another would follow it without end.
    """
    rate, ratio = known

    def numbers(logs: Point) -> tuple[float, float]:
        free = iter([math.exp(min(max(log, -25.0), 25.0)) for log in logs])
        return (next(free) if rate is None else rate), (next(free) if ratio is None else ratio)

    def error(logs: Point) -> float:
        return float(problem.mean_square(*numbers(logs), centre))

    free = [place for place, number in enumerate(known) if number is None]
    if not free:
        return numbers(())
    points = [(math.log(a), math.log(b)) for a in (0.05, 0.3, 1.5, 8.0) for b in (30.0, 3000.0)]
    grid = list(dict.fromkeys(tuple(point[place] for place in free) for point in points))
    start = min(grid, key=error)
    steps = [(0.7, 1.0)[place] for place in free]
    return numbers(minimise(error, around(start, steps), n_searches)[0])


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
    of_rows = weights if weights.size else None
    error = float(np.average((labels - means.mean(axis=1)) ** 2, weights=of_rows))
    typical = float(np.average(variances.mean(axis=1), weights=of_rows))
    if not (error > 0.0 and math.isfinite(error) and typical > 0.0):
        return Calibration()
    mixtures = TreeMixtures(labels, weights, means, variances)
    # Far from all rows the variance is gamma_1, of which rows say little: it is at least that of all labels.
    least = float(np.average((labels - np.average(labels, weights=of_rows)) ** 2, weights=of_rows))

    def calibration(logs: Point) -> Calibration:
        drift, noise = (math.exp(min(max(log, -14.0), 6.0)) for log in logs[:2])
        drift = max(error * drift / typical, least if ratio is None else 0.0) if fixed[0] is None else fixed[0]
        noise = error * noise if ratio is None else drift / ratio
        noise = noise if fixed[1] is None else fixed[1]
        return Calibration(drift, noise, 1.0 / (1.0 + math.exp(-logs[2])))

    def loss(logs: Point) -> float:
        return -float(mixtures.mean_log_density(*calibration(logs)))

    return calibration(minimise(loss, around((-1.0, -1.0, 0.0), (1.0, 1.0, -1.5)), N_LIKELIHOODS)[0])


def log_mixture_density(labels: Floats, means: Floats, variances: Floats, spread: float) -> Floats:
    """Log density of each label under its row of components, equally weighted, with their means brought together."""
    centre = means.mean(axis=1, keepdims=True)
    misses = labels[:, None] - centre - spread * (means - centre)
    logs = -0.5 * (np.log(2.0 * np.pi * variances) + misses**2 / variances)
    highest = logs.max(axis=1)
    density: Floats = np.log(np.exp(logs - highest[:, None]).mean(axis=1)) + highest
    return density
