"""Learning the units in which a Mondrian forest sees its columns.

A Mondrian process cuts a column in proportion to its length, so columns need comparable lengths. Each column gets
an increasing, piecewise linear map, given by its knots and by one slope beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hedgerow.base.rows import NO_WEIGHTS
from hedgerow.numeric.arrays import Floats

MOST_KNOTS = 1024
"""Knots of a rank scaling's column, at most."""

TOLERATED_DRIFT = 0.25
"""How far, in forest units, a column's map may be from what it would be now before it is learned again."""


@dataclass(frozen=True)
class ColumnScaling:
    """Knots of all columns, column after column; see `Scaling` in the core."""

    first_knot: npt.NDArray[np.uint64]
    values: Floats
    images: Floats
    slopes: Floats
    rates: Floats = field(default_factory=lambda: np.empty(0))
    """How fast each column is cut; already in images and slopes. Empty where all rates are 1."""

    @property
    def arrays(self) -> tuple[npt.NDArray[np.uint64], Floats, Floats, Floats]:
        """As the core takes them."""
        return self.first_knot, self.values, self.images, self.slopes

    @property
    def column_of_knots(self) -> npt.NDArray[np.intp]:
        """The column that each knot belongs to."""
        return np.searchsorted(self.first_knot, np.arange(self.values.size), side="right") - 1

    def rates_of(self, width: int) -> Floats:
        """How fast each of so many columns is cut."""
        return self.rates if self.rates.size else np.ones(width)

    def at_rates(self, rates: Floats) -> ColumnScaling:
        """Return the same maps, with each column made longer by the factor of its rate."""
        knots = rates[self.column_of_knots]
        return ColumnScaling(self.first_knot, self.values, self.images * knots, self.slopes * rates, rates)

    def beside(self, added: ColumnScaling) -> ColumnScaling:
        """Return the same maps with those of more columns, which are cut at a rate of 1 where rates are learned."""
        return ColumnScaling(
            np.concatenate([self.first_knot, self.first_knot[-1] + added.first_knot[1:]]),
            np.concatenate([self.values, added.values]),
            np.concatenate([self.images, added.images]),
            np.concatenate([self.slopes, added.slopes]),
            np.concatenate([self.rates, np.ones(added.slopes.size)]) if self.rates.size else self.rates,
        )

    def is_far_from(self, other: ColumnScaling) -> bool:
        """Whether this map is further than `TOLERATED_DRIFT` from another's at the other's knots."""
        if self.values.size == other.values.size == self.slopes.size:  # straight lines: look at 0 and at 1
            with np.errstate(over="ignore", invalid="ignore"):
                at_zero = (0.5 * other.values - 0.5 * self.values) * (2.0 * self.slopes)
                at_one = at_zero + self.slopes / other.slopes
                apart = np.maximum(np.abs(at_zero), np.abs(at_one - 1.0))
            return bool((np.nan_to_num(apart, nan=np.inf) > TOLERATED_DRIFT).any())
        return any(
            float(np.abs(self.image(d, other.values[begin:end]) - other.images[begin:end]).max()) > TOLERATED_DRIFT
            for d, (begin, end) in enumerate(pairwise(other.first_knot.tolist()))
        )

    def inside(self, column: int, x: Floats) -> Floats:
        """Return the images of values of a column; beyond its knots, that of the nearest."""
        begin, end = self._knots(column)
        images: Floats = np.interp(x, self.values[begin:end], self.images[begin:end])
        return images

    def image(self, column: int, x: Floats) -> Floats:
        """Return the images of values of a column."""
        begin, end = self._knots(column)
        slope = self.slopes[column]
        below = np.minimum(0.5 * x - 0.5 * self.values[begin], 0.0) * (2.0 * slope)
        above = np.maximum(0.5 * x - 0.5 * self.values[end - 1], 0.0) * (2.0 * slope)
        mapped: Floats = self.inside(column, x) + below + above
        return mapped

    def _knots(self, column: int) -> tuple[int, int]:
        return int(self.first_knot[column]), int(self.first_knot[column + 1])


