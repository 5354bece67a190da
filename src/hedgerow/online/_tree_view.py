"""Trees of online forests as plain arrays, in the user's units, read from what a file would hold of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.base.decision_tree import (
    NO_CHILD,
    NO_FEATURE,
    NO_THRESHOLD,
    DecisionTree,
    leaf_words,
    mean_below,
    summed_below,
    tree_number,
)
from hedgerow.base.rows import Floats
from hedgerow.files.codec import Arrays

NO_COLUMN = 2**32 - 1
"""The column of a leaf."""

LARGEST = float(np.finfo(np.float32).max)


class TreesToLookAt:
    """The part of an online forest that shows its trees."""

    def tree(self: Any, index: int) -> DecisionTree:
        """Return a tree to be looked at: arrays in scikit-learn's shape; ``to_text`` draws it.

        Thresholds are in the user's units, on the axes of `axis_names_`. Rows below a node are those that its leaves
        have seen since they were made, inherited rows included; `value` is the weighted mean of their targets, which
        is what a leaf predicts unless it is linear. Costs a copy of the forest.
        """
        self._check_learned()
        core = self._learner.core
        return _view_of_tree(core.archive(), tree_number(index, core.n_trees), self.axis_names_)


def _view_of_tree(arrays: Arrays, number: int, names: list[str]) -> DecisionTree:
    nodes, leaves = _places(arrays, number)
    feature = arrays["nodes.feature"][nodes].astype(np.int64)
    link = arrays["nodes.link"][nodes].astype(np.int64)
    is_leaf = feature == NO_COLUMN
    inner, place = np.flatnonzero(~is_leaf), np.flatnonzero(is_leaf)
    threshold = np.full(feature.size, NO_THRESHOLD)
    threshold[inner] = _in_user_units(arrays["nodes.threshold"][nodes][inner], arrays["origin"][feature[inner]])
    left, right = np.where(is_leaf, NO_CHILD, link), np.where(is_leaf, NO_CHILD, link + 1)
    n_leaves = (arrays["nodes.feature"] == NO_COLUMN).sum()  # in all trees
    counters, moments = (arrays[f"leaves.{part}"].reshape(n_leaves, -1)[leaves] for part in ("counters", "moments"))
    weight, mean, _, expected, _ = moments[link[place]].T
    counts, weights, value = np.zeros(feature.size, dtype=np.int64), np.zeros(feature.size), np.zeros((feature.size, 1))
    counts[place], weights[place] = counters[link[place], 0], weight
    value[place, 0] = np.where(weight > 0.0, mean, expected)  # before its first row, a leaf predicts as its parent did
    counts, value = summed_below(left, right, counts), mean_below(left, right, weights, value)
    words = [leaf_words(value[node], int(counts[node])) if is_leaf[node] else "" for node in range(feature.size)]
    feature[place] = NO_FEATURE
    return DecisionTree(feature, threshold, left, right, words, names, n_node_samples=counts, value=value)


def _places(arrays: Arrays, number: int) -> tuple[slice, slice]:
    """Where the nodes and the leaves of a tree are; trees in the background follow those that they may replace."""
    has_background = arrays["slots"].reshape(-1, 4)[:, 3].astype(np.int64)
    at = number + int(has_background[:number].sum())
    ends = np.concatenate([[0], np.cumsum(arrays["trees"].astype(np.int64))])
    begin, end = int(ends[at]), int(ends[at + 1])
    return slice(begin, end), slice((begin + at) // 2, (end + at + 1) // 2)  # a tree has one leaf more than splits


def _in_user_units(threshold: Any, origin: Floats) -> Floats:
    """Return the largest values, about, that go left.

    The core compares differences from an origin, rounded to single precision: all that are rounded to the threshold, or
    to less, go left.
    """
    with np.errstate(over="ignore"):
        above = np.nextafter(threshold, np.float32(np.inf)).astype(np.float64)
    middle = 0.5 * threshold.astype(np.float64) + 0.5 * np.minimum(above, LARGEST)
    found: Floats = origin + np.nextafter(middle, -np.inf)
    while (goes_right := np.clip(found - origin, -LARGEST, LARGEST).astype(np.float32) > threshold).any():
        found[goes_right] = np.nextafter(found[goes_right], -np.inf)
    return found
