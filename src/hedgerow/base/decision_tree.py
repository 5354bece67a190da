"""One decision tree, to be looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole

Numbers = npt.NDArray[np.int64]

NO_CHILD, NO_FEATURE, NO_THRESHOLD = -1, -2, -2.0
"""What leaves have, as in scikit-learn's arrays."""


@dataclass(frozen=True)
class DecisionTree:
    """One tree of a model, as plain arrays in the shape that scikit-learn gives them; to be looked at.

    Attributes
    ----------
    feature : array of int
        Axis that each node splits; -2 for a leaf. Node 0 is the root, and children come after their parents.
    threshold : array of float
        Rows with ``x[feature] <= threshold`` go left; -2 for a leaf.
    left, right : arrays of int
        Children of each node; -1 for a leaf. Also as `children_left` and `children_right`, as scikit-learn has them.
    words : list of str
        What each leaf predicts, in words; empty for the others.
    feature_names : list of str
        Names of the axes, as `axis_names_` of the model has them: columns, parts of dates, places of categories. Stages
        of a boosting have their own.
    log_probability : float
        Of a Bayesian tree: logarithm of the prior probability of the tree's partition of the rows times the likelihood
        of their labels.
    n_node_samples : array of int, optional
        Rows below each node, as far as the model holds them or has counted them. Bayesian trees count a row by
        its weight; sums of these are rounded.
    value : array of shape (n_nodes, n_outputs), optional
        Mean of the targets of these rows; or the share of each class. Of sums of trees: what a leaf adds to the sum,
        and the mean of that over the rows below a node.
    time : array of float, optional
        Of a Mondrian tree: when each node is split; the lifetime for a leaf.
    lower, upper : arrays of shape (n_nodes, n_axes), optional
        Of a Mondrian tree: the box of each node, within which its rows lie.
    """

    feature: Numbers
    threshold: Floats
    left: Numbers
    right: Numbers
    words: list[str]
    feature_names: list[str]
    log_probability: float = math.nan
    n_node_samples: Numbers | None = None
    value: Floats | None = None
    time: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None

    @property
    def children_left(self) -> Numbers:
        """Left child of each node; -1 for a leaf."""
        return self.left

    @property
    def children_right(self) -> Numbers:
        """Right child of each node; -1 for a leaf."""
        return self.right

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.feature < 0).sum())

    @property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        depth = np.zeros(self.feature.size, dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0):  # parents come before their children
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return int(depth.max())

    def question(self, node: int) -> str:
        """Return the condition of an inner node, or the value of a leaf."""
        if self.feature[node] < 0:
            return self.words[node]
        return f"{self.feature_names[self.feature[node]]} <= {self.threshold[node]:.6g}"

    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree as lines of text, those below a depth left out if one is given."""
        return "\n".join(self._lines(math.inf if max_depth is None else max_depth))

    def __str__(self) -> str:
        return self.to_text()

    def _lines(self, max_depth: float) -> Iterator[str]:
        pending = [(0, "", "", 0)]
        while pending:
            node, indent, branch, depth = pending.pop()
            is_cut_off = self.feature[node] >= 0 and depth >= max_depth
            yield f"{indent}{branch}{'...' if is_cut_off else self.question(node)}"
            if self.feature[node] < 0 or is_cut_off:
                continue
            below = indent + {"": "", "├ yes: ": "│ ", "└ no:  ": "  "}[branch]
            for child, mark in ((self.right[node], "└ no:  "), (self.left[node], "├ yes: ")):
                pending.append((int(child), below, mark, depth + 1))


def tree_number(index: Any, n_trees: int, what: str = "tree") -> int:
    """Return the number of a tree, or of `what` else, counted from the end if it is negative, or raise ValueError."""
    if not is_whole(index) or not -n_trees <= index < n_trees:
        raise ValueError(f"there is no {what} {index!r}: {what}s have numbers from 0 to {n_trees - 1}")
    return int(index) % n_trees


def leaf_words(value: Floats, n_rows: int) -> str:
    """Say what the rows of a leaf have."""
    return f"{', '.join(f'{number:.4g}' for number in value)}, {n_rows} row{'s' * (n_rows != 1)}"


def children_in_order(is_inner: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Left and right child of nodes that stand from the root down, each followed by all nodes on its left."""
    left, right = np.full((2, is_inner.size), NO_CHILD, dtype=np.int64)
    inner, n = np.flatnonzero(is_inner), is_inner.size
    # After a node and all that is below it, one fewer is awaited than before. So what is right of a node comes after
    # the first place behind it where one fewer is awaited than at the node itself.
    awaited = np.cumsum(np.where(is_inner, 1, -1)) + n + 1
    in_order = np.sort(awaited * n + np.arange(n))
    left[inner] = inner + 1
    right[inner] = in_order[np.searchsorted(in_order, (awaited[inner] - 1) * n + inner)] % n + 1
    return left, right


def inner_levels(children: Numbers, roots: Numbers) -> Iterator[Numbers]:
    """Yield the nodes of each depth that have children; `children` has shape (n_nodes, 2)."""
    nodes = roots
    while (nodes := nodes[children[nodes, 0] >= 0]).size:
        yield nodes
        nodes = children[nodes].ravel()


def leaves_of(feature: Numbers, threshold: Floats, left: Numbers, right: Numbers, X: Floats) -> Numbers:
    """Return the leaf into which each row falls."""
    at = np.zeros(X.shape[0], dtype=np.int64)
    walking = np.arange(X.shape[0])
    while (walking := walking[feature[at[walking]] >= 0]).size:
        node = at[walking]
        goes_left = X[walking, feature[node]] <= threshold[node]
        at[walking] = np.where(goes_left, left[node], right[node])
    return at


def summed_below(left: Numbers, right: Numbers, of_leaves: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return what leaves have, added up at each node above them."""
    total = of_leaves.copy()
    for node in np.flatnonzero(left >= 0)[::-1]:  # children come after their parents
        total[node] = total[left[node]] + total[right[node]]
    return total


def mean_below(left: Numbers, right: Numbers, counts: Floats | Numbers, of_leaves: Floats) -> Floats:
    """Return the mean of what leaves have over the rows below each node; `counts` are those of leaves, or weights."""
    weights = np.where(left < 0, counts, 0)[:, None].astype(np.float64)
    rows = summed_below(left, right, weights)
    mean = summed_below(left, right, weights * of_leaves) / np.where(rows > 0, rows, 1.0)
    found: Floats = np.where(left[:, None] < 0, of_leaves, mean)
    return found
