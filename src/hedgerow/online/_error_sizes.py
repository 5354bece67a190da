"""Noise that varies: a forest that learns how large errors are where, in standard deviations of the base model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow._validation import n_threads_of
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._growth import growth_of

Floats = npt.NDArray[np.float64]


N_TREES = 5
"""As good as ten for a single number a row, and half the work."""


class ErrorSizes:
    """Says by how much the standard deviation of a row is off. It grows as the base does, if that is an online forest.

    `core` is an online forest of its own, with other random numbers than the base.
    """

    def __init__(self, base: Any, width: int, seed: int) -> None:
        grown_like = base if isinstance(base, OnlineForestRegressor) else OnlineForestRegressor()
        growth = growth_of(grown_like, width)
        growth.linear = False
        self._base, self.seed = base, seed
        self.core = _core.OnlineForest(growth=growth, n_trees=N_TREES, seed=seed)

    def factors(self, X: Floats) -> Floats:
        """By how much the standard deviation of each row is off; 1 while too little is known."""
        found: Floats = _core.error_factors(self.core, X, n_threads_of(self._base.n_jobs))
        return found

    def factor_then_learn(self, X: Floats, errors: Floats, weights: Floats) -> Floats:
        """The same of each row just before its error, in standard deviations, is learned."""
        found: Floats = _core.factor_then_learn(self.core, X, errors, weights, n_threads_of(self._base.n_jobs))
        return found

    def archive(self) -> Arrays:
        """What it has learned, for a file; nothing if that is nothing."""
        arrays: Arrays = self.core.archive() if self.core.arrivals > 0 else {}
        return arrays

    def restore(self, arrays: Arrays, n_scores: int) -> None:
        """Take back what `archive` gave, from a file that nobody vouches for: it knows each row that was scored."""
        if arrays:
            self.core.restore(arrays)
        if not n_scores <= self.core.arrivals <= self._base.n_samples_seen_:
            raise ValueError("the sizes of its errors are those of other rows")
