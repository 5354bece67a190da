"""How much wider predictions must be for categories that no row has.

A new category is taken for a draw from those that are known. Each of these is left out in turn, with all of its rows:
Mondrian trees on rows whose labels are struck out are trees that have never seen the labels, so none is grown for
this. Their squared errors are compared with the variances predicted for the same rows in a category whose places are
random. The difference is the variance that is added for a new category.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from hedgerow.base.copies import Numbers
from hedgerow.numeric.arrays import Floats

FEWEST_ROWS = 100
"""With fewer rows nothing is learned of new categories."""

N_TREES, FEWEST_TREES, MOST_PREDICTIONS = 10, 2, 60_000
"""Trees that predict, at most and at least, and between these limits rows times trees at most."""

N_BLOCKS = 10
"""Categories are left out in so many blocks at most."""

MOST_COLUMNS = 8
"""Columns of categories that are considered: those by which labels differ most."""

TYPICAL_ROWS = 10.0
"""A category with so many rows counts half of what one with very many does."""

MOST_ROWS = 1000
"""Rows that are left out, at most."""

NO_BLOCK = 2**32 - 1

CategoryAxes = tuple[tuple[int, ...], ...]
"""Of each column of categories, its axes; the first separates categories."""


def category_axes_in(stored: list[Any], width: int) -> CategoryAxes:
    """Take back the axes of columns of categories from a file, or ValueError; there are so many axes in all."""
    axes = [axis for own in stored if isinstance(own, list) for axis in own]
    if not all(isinstance(own, list) and own for own in stored) or len(set(map(repr, axes))) < len(axes):
        raise ValueError("its axes of categories are not axes")
    if any(type(axis) is not int or not 0 <= axis < width for axis in axes):
        raise ValueError("its axes of categories are not axes")
    return tuple(tuple(own) for own in stored)


def n_trees_used(n_trees: int, n_rows: int) -> int:
    """How many of the trees predict rows that are left out."""
    return min(n_trees, N_TREES, max(FEWEST_TREES, MOST_PREDICTIONS // n_rows))


class NewCategories(NamedTuple):
    """Columns of categories, and the variance added where the category is new."""

    axes: CategoryAxes = ()
    variances: tuple[float, ...] = ()


class CategoriesLeftOut(NamedTuple):
    """Some of the rows that a model holds, and its predictions for them; a column for each of several targets."""

    X: Floats
    numbers: npt.NDArray[np.intp]  # of these rows among all that are held
    groups: Numbers  # copies among all rows, or none
    variances: Callable[[Floats], Floats]  # predicted for these rows if some of their values are others
    leave_out: Callable[[Numbers, int], Floats]  # squared errors, the rows of each of so many blocks left out together


def learn_new_categories(
    left_out: CategoriesLeftOut, axes: CategoryAxes, importances: Floats, values: Floats, seed: int
) -> NewCategories:
    """Learn the variance to add for new categories, column by column; `values` are those of all rows held."""
    if len(values) < FEWEST_ROWS:
        return NewCategories()
    by_importance = sorted(axes, key=lambda own: -importances[list(own)].max())[:MOST_COLUMNS]
    found = {}
    for own in by_importance:
        rng, as_new = np.random.default_rng([seed, own[0]]), left_out.X.copy()
        as_new[:, own] = rng.random((len(as_new), len(own)))
        found[own] = _variance(values[:, own[0]], left_out, left_out.variances(as_new), rng)
    kept = tuple(own for own in axes if found.get(own, 0.0) > 0.0)
    return NewCategories(kept, tuple(found[own] for own in kept))


def few_effects(k: int) -> float:
    """By how much a normal distribution must have a larger variance than k effects to cover 90 % of others."""
    return float(special.stdtrit(k - 1, 0.95) / special.ndtri(0.95)) ** 2 if k > 1 else 0.0


def _variance(places: Floats, rows: CategoriesLeftOut, predicted: Floats, rng: np.random.Generator) -> float:
    """Return by how much errors exceed the variances predicted for new categories; 0 if categories may not matter.

    They do if errors are larger than where as many rows are left out at random. Categories whose rows are more than
    half of all stay: what is left without them is too little.
    """
    _, level, n_rows = np.unique(places, return_inverse=True, return_counts=True)
    k, may_go = n_rows.size, 2 * n_rows <= places.size
    if k < 2:
        return 0.0
    n_blocks = min(int(may_go.sum()), N_BLOCKS)
    block = np.where(may_go, np.cumsum(may_go) % n_blocks, NO_BLOCK).astype(np.uint32)[level]
    is_out = block[rows.numbers] != NO_BLOCK
    level = level[rows.numbers][is_out]
    if not level.size:
        return 0.0
    groups = rows.groups if rows.groups.size else np.arange(places.size)
    at_random = rng.choice(block[block != NO_BLOCK], int(groups.max()) + 1)[groups]  # copies together
    of_categories, usual = rows.leave_out(block, n_blocks), rows.leave_out(at_random, n_blocks)
    gain, error = _over_categories((of_categories - usual)[is_out], level)
    missing, _ = _over_categories((of_categories - predicted)[is_out], level)
    return few_effects(k) * max(min(gain, missing), 0.0) if gain > error else 0.0


def _over_categories(values: Floats, level: npt.NDArray[np.intp]) -> tuple[float, float]:
    """Mean of the means of categories, those of many rows counting more, and its standard error."""
    counts = np.bincount(level)
    has_rows = counts > 0
    counts = counts[has_rows]
    means = np.bincount(level, weights=values.reshape(level.size, -1).mean(axis=1))[has_rows] / counts
    weights = counts / (counts + TYPICAL_ROWS)
    weights = weights / weights.sum()
    mean = float(weights @ means)
    return mean, math.sqrt(float(weights**2 @ (means - mean) ** 2))
