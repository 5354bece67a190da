"""Draws from the prior of trees, slow and obvious: Lakshminarayanan (2016), equations 3.3 and 3.4.

It shares no code with the library. A tree is given by the leaf of each row, a whole number.
"""

from __future__ import annotations

import numpy as np


def draw_rows(n, rng):
    """Two columns with ties, one of them with a wide gap, and a third with two values.

    So rules compete, cuts differ in their prior probability, and some nodes cannot be split.
    """
    X = np.round(rng.uniform(size=(n, 3)), 1)
    X[0, 0] = 2.0
    X[:, 2] = X[:, 2] > 0.5
    return X


def draw_leaves(X, base, decay, rng):
    """The leaf of each row in a tree from the prior, and how often each column is split; at last, the wide gap."""
    leaf, n_leaves, n_splits = np.zeros(len(X), dtype=int), 0, np.zeros(X.shape[1] + 1)
    pending = [(np.arange(len(X)), 0)]
    while pending:
        rows, depth = pending.pop()
        lower, upper = X[rows].min(axis=0), X[rows].max(axis=0)
        varying = np.flatnonzero(upper > lower)
        if not varying.size or rng.uniform() >= base / (1 + depth) ** decay:
            leaf[rows] = n_leaves
            n_leaves += 1
            continue
        feature = rng.choice(varying)
        location = rng.uniform(lower[feature], upper[feature])
        n_splits[feature] += 1
        n_splits[-1] += feature == 0 and location >= X[1:, 0].max()
        goes_left = X[rows, feature] <= location
        pending += [(rows[goes_left], depth + 1), (rows[~goes_left], depth + 1)]
    return leaf, n_splits


def draw_sum(X, n_trees, base, decay, draw_values, rng):
    """What some trees add up to at each row, and how often they split each column; `draw_values(n)` draws n leaves."""
    total, n_splits = np.zeros(len(X)), np.zeros(X.shape[1] + 1)
    for _ in range(n_trees):
        leaf, splits = draw_leaves(X, base, decay, rng)
        total += draw_values(leaf.max() + 1)[leaf]
        n_splits += splits
    return total, n_splits
