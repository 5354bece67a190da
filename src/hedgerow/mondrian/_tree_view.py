"""One tree of a Mondrian forest as plain arrays, in the user's units, read from what a file would hold of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hedgerow.base.decision_tree import (
    NO_FEATURE,
    NO_THRESHOLD,
    DecisionTree,
    Numbers,
    children_in_order,
    summed_below,
)
from hedgerow.base.rows import Floats, Rows
from hedgerow.files.codec import Arrays

ONE_ROW, FIRST_COLUMN = 0, 2
"""Kinds of nodes: a leaf of one row, another leaf, and from 2 on the axis that is cut."""


def view_of_tree(
    learner: Any,
    tree: int,
    values_of: Callable[[Floats], Floats],
    leaf_words: Callable[[Any, int], str],
    names: list[str],
) -> DecisionTree:
    """Return a tree; `values_of` turns targets or numbers of classes into what is averaged over the rows of nodes."""
    arrays = learner.core.archive()
    kinds, locations, times, rows_of = parts_of_tree(arrays, tree, learner.core.n_rows)
    feature = np.where(kinds < FIRST_COLUMN, NO_FEATURE, kinds - FIRST_COLUMN)
    is_inner = feature >= 0
    left, right = children_in_order(is_inner)
    n, width = feature.size, learner.core.width
    weights = arrays["rows.weights"]
    held = Rows(arrays["rows.given"].reshape(-1, width), arrays["rows.labels"], weights)
    place = np.concatenate(rows_of)
    given: Rows = learner.labels.as_given(held.part(place))
    node_of = np.repeat(np.flatnonzero(~is_inner), [rows.size for rows in rows_of])
    values = values_of(given.y)
    heavy = given.weights if given.weights.size else np.ones(place.size)
    counts, weight, total = np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros((n, values.shape[1]))
    lower, upper = np.full((n, width), np.inf), np.full((n, width), -np.inf)
    np.add.at(counts, node_of, 1)
    np.add.at(weight, node_of, heavy)
    np.add.at(total, node_of, heavy[:, None] * values)
    np.minimum.at(lower, node_of, given.X)
    np.maximum.at(upper, node_of, given.X)
    counts, weight, total = (summed_below(left, right, part) for part in (counts, weight, total))
    for node in np.flatnonzero(is_inner)[::-1]:  # children come after their parents
        below = [left[node], right[node]]
        lower[node], upper[node] = lower[below].min(axis=0), upper[below].max(axis=0)
    value = total / weight[:, None]
    threshold, time = np.full(n, NO_THRESHOLD), np.full(n, learner.settings.lifetime)
    inner = np.flatnonzero(is_inner)
    cut = feature[inner]
    found = np.array([_in_user_units(arrays, axis, at) for axis, at in zip(cut, locations, strict=True)])
    # Rounded, a cut must still lie where it separates the rows.
    above = np.nextafter(lower[right[inner], cut], -np.inf)
    threshold[inner] = np.clip(found, upper[left[inner], cut], np.maximum(above, upper[left[inner], cut]))
    time[inner] = times
    words = ["" if is_inner[node] else leaf_words(value[node], int(counts[node])) for node in range(n)]
    return DecisionTree(feature, threshold, left, right, words, names, np.nan, counts, value, time, lower, upper)


def parts_of_tree(arrays: Arrays, tree: int, n_rows: int) -> tuple[Numbers, Floats, Floats, list[Numbers]]:
    """Kinds of nodes from the root down, left before right; places and times of cuts; rows of each leaf."""
    n_cuts = arrays["trees.n_cuts"].astype(np.int64)
    nodes, cuts = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (1 + 2 * n_cuts, n_cuts))
    all_kinds = arrays["nodes.kind"].astype(np.int64)
    own = slice(nodes[tree], nodes[tree + 1])
    kinds = all_kinds[own]
    n_before = int((all_kinds[: own.start] == ONE_ROW + 1).sum())
    sizes = np.ones((kinds < FIRST_COLUMN).sum(), dtype=np.int64)
    is_larger = kinds[kinds < FIRST_COLUMN] != ONE_ROW
    sizes[is_larger] = arrays["leaves.n_rows"][n_before : n_before + is_larger.sum()]
    rows = arrays["leaves.rows"].astype(np.int64)[tree * n_rows : (tree + 1) * n_rows]
    of_cuts = slice(cuts[tree], cuts[tree + 1])
    locations, times = (arrays[f"cuts.{name}"][of_cuts].astype(np.float64) for name in ("location", "time"))
    return kinds, locations, times, np.split(rows, np.cumsum(sizes)[:-1])


def _in_user_units(arrays: Arrays, axis: int, location: float) -> float:
    """Return where a cut lies on an axis as the user has it."""
    knots = slice(*arrays["scaling.first_knot"][axis : axis + 2].astype(np.int64))
    values, images = arrays["scaling.values"][knots], arrays["scaling.images"][knots]
    beyond = location - np.clip(location, images[0], images[-1])
    return float(np.interp(location, images, values) + beyond / arrays["scaling.slopes"][axis])
