"""Noise that varies: a forest that learns how large errors are where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats
from hedgerow.files import Stored
from hedgerow.online._base_settings import BaseSettings
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._learner import LARGEST_SEED, ForestLearner
from hedgerow.online._settings import ForestSettings

N_TREES = 5
"""As good as ten for a single number a row, and half the work."""


class ErrorSizes:
    """Predicts by how much the standard deviation of a row is off: an online forest with a seed of its own.

    Around an online forest it grows as that one does, and sizes are kept in standard deviations, which follow the
    trees. A Mondrian forest learns at each review what its standard deviations are, so sizes are kept in the unit of
    the targets there: in that of another review they would mean nothing.
    """

    def __init__(self, settings: BaseSettings, width: int, seed: int) -> None:
        trees = settings.trees
        self._is_relative, self._n_threads = trees is not None, settings.n_threads
        trees = ForestSettings.of(OnlineForestRegressor()) if trees is None else trees
        self._forest = ForestLearner(replace(trees, leaf_model="mean", n_estimators=N_TREES), width, seed)
        self.core = self._forest.core

    def factors(self, X: Floats, stds: Floats) -> Floats:
        """By how much the standard deviation of each row is off; 1 while too little is known."""
        found: Floats = _core.error_factors(self.core, X, self._units(stds), self._n_threads)
        return found

    def factor_then_learn(self, X: Floats, errors: Floats, stds: Floats, weights: Floats) -> Floats:
        """The same of each row just before its error is learned."""
        rows = X, errors / stds, self._units(stds), weights
        found: Floats = _core.factor_then_learn(self.core, *rows, self._n_threads)
        return found

    def _units(self, stds: Floats) -> Floats:
        return np.empty(0) if self._is_relative else stds

    def state(self) -> dict[str, Any]:
        """Return what a file keeps; no trees if it has learned nothing."""
        return {"seed": self.core.seed, "forest": self.core.archive() if self.core.arrivals > 0 else None}

    @classmethod
    def from_state(cls, stored: Stored, settings: BaseSettings, width: int) -> ErrorSizes:
        """Take back what `state` gave."""
        sizes = cls(settings, width, stored.integer("seed", 0, LARGEST_SEED))
        if "forest" in stored:
            sizes.core.restore(stored.arrays("forest"))
        return sizes
