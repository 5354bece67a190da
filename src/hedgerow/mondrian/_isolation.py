"""How soon a row would be alone in the trees of a Mondrian forest: what outliers are scored by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma

from hedgerow.base.decision_tree import Numbers, children_in_order, inner_levels
from hedgerow.base.rows import Floats
from hedgerow.base.work import pieces
from hedgerow.mondrian._tree_view import FIRST_COLUMN, parts_of_tree

CELLS_AT_A_TIME = 1_000_000
"""Rows times columns that are looked at together."""

FARTHEST = 1e18
"""Images of values are at most so far from 0, as in the core."""

NEGLIGIBLE = 1e-15
"""A row that is as good as certain to be alone is followed no further."""


def isolation_scores(learner: Any, X: Floats) -> Floats:
    """Return scores from -1, alone at once, to 0: ``-2 ** (-depth / mean_depth(n))`` as Liu, Ting and Zhou (2008).

    The depth is that of the row's own leaf in the tree that has learned it too: the expectation, given a tree, over the
    Mondrian process on the box that the row enlarges, then the mean over trees.
    """
    arrays, core = learner.core.archive(), learner.core
    held, queries = (_images(learner.scaling, rows) for rows in (arrays["rows.given"].reshape(-1, core.width), X))
    weights = arrays["rows.weights"] if arrays["rows.weights"].size else np.ones(held.shape[0])
    total = np.zeros(X.shape[0])
    for tree in range(core.n_trees):
        boxes = Boxes.of_tree(arrays, tree, core.n_rows, held, weights, learner.settings.lifetime)
        for part in pieces(X.shape[0], core.width, CELLS_AT_A_TIME):
            total[part] += boxes.depths(queries[part])
    usual = max(float(mean_depth(boxes.weight[:1])[0]), 1.0)
    scores: Floats = -np.exp2(-total / core.n_trees / usual)
    return scores


def mean_depth(weight: Floats) -> Floats:
    """Mean depth at which a random binary search tree ends, of so many rows: 2 H(n - 1) - 2 (n - 1) / n.

    It is 0 for one row and 1 for two. For leaves of several rows it stands for the cuts that were not made.
    """
    n = np.maximum(weight, 1.0)
    return np.asarray(2.0 * (digamma(n) + np.euler_gamma) - 2.0 * (n - 1.0) / n)


class Boxes(NamedTuple):
    """One tree in its own units; nodes stand from the root down, left before right."""

    feature: Numbers  # that is cut; negative for leaves
    threshold: Floats
    left: Numbers
    right: Numbers
    time: Floats  # of the cut; the lifetime for leaves
    lower: Floats
    upper: Floats
    weight: Floats  # of the rows

    @classmethod
    def of_tree(cls, arrays: Any, tree: int, n_rows: int, held: Floats, weights: Floats, lifetime: float) -> Boxes:
        """Return a tree out of what a file would hold, with its boxes measured."""
        kinds, locations, times, rows_of = parts_of_tree(arrays, tree, n_rows)
        feature, is_inner = kinds - FIRST_COLUMN, kinds >= FIRST_COLUMN
        left, right = children_in_order(is_inner)
        inner, leaves = np.flatnonzero(is_inner), np.flatnonzero(~is_inner)
        rows, first = np.concatenate(rows_of), np.cumsum([0, *(of_leaf.size for of_leaf in rows_of)])[:-1]
        weight = np.zeros(kinds.size)
        lower, upper = np.empty((2, kinds.size, held.shape[1]))
        weight[leaves] = np.add.reduceat(weights[rows], first)
        lower[leaves], upper[leaves] = (part.reduceat(held[rows], first) for part in (np.minimum, np.maximum))
        for level in [*inner_levels(np.column_stack([left, right]), np.zeros(1, dtype=np.int64))][::-1]:
            one, other = left[level], right[level]
            weight[level] = weight[one] + weight[other]
            lower[level] = np.minimum(lower[one], lower[other])
            upper[level] = np.maximum(upper[one], upper[other])
        threshold, time = np.zeros(kinds.size), np.full(kinds.size, lifetime)
        below, above = upper[left[inner], feature[inner]], lower[right[inner], feature[inner]]
        # The core rounds to single precision: a cut must still lie where it separates the rows.
        threshold[inner] = np.clip(locations, below, np.maximum(np.nextafter(above, -np.inf), below))
        time[inner] = times
        return cls(feature, threshold, left, right, time, lower, upper, weight)

    def depths(self, X: Floats) -> Floats:
        """Return the expected depth of the leaf that each row would have of its own.

        That is one for each node that it reaches before it is alone. In a node, cuts that separate it from all rows
        come at the rate of its distance from their box.
        """
        found, active, at = np.zeros(X.shape[0]), np.arange(X.shape[0]), np.zeros(X.shape[0], dtype=np.int64)
        chance, since = np.ones(X.shape[0]), np.zeros(X.shape[0])  # of not being alone yet; time of the last cut
        while active.size:
            x = X[active]
            outside = np.maximum(self.lower[at] - x, 0.0) + np.maximum(x - self.upper[at], 0.0)
            distance = np.cumsum(outside, axis=1)[:, -1]  # not a sum, whose last bits may depend on the other rows
            is_leaf = self.feature[at] < 0
            ends = np.flatnonzero(is_leaf)
            found[active[ends]] += chance[ends] * self._in_leaves(at[ends], distance[ends], since[ends])
            goes_on = np.flatnonzero(~is_leaf)
            active, at, x, distance = active[goes_on], at[goes_on], x[goes_on], distance[goes_on]
            chance, since = chance[goes_on], since[goes_on]
            found[active] += chance
            chance = chance * np.exp(-distance * (self.time[at] - since))
            since, cut = self.time[at], self.feature[at]
            goes_left = x[np.arange(active.size), cut] <= self.threshold[at]
            at = np.where(goes_left, self.left[at], self.right[at])
            goes_on = np.flatnonzero(chance > NEGLIGIBLE)
            active, at, chance, since = active[goes_on], at[goes_on], chance[goes_on], since[goes_on]
        return found

    def _in_leaves(self, leaf: Numbers, distance: Floats, since: Floats) -> Floats:
        """Return the expected depth below leaves that rows reach.

        The next cut is the row's own in proportion to its distance from the box, or goes among the rows of the leaf in
        proportion to their box, if it comes within the lifetime. Then, or if none comes, the row is one among many.
        """
        length = np.cumsum(self.upper[leaf] - self.lower[leaf], axis=1)[:, -1]
        is_new, rate = distance > 0.0, distance + length
        with np.errstate(invalid="ignore"):
            comes = np.where(is_new, -np.expm1(-rate * (self.time[leaf] - since)), 0.0)
        alone = comes * distance / np.where(is_new, rate, 1.0)
        among = mean_depth(self.weight[leaf] + is_new)
        depth: Floats = alone + (1.0 - alone) * among
        return depth


def _images(scaling: Any, X: Floats) -> Floats:
    """Return rows in the units of the trees."""
    images = np.empty(X.shape)
    for column in range(X.shape[1]):
        images[:, column] = scaling.image(column, X[:, column])
    return images.clip(-FARTHEST, FARTHEST)
