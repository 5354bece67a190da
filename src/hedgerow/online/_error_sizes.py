"""Noise that varies: a forest that learns how large errors are where."""

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
    """Says by how much the standard deviation of a row is off. `core` is an online forest with a seed of its own.

    Around an online forest it grows as that one does, and sizes are kept in standard deviations, which follow the
    trees. A Mondrian forest learns at each review what its standard deviations are, so sizes are kept in the unit of
    the labels there: in that of another review they would mean nothing.
    """

    def __init__(self, base: Any, width: int, seed: int) -> None:
        self._base, self.seed = base, seed
        self._is_relative = isinstance(base, OnlineForestRegressor)
        growth = growth_of(base if self._is_relative else OnlineForestRegressor(), width)
        growth.linear = False
        self.core = _core.OnlineForest(growth=growth, n_trees=N_TREES, seed=seed)

    def factors(self, X: Floats, stds: Floats) -> Floats:
        """By how much the standard deviation of each row is off; 1 while too little is known."""
        found: Floats = _core.error_factors(self.core, X, self._units(stds), n_threads_of(self._base.n_jobs))
        return found

    def factor_then_learn(self, X: Floats, errors: Floats, stds: Floats, weights: Floats) -> Floats:
        """The same of each row just before its error is learned."""
        rows = X, errors / stds, self._units(stds), weights
        found: Floats = _core.factor_then_learn(self.core, *rows, n_threads_of(self._base.n_jobs))
        return found

    def _units(self, stds: Floats) -> Floats:
        return np.empty(0) if self._is_relative else stds

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
