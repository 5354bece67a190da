"""Robust random cut forests (Guha and others 2016), of the package rrcf, with the calls that scikit-learn's have."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from benchmarks.shared.data import Floats

N_TREES, N_ROWS = 10, 256


class RandomCutForest:
    """Trees of random rows."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def fit(self, X: Floats) -> Self:
        """Grow the trees, in units of the standard deviations."""
        import rrcf

        scale = X.std(axis=0)
        self.centre, self.scale = X.mean(axis=0), np.where(scale > 0, scale, 1.0)
        Z, self.trees = (X - self.centre) / self.scale, list[Any]()
        for _ in range(N_TREES):
            rows = self.rng.choice(len(X), min(N_ROWS, len(X)), replace=False)
            seed = int(self.rng.integers(2**31))
            self.trees.append(rrcf.RCTree(Z[rows], index_labels=np.arange(rows.size), random_state=seed))
        return self

    def score_samples(self, X: Floats) -> Floats:
        """Insert each row into each tree, ask, and take it out again."""
        Z, total = (X - self.centre) / self.scale, np.zeros(len(X))
        for tree in self.trees:
            for row, z in enumerate(Z):
                tree.insert_point(z, index="asked")
                total[row] += tree.codisp("asked")
                tree.forget_point("asked")
        return -total / N_TREES
