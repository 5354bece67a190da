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

from hedgerow.base.copies import NO_GROUPS, Copies
from hedgerow.base.rows import NO_WEIGHTS
from hedgerow.mondrian._new_categories import CategoryAxes
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, around, minimise

FEWEST_ROWS = 16
"""With fewer rows, copies counted once, nothing is learned."""

N_TREES = 10
"""Trees in which rates are learned, and smoothing at most: its error is corrected for how few they are."""


class Effort(NamedTuple):
    """How much is spent on learning."""

    most_rows: int = 10_000  # rows that rates are learned from, at most
    n_rounds: int = 3  # rates are learned in units that have the rates of the round before
    most_smoothing: int = 30_000  # rows times trees that smoothing is learned from, at most, but for
    fewest_smoothing: int = 5  # trees at least
    n_searches: int = 20  # steps of the search for smoothing, after a coarse grid
    most_calibrating: int = 1000  # rows that calibration is learned from, at most; 0 if it is learned elsewhere
    learns_gaps: bool = True  # how wide predictions are where no rows are

    def n_smoothing(self, n_rows: int) -> int:
        """How many of the first trees smoothing is learned from, if there are so many."""
        return min(N_TREES, max(self.fewest_smoothing, self.most_smoothing // max(1, n_rows)))


AGAIN: dict[str, Any] = {"n_rounds": 1, "n_searches": 12}
"""What is spent less by a review that begins with the rates in force."""

FEWEST_AGAIN = 100
"""With fewer rows a review begins from nothing: what was learned before, from half as many, is of little help."""


FEWEST_IN_BLOCK = 8.0
"""Contrasts are taken in blocks of so many rows or more."""

POWER, FLOOR = 0.75, 0.01
"""A column's rate is its slope, relative to the steepest, to this power, and at least this."""


class Sample(NamedTuple):
    """Rows to learn from: features, labels as the core takes them, weights, or none, and which rows are copies."""

    X: Floats
    labels: Floats
    weights: Floats
    copies: Copies
    categories: CategoryAxes = ()

    @property
    def mean_weight(self) -> float:
        """Of a row, copies counted as one."""
        return (float(self.weights.sum()) if self.weights.size else float(self.labels.shape[0])) / self.copies.n_units

    @property
    def units(self) -> tuple[npt.NDArray[np.intp], Floats]:
        """The first of each set of copies, in order, and what they all weigh; no weights if all weigh the same."""
        weights: Floats = self.weights if self.weights.size else np.ones(self.labels.shape[0])
        first = np.arange(self.labels.shape[0])
        if self.copies.groups.size:
            _, places, unit = np.unique(self.copies.groups, return_index=True, return_inverse=True)
            order = np.argsort(places)  # rows stay in order
            first, weights = places[order], np.bincount(unit, weights=weights)[order].astype(np.float64)
        return first, weights if weights.min() < weights.max() else NO_WEIGHTS

    def merged(self) -> Sample:
        """Return the rows with copies merged into one, and weights relative to the largest."""
        first, weights = self.units
        alone = Copies(NO_GROUPS, first.size)
        return Sample(self.X[first], self.labels[first], weights / weights.max() if weights.size else weights, alone)

    def few(self, most: int, seed: int) -> Sample:
        """Return so many of the rows at most, drawn without replacement."""
        n = self.X.shape[0]
        if n <= most:
            return self
        drawn = np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
        weights = self.weights[drawn] if self.weights.size else self.weights
        return Sample(self.X[drawn], self.labels[drawn], weights, self.copies.of(drawn))


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
        core = grow(sample, scaling.at_rates(rates), round_)
        gains, distances = core.contrasts(FEWEST_IN_BLOCK, sample.copies.groups)
        slopes = np.divide(gains * rates**2, distances, out=np.zeros_like(gains), where=distances > 0).clip(min=0.0)
        if not slopes.max() > 0.0:
            return np.ones_like(rates)
        rates = np.maximum((slopes / slopes.max()) ** POWER, FLOOR)
    return np.where(constant, 1.0, rates)


def learn_smoothing(
    problem: Any,
    centre: float,
    mean_weight: float,
    known: tuple[float | None, float | None],
    n_searches: int,
) -> tuple[float, float]:
    """gamma_2 and K that make the leave-one-out error of a few trees smallest; those known stay as they are.

    A row counts as K times its weight, so weights that are all multiplied by a constant find a K divided by it. The
    search begins where a coarse grid is best, not with what was learned before: the two lie along a flat valley,
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
    points = [(math.log(a), math.log(b / mean_weight)) for a in (0.05, 0.3, 1.5, 8.0) for b in (30.0, 3000.0)]
    grid = list(dict.fromkeys(tuple(point[place] for place in free) for point in points))
    start = min(grid, key=error)
    steps = [(0.7, 1.0)[place] for place in free]
    return numbers(minimise(error, around(start, steps), n_searches)[0])
