"""What stages see of categories: an indicator each if they are few, and otherwise how their rows differ from others.

A column with many categories becomes a few numbers: the mean label of the category's rows, and the mean of what a ridge
regression on the other columns leaves over, both shrunk towards the mean of all rows as much as their spread suggests
(Efron and Morris 1975). A row must not see its own label there. So rows are assigned to folds, and a row that is
learned sees means without its fold: the same number for all rows of the fold and the category (Micci-Barreca 2001;
Pargent et al. 2022). A row to be predicted sees the means of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import Copies
from hedgerow.base.rows import Floats, Rows
from hedgerow.boosting._ridge import fit_ridge
from hedgerow.files import Stored
from hedgerow.mondrian._new_categories import few_effects

FEW = 4
"""Up to so many categories have an indicator each."""

N_FOLDS = 20
DISGUISE = 2.0
"""Noise in the means of folds, in units of their own spread."""

ORDERS = np.array([1.0, 2.0**17 - 1.0, 2.0**23 + 9.0])
"""Random places times these, less their whole parts, are random places again: as many orders of categories."""

UNKNOWN = -1.0
"""The place of categories that are unknown, in all orders."""

MOST_COMPONENTS = 3
"""Of labels that are vectors, so many principal components at most have means."""

MOST_SHRINKAGE = 1e9

FEWEST_ALONE = 30
"""If so many rows are alone in their category, stages learn from them what an unseen one is like."""

NONE = -1

Folds = npt.NDArray[np.intp]


class CategoryColumn(NamedTuple):
    """The categories of one column, known by their places, and what stages see of them."""

    axis: int
    places: Floats  # in order
    means: Floats  # (category, none or fold left out, number); no numbers if each category has an indicator
    share: float = 0.0  # of the labels' variance that lies between categories, and is unknown of an unseen one
    typical: int = NONE  # the category that an unseen one is taken for, by its number; or none

    @property
    def width(self) -> int:
        """How many axes it becomes."""
        n = self.places.size
        return self.means.shape[2] or (1 if n <= 2 else n)

    def axes(self, X: Floats, folds: Folds | int = 0) -> Floats:
        """Return its axes; without their folds for rows that have one."""
        if not self.places.size:  # a category for every row
            return np.zeros((X.shape[0], self.width))
        level, is_known = self._found(X)
        if self.means.shape[2]:
            return np.where(is_known[:, None], self.means[level, folds], 0.0)
        taken_for = np.where(is_known, level, self.typical)
        indicators: Floats = (taken_for[:, None] == np.arange(self.places.size)).astype(np.float64)
        return indicators[:, self.places.size - self.width :]

    def orders(self, X: Floats) -> Floats:
        """Return its axes for stages that may see nothing of labels: indicators, or random orders of many."""
        if not self.places.size or not self.means.shape[2]:
            return self.axes(X)
        level, is_known = self._found(X)
        of_unknown = UNKNOWN if self.typical == NONE else np.modf(self.places[self.typical] * ORDERS)[0]
        return np.where(is_known[:, None], np.modf(self.places[level][:, None] * ORDERS)[0], of_unknown)

    def names(self, name: str, n: int, word: str) -> list[str]:
        """Return what so many of its axes may be called, which are indicators or what `word` names."""
        what = word if self.means.shape[2] else "category"
        return [f"{name} ({what} {number})" for number in range(1, n + 1)]

    def is_unseen(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Whether the category of each row was not seen in training."""
        return ~self._found(X)[1] if self.places.size else np.ones(X.shape[0], dtype=bool)

    def _found(self, X: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """Return the number of each row's category, and whether it is known."""
        places = X[:, self.axis]
        level = np.searchsorted(self.places, places).clip(max=self.places.size - 1)
        return level, self.places[level] == places


@dataclass(frozen=True)
class CategoryAxes:
    """All columns of categories; `width` is the number of columns that rows had when they were learned."""

    columns: tuple[CategoryColumn, ...]
    width: int
    seed: int
    variance: Floats = field(default_factory=lambda: np.zeros(1))  # of the labels that stages learn, one each

    def added_variance(self, X: Floats) -> Floats:
        """Variance of the labels of each row that categories not seen in training leave unknown."""
        share = np.zeros(X.shape[0])
        for column in self.columns:  # the largest, not the sum: columns that are new together mostly have one effect
            share = np.maximum(share, column.share * column.is_unseen(X))
        return share[:, None] * self.variance

    def axes(self, X: Floats) -> Floats:
        """Return what stages see of rows; of columns that have come since, nothing."""
        return self._axes(X, 0)

    def axes_left_out(self, X: Floats, copies: Copies) -> Floats:
        """Return what stages have seen of the rows that were learned."""
        return self._axes(X, 1 + _folds(X.shape[0], copies, self.seed))

    def plain(self, X: Floats) -> Floats:
        """Return what stages see of rows that may see nothing of labels."""
        if not self.columns:
            return self.axes(X)
        seen = [X[:, self._others], *(column.orders(X) for column in self.columns)]
        return np.ascontiguousarray(np.column_stack(seen))

    @property
    def n_plain(self) -> int:
        """How many columns that is."""
        return int(self.plain(np.zeros((1, self.width))).shape[1])

    @property
    def n_numbers(self) -> int:
        """How many columns hold numbers, not categories; they come first."""
        return self.width - len(self.columns)

    @property
    def n_axes(self) -> int:
        """How many columns stages see."""
        return self.n_numbers + sum(column.width for column in self.columns)

    def names(self, of_columns: list[str]) -> tuple[list[str], list[str]]:
        """Return what axes, and plain columns, may be called, given the names of the columns of rows."""
        axes = [of_columns[other] for other in self._others]
        plain, one_row = axes.copy(), np.zeros((1, self.width))
        for column in self.columns:
            name = of_columns[column.axis]
            axes += column.names(name, column.width, "mean")
            plain += column.names(name, column.orders(one_row).shape[1], "order")
        return axes, plain

    def by_column(self, of_axes: Floats, of_plain: Floats, width: int) -> Floats:
        """Add up shares of axes and of plain columns for each column of the rows, of which there are `width`."""
        found, others, one_row = np.zeros(width), self._others, np.zeros((1, self.width))
        found[others] = of_axes[: others.size] + of_plain[: others.size]
        begin = first = others.size
        for column in self.columns:
            end, last = begin + column.width, first + column.orders(one_row).shape[1]
            found[column.axis] = of_axes[begin:end].sum() + of_plain[first:last].sum()
            begin, first = end, last
        return found

    @property
    def _others(self) -> npt.NDArray[np.intp]:
        return np.setdiff1d(np.arange(self.width), [column.axis for column in self.columns])

    def _axes(self, X: Floats, folds: Folds | int) -> Floats:
        if not self.columns:
            return X if X.shape[1] == self.width else np.ascontiguousarray(X[:, : self.width])
        seen = [X[:, self._others], *(column.axes(X, folds) for column in self.columns)]
        return np.ascontiguousarray(np.column_stack(seen))

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        columns = [column._asdict() for column in self.columns]
        return {"columns": columns, "width": self.width, "seed": self.seed, "variance": self.variance}

    @classmethod
    def from_state(cls, stored: Stored, width: int, n_labels: int) -> CategoryAxes:
        """Take back what `state` gave, for rows of so many columns and labels of so many components."""
        own = stored.integer("width", 1, width)
        columns = []
        for part in stored.parts("columns"):
            places = part.array("places")
            means = part.array("means", (places.size, 1 + N_FOLDS, None))
            if not (np.diff(places) > 0).all():
                raise ValueError("its categories are not in order")
            share = part.number("share", 0.0, 1.0)
            typical = part.integer("typical", NONE, places.size - 1) if "typical" in part else NONE
            columns.append(CategoryColumn(part.integer("axis", 0, own - 1), places, means, share, typical))
        if len({column.axis for column in columns}) < len(columns):
            raise ValueError("two columns of categories are one")
        variance = stored.array("variance", (n_labels,))
        if (variance < 0).any():
            raise ValueError("a variance is negative")
        return cls(tuple(columns), own, stored.integer("seed", 0, 2**64 - 1), variance)


def no_categories(width: int) -> CategoryAxes:
    """Return what leaves rows of so many columns as they are."""
    return CategoryAxes((), width, 0)


def learn_categories(rows: Rows, copies: Copies, axes: tuple[int, ...], seed: int) -> CategoryAxes:
    """Learn to encode the categories in some columns of rows, whose labels are numbers or vectors."""
    X, labels, weights = rows[0], rows.y.reshape(rows.y.shape[0], -1), rows.weights
    found = {axis: np.unique(X[:, axis], return_inverse=True, return_counts=True) for axis in axes}
    few = [axis for axis in axes if found[axis][0].size <= FEW or labels.shape[1] == 0]
    columns = {axis: CategoryColumn(axis, found[axis][0], _no_means(found[axis][0].size)) for axis in few}
    if labels.shape[1] == 0:
        return CategoryAxes(tuple(columns[axis] for axis in axes), X.shape[1], seed)
    weights = weights if weights.size else np.ones(X.shape[0])
    labels, folds = _principal(labels, weights), _folds(X.shape[0], copies, seed)
    numbers = X[:, np.setdiff1d(np.arange(X.shape[1]), axes)]
    plain = np.column_stack([numbers, *(columns[axis].axes(X) for axis in few)])
    if len(few) < len(axes):
        left = fit_ridge(plain, labels, weights, copies.groups)[1] if plain.shape[1] else labels
        averaged = np.column_stack([labels, left]) if plain.shape[1] else labels
    for axis in (axis for axis in axes if axis not in few):
        places, level, n_rows = found[axis]
        means = _means(averaged, weights, level, places.size, folds)
        _disguise(means, level, folds, seed + axis)
        is_encoded = n_rows > 1  # to its row, a category with one row is like an unseen one
        columns[axis] = CategoryColumn(axis, places[is_encoded], means[is_encoded])
    parts = [numbers, *(columns[axis].axes(X, 1 + folds) for axis in axes)]
    for axis, left in zip(axes, _left_by_others(parts, labels, weights, copies), strict=True):
        columns[axis] = _with_unseen(columns[axis], left, labels, weights, *found[axis][1:])
    return CategoryAxes(tuple(columns[axis] for axis in axes), X.shape[1], seed)


def _left_by_others(parts: list[Floats], labels: Floats, weights: Floats, copies: Copies) -> Iterator[Floats]:
    """Yield what a ridge regression on all parts leaves over of labels without each part but the first."""
    everything = np.column_stack(parts)
    ridge, left = fit_ridge(everything, labels, weights, copies.groups)
    standardised = (everything - ridge.centre) / ridge.scale
    begin = parts[0].shape[1]
    for part in parts[1:]:
        own = slice(begin, begin + part.shape[1])
        yield left + standardised[:, own] @ ridge.slopes[own]
        begin = own.stop


def _no_means(n: int) -> Floats:
    return np.empty((n, 1 + N_FOLDS, 0))


def _folds(n: int, copies: Copies, seed: int) -> Folds:
    """Assign rows to folds at random, copies to the same."""
    fold = np.random.default_rng([seed, 3]).integers(0, N_FOLDS, n)
    return fold[copies.groups] if copies.groups.size else fold


def _principal(labels: Floats, weights: Floats) -> Floats:
    """Return labels from their mean, or their principal components if they have many."""
    centred: Floats = labels - np.average(labels, axis=0, weights=weights)
    if labels.shape[1] <= MOST_COMPONENTS:
        return centred
    _, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    components: Floats = centred @ vectors[:, -MOST_COMPONENTS:]
    return components


def _means(averaged: Floats, weights: Floats, level: npt.NDArray[np.intp], n: int, folds: Folds) -> Floats:
    """Return shrunk means of each category: over all rows, and over those outside each fold."""
    cell = level * N_FOLDS + folds
    count = np.bincount(cell, weights=weights, minlength=n * N_FOLDS).reshape(n, N_FOLDS)
    counts = np.column_stack([count.sum(axis=1), count.sum(axis=1, keepdims=True) - count])
    found = np.empty((n, 1 + N_FOLDS, averaged.shape[1]))
    for number, values in enumerate(averaged.T):
        total = np.bincount(cell, weights=weights * values, minlength=n * N_FOLDS).reshape(n, N_FOLDS)
        totals = np.column_stack([total.sum(axis=1), total.sum(axis=1, keepdims=True) - total])
        found[:, :, number] = totals / (counts + _shrinkage(values, weights, level, totals[:, 0], counts[:, 0]))
    return found


def _disguise(means: Floats, level: npt.NDArray[np.intp], folds: Folds, seed: int) -> None:
    """Add noise to the means without a fold, some times as large as they differ by within a category.

    In a category, the mean without a fold is low where the targets of the fold are high. Its order among the others
    would show a row's own target, and stages would learn to read it. The noise hides the order; next to what a mean of
    so many rows is uncertain by, it is small.
    """
    n, n_left_out = means.shape[:2]
    has_rows = np.zeros((n, n_left_out - 1, 1))
    has_rows[level, folds] = 1.0
    n_folds, without = has_rows.sum(axis=1, keepdims=True), means[:, 1:]
    middle = (without * has_rows).sum(axis=1, keepdims=True) / n_folds
    spread = np.sqrt(((without - middle) ** 2 * has_rows).sum(axis=1, keepdims=True) / n_folds)
    drawn = np.random.default_rng([seed, 4]).standard_normal((n, n_left_out - 1, 1))
    means[:, 1:] += DISGUISE * spread * drawn


def _shrinkage(values: Floats, weights: Floats, level: npt.NDArray[np.intp], totals: Floats, counts: Floats) -> float:
    """How many rows of no effect each category is mixed with: the variance within over that between categories."""
    unit = float(weights.sum()) / values.size  # weights in units of their mean
    within, between = _variances(values, weights / unit, level, totals / counts, counts / unit)
    if not between > 0.0:
        return MOST_SHRINKAGE * unit
    return float(np.clip(within / between, 1.0, MOST_SHRINKAGE)) * unit


def _variances(
    values: Floats, weights: Floats, level: npt.NDArray[np.intp], means: Floats, counts: Floats
) -> tuple[float, float]:
    """Return the variance within and between categories, of which the means and the numbers of rows are given."""
    n, n_rows = counts.size, values.size
    spare = n_rows - float(counts @ counts) / n_rows
    within = float(weights @ (values - means[level]) ** 2) / max(n_rows - n, 1)
    if n >= n_rows or not spare > 0.0:
        return within, 0.0
    return within, max(0.0, (float(counts @ means**2) - n * within) / spare)


def _with_unseen(
    column: CategoryColumn,
    left: Floats,
    labels: Floats,
    weights: Floats,
    level: npt.NDArray[np.intp],
    n_rows: npt.NDArray[np.intp],
) -> CategoryColumn:
    """Learn what an unseen category may be like, from what all other columns leave over of the labels.

    Its effect is as uncertain as the effects of those seen differ; from k of them, that is known as well as a variance
    is from k observations. Stages that must see some category see the one with the least effect in its stead.
    """
    weights = weights * (weights.size / weights.sum())
    counts: Floats = np.bincount(level, weights=weights).astype(np.float64)
    between, squares = 0.0, np.zeros(counts.size)
    for values in left.T:
        means = np.bincount(level, weights=weights * values) / counts
        within, of_values = _variances(values, weights, level, means, counts)
        between += of_values
        squares += (means - weights @ values / weights.sum()) ** 2 + within / counts
    total = float(weights @ (labels**2).sum(axis=1)) / labels.shape[0]
    alone = float((n_rows == 1).sum())  # such rows have no mean either, and leave-one-out has seen what that does
    k = max(column.places.size, 1)
    wider = (1.0 + 1.0 / k) * few_effects(k)  # the mean of all effects is not known either
    share = (1.0 - alone / level.size) * between * wider / total if total > 0.0 else 0.0
    if alone >= FEWEST_ALONE or not column.places.size:
        return column._replace(share=min(share, 1.0))
    is_encoded = n_rows > 1 if column.means.shape[2] else np.ones(n_rows.size, dtype=bool)
    return column._replace(share=min(share, 1.0), typical=int(np.argmin(squares[is_encoded])))
