"""How much wider predictions must be where a column has no rows: in gaps within its range, and beyond it.

Leave-one-out predicts at places among other rows only. So slabs, all rows between two values of a column, are left out,
a few trees are grown from the other rows, and the errors in the slab show how variances grow with the distance from the
nearest row along that column. The distance is in units of the column's range. Rows come and go, and the core knows
where they are; here it is learned which columns to watch, and what a distance costs. What a new category costs is
learned in `_new_categories.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.mondrian._new_categories import MOST_COLUMNS as MOST_CATEGORIES
from hedgerow.mondrian._new_categories import CategoryAxes, NewCategories
from hedgerow.numeric.arrays import Floats

Places = npt.NDArray[np.intp]

FEWEST_ROWS = 100
"""With fewer rows nothing is learned of gaps."""

MOST_COLUMNS = 4
"""Columns that are watched, at most: those that explain most."""

SLABS = ((0.0, 0.15), (0.85, 1.0), (0.15, 0.5), (0.5, 0.85), (0.3, 0.7))
"""Slabs left out of each of them, as shares of the rows: two at the ends and three between."""

MOST_ROWS, N_QUERIES, N_TREES = 600, 150, 10
"""Rows that stay when a slab is left out, rows that are predicted, at most, and trees that are grown."""

N_NEAR = 400
"""Rows not in a gap that are predicted for comparison, a third of all at most."""

CAUTION = 6.0
"""Some gaps hide more than slabs do on average: squared errors in slabs count as so many times as large."""


class Gaps(NamedTuple):
    """Columns that are watched, and the variance added at a distance from all rows along them."""

    columns: npt.NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
    begins: Floats = np.empty(0)  # of their ranges,
    lengths: Floats = np.empty(0)  # and how long these are; of columns of categories 0
    slopes: Floats = np.empty(0)  # by the square of the distance, in units of the length; or by a new category

    def described(self) -> list[list[float]]:
        """Return what it is made of, for a file."""
        return [[int(column), *numbers] for column, *numbers in zip(*(part.tolist() for part in self), strict=True)]

    @classmethod
    def from_description(cls, described: Any, width: int) -> Gaps:
        """Take back what `described` gave, or ValueError."""
        columns, begins, lengths, slopes = ([float(row[k]) for row in described] for k in range(4))
        if len(described) > MOST_COLUMNS + MOST_CATEGORIES or not all(0.0 < number < math.inf for number in slopes):
            raise ValueError("its gaps are not given by a few positive numbers")
        if not all(0.0 <= number < math.inf for number in lengths):
            raise ValueError("its gaps are not given by a few positive numbers")
        if not all(math.isfinite(begin) for begin in begins):
            raise ValueError("its gaps do not begin at finite numbers")
        if not all(column == int(column) and 0 <= column < width for column in columns):
            raise ValueError("its gaps are in columns that it does not have")
        return cls(np.array(columns, dtype=np.uint32), np.array(begins), np.array(lengths), np.array(slopes))

    def and_new(self, categories: NewCategories, axes: CategoryAxes) -> Gaps:
        """Return gaps in which a new category costs a fixed amount, and no distance from others on any of its axes."""
        stays = ~np.isin(self.columns, [axis for own in axes for axis in own])
        first, none = np.array([own[0] for own in categories.axes], dtype=np.uint32), np.zeros(len(categories.axes))
        return Gaps(
            np.concatenate([self.columns[stays], first]),
            np.concatenate([self.begins[stays], none]),
            np.concatenate([self.lengths[stays], none]),
            np.concatenate([self.slopes[stays], categories.variances]),
        )


class Slab(NamedTuple):
    """Predictions for rows without all of these: means, and squared distances from other rows along the column."""

    means: Floats
    squares: Floats


PredictSlab = Callable[[Places, Places, Gaps], Slab]
"""Grow a few trees from some of the rows, and predict others, while a column is watched."""


def learn_gaps(X: Floats, targets: Floats, importances: Floats, predict: PredictSlab, seed: int) -> Gaps:
    """Choose columns and learn their slopes. Rows are one of each set of copies; `importances` are the columns'.

    Of targets that are vectors, squared errors are averaged over the components.
    """
    n, rng = targets.shape[0], np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        begins, lengths = X.min(axis=0), np.ptp(X, axis=0)
    varies = (lengths > 0.0) & np.isfinite(lengths) & (importances > 0.0)
    unit = float(targets.std())  # squares of errors in any other might not be numbers
    if n < FEWEST_ROWS or not varies.any() or not unit > 0.0:
        return Gaps()

    def squared(rows: Places, means: Floats) -> tuple[float, float]:
        """Mean of squared errors, and the standard error of that."""
        squares = ((targets[rows] - means) / unit) ** 2
        squares = squares if squares.ndim == 1 else squares.mean(axis=1)
        return float(squares.mean()), float(squares.std() / math.sqrt(rows.size))

    by_importance = np.argsort(-np.where(varies, importances, 0.0), kind="stable")
    in_order = np.lexsort(X[:, by_importance[2::-1]].T)  # of values, so that the order of rows does not matter
    near = _some(rng, in_order, min(N_NEAR, n // 3))
    others = _some(rng, in_order[~np.isin(in_order, near)], MOST_ROWS)
    usual, usual_error = squared(near, predict(others, near, Gaps()).means)
    watched, slopes = [], []
    for column in by_importance[: min(MOST_COLUMNS, varies.sum())]:
        alone = Gaps(np.array([column], dtype=np.uint32), begins[[column]], lengths[[column]], np.ones(1))
        excess = squares = noise = 0.0
        for low, high in SLABS:
            ends = np.quantile(X[:, column], [low, high])
            is_out = (X[in_order, column] >= ends[0]) & (X[in_order, column] <= ends[1])
            if not 0 < is_out.sum() <= n // 2:
                continue
            queries = _some(rng, in_order[is_out], N_QUERIES)
            slab = predict(_some(rng, in_order[~is_out], MOST_ROWS), queries, alone)
            error, of_error = squared(queries, slab.means)
            excess += error - usual
            noise += of_error**2
            squares += float(np.mean(slab.squares))
        slope = CAUTION * unit**2 * excess / squares if squares > 0.0 else 0.0
        if excess > math.sqrt(noise + (len(SLABS) * usual_error) ** 2) and 0.0 < slope < math.inf:
            watched.append(column)
            slopes.append(slope)
    return Gaps(np.array(watched, dtype=np.uint32), begins[watched], lengths[watched], np.array(slopes))


def _some(rng: np.random.Generator, rows: Places, most: int) -> Places:
    drawn: Places = rows[np.sort(rng.choice(rows.size, min(rows.size, most), replace=False))]
    return drawn