def column_range(X: Floats) -> tuple[Floats, Floats]:
    """Minimum and maximum of each column. Rows are laid side by side first: NumPy is slow on narrow ones."""
    n, width = X.shape
    side_by_side = max(1, min(n, 512 // width))
    folded = n // side_by_side * side_by_side
    wide = X[:folded].reshape(-1, side_by_side * width)
    lower = np.concatenate([wide.min(axis=0).reshape(side_by_side, width), X[folded:]]).min(axis=0)
    upper = np.concatenate([wide.max(axis=0).reshape(side_by_side, width), X[folded:]]).max(axis=0)
    return lower, upper


def straight(lower: Floats, slopes: Floats) -> ColumnScaling:
    """Each column a straight line through (lower, 0)."""
    lower = np.ascontiguousarray(lower, dtype=np.float64)
    first = np.arange(lower.size + 1, dtype=np.uint64)
    return ColumnScaling(first, lower, np.zeros(lower.size), np.ascontiguousarray(slopes))


def range_slopes(lower: Floats, upper: Floats) -> Floats:
    """One over the range. A column that is constant so far is measured in units of its own magnitude."""
    half = 0.5 * upper - 0.5 * lower  # finite for all finite doubles
    own = np.where(lower == 0.0, 1.0, np.abs(lower))
    with np.errstate(divide="ignore", over="ignore"):
        slopes = np.where(half > 0.0, 0.5 / half, 1.0 / own)
    return np.clip(slopes, 1e-300, 1e300)


def range_scaling(lower: Floats, upper: Floats) -> ColumnScaling:
    """Minimum to 0, maximum to 1, straight on beyond."""
    return straight(lower, range_slopes(lower, upper))


def no_scaling(lower: Floats) -> ColumnScaling:
    """The user's own units. Only the origin moves, which makes no difference to a Mondrian process."""
    return straight(lower, np.ones(lower.size))


def half_scaling(X: Floats, weights: Floats) -> ColumnScaling:
    """Halfway between range and rank."""
    rank, (lower, upper) = rank_scaling(X, weights), column_range(X)
    column = rank.column_of_knots
    half_range = 0.5 * upper - 0.5 * lower
    half_range = np.where(half_range > 0.0, half_range, 1.0)
    share = (0.5 * rank.values - 0.5 * lower[column]) / half_range[column]
    return ColumnScaling(rank.first_knot, rank.values, 0.5 * rank.images + 0.5 * share, rank.slopes)


def rank_scaling(X: Floats, weights: Floats) -> ColumnScaling:
    """Each distinct value to its mid-rank, smallest to 0 and largest to 1, straight on beyond.

    A row of weight w counts as w rows; no weights at all are an empty array, and so are weights that are all equal.
    """
    weights = weights if weights.size and weights.min() < weights.max() else NO_WEIGHTS
    slopes = range_slopes(*column_range(X))
    if X.shape[0] <= MOST_KNOTS:
        return ColumnScaling(*_ranks_of_all(X, weights), slopes)
    knots: list[Floats] = []
    images: list[Floats] = []
    for column in range(X.shape[1]):
        _, values, image = _ranks_of_all(X[:, column : column + 1], weights)
        if values.size > MOST_KNOTS:
            nearest = np.searchsorted(image, np.linspace(0.0, 1.0, MOST_KNOTS)).clip(0, values.size - 1)
            kept = nearest[np.flatnonzero(np.diff(nearest, prepend=-1))]  # each once
            values, image = values[kept], image[kept]
        knots.append(values)
        images.append(image)
    first = np.concatenate([[0], np.cumsum([part.size for part in knots])]).astype(np.uint64)
    return ColumnScaling(first, np.concatenate(knots), np.concatenate(images), slopes)


def _ranks_of_all(X: Floats, weights: Floats) -> tuple[npt.NDArray[np.uint64], Floats, Floats]:
    """Knots of all columns at once, because a column after the other takes long where there are a million of them."""
    n, width = X.shape
    columns = np.ascontiguousarray(X.T)
    if weights.size:
        order = np.argsort(columns, axis=1, kind="stable")
        values = np.take_along_axis(columns, order, axis=1)
    else:
        values = np.sort(columns, axis=1)
    is_new = np.ones((width, n), dtype=bool)
    is_new[:, 1:] = 0.5 * values[:, 1:] != 0.5 * values[:, :-1]  # the core takes differences between halves
    begins = np.flatnonzero(is_new)
    ends, column = np.append(begins[1:], width * n), begins // n
    if weights.size:
        counts = np.add.reduceat(weights[order].ravel(), begins)
        up_to = np.cumsum(weights[order], axis=1).ravel()[ends - 1]
    else:
        counts, up_to = ends - begins, ends - n * column
    ranks = up_to - 0.5 * counts
    first = np.append(np.flatnonzero(begins % n == 0), begins.size)
    lowest, span = ranks[first[:-1]], ranks[first[1:] - 1] - ranks[first[:-1]]
    images: Floats = (ranks - lowest[column]) / np.where(span > 0.0, span, 1.0)[column]
    return first.astype(np.uint64), values.ravel()[begins], images
