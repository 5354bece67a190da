"""One tree of a draw as plain arrays, in the user's units, read from what a file would hold of the draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.base.decision_tree import (
    NO_FEATURE,
    NO_THRESHOLD,
    DecisionTree,
    Numbers,
    children_in_order,
    leaf_words,
    leaves_of,
    mean_below,
    summed_below,
)
from hedgerow.base.rows import Floats
from hedgerow.files.codec import Arrays


class DrawnTrees(NamedTuple):
    """Where the trees of one sum are in a draw, and the values of their leaves in the user's units."""

    kind: str  # what stands before the names of their arrays
    first: int
    n_trees: int
    n_in_draw: int  # trees of all sums
    unit: float
    offset: float  # of the whole sum, of which each tree has its share


def view_of_tree(
    arrays: Arrays, trees: DrawnTrees, number: int, draw: tuple[int, int], names: list[str]
) -> DecisionTree:
    """Return a tree of a draw, which is known by its chain and its number there."""
    is_inner, rules, leaves = _parts(arrays, trees, trees.first + number, draw)
    left, right = children_in_order(is_inner)
    feature, cut = np.full(is_inner.size, NO_FEATURE), np.zeros(is_inner.size)
    feature[is_inner], cut[is_inner] = rules >> 8, rules & 0xFF
    first_cut = np.concatenate([[0], np.cumsum(arrays["rows.n_cuts"].astype(np.int64))])
    threshold = np.full(is_inner.size, NO_THRESHOLD)
    threshold[is_inner] = arrays["rows.cuts"][first_cut[rules >> 8] + (rules & 0xFF)]
    bins = arrays["rows.bins"].reshape(len(first_cut) - 1, -1).T
    counts = np.bincount(leaves_of(feature, cut, left, right, bins), minlength=is_inner.size)
    value = np.zeros((is_inner.size, 1))
    value[~is_inner, 0] = trees.unit * leaves + trees.offset / trees.n_trees
    value, counts = mean_below(left, right, counts, value), summed_below(left, right, counts)
    words = ["" if is_inner[node] else leaf_words(value[node], int(counts[node])) for node in range(is_inner.size)]
    return DecisionTree(feature, threshold, left, right, words, names, n_node_samples=counts, value=value)


def _parts(
    arrays: Arrays, trees: DrawnTrees, number: int, draw: tuple[int, int]
) -> tuple[npt.NDArray[np.bool_], Numbers, Floats]:
    """Which nodes of a tree are inner ones, in order; their rules; values of leaves."""
    chain, index = draw
    shape, rules, values, firsts = (
        arrays[f"chain{chain}.{trees.kind}draws.{part}"] for part in ("shape", "rules", "values", "first_node")
    )
    begin, end = firsts[index : index + 2].astype(np.int64)
    bits = np.unpackbits(shape[begin // 8 : (end + 7) // 8], bitorder="little")
    is_inner = bits[begin % 8 : begin % 8 + end - begin].astype(bool)
    # A node waits for its children: after each tree, one node fewer waits than ever before.
    fewest_waiting = np.minimum.accumulate(np.cumsum(np.where(is_inner, 1, -1)))
    ends = np.searchsorted(-fewest_waiting, np.arange(1, trees.n_in_draw + 1)) + 1
    own = slice(int(ends[number - 1]) if number else 0, int(ends[number]))
    n_rules = (int(begin) - index * trees.n_in_draw) // 2 + int(is_inner[: own.start].sum())
    n_values = int(begin) + own.start - n_rules
    is_inner = is_inner[own]
    n_inner = int(is_inner.sum())
    own_values = values[n_values : n_values + is_inner.size - n_inner].astype(np.float64)
    return is_inner, rules[n_rules : n_rules + n_inner].astype(np.int64), own_values
