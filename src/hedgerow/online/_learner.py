"""An online forest, as the core has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.base.work import pieces
from hedgerow.files import Stored
from hedgerow.online._settings import ForestSettings
from hedgerow.predictive import NormalMixture

LARGEST_SEED = 2**64 - 1
ROWS = 1000
"""Enough for leaves to be full: then a row needs most memory."""
SET_ASIDE = 2**28
"""Bytes of memory that may be set aside while a piece of rows is learned. Their pages are not touched."""


class RowByRow:
    """What learners share that take rows in their order and look at nothing again."""

    core: Any  # a forest, or what counts rows and memory as one does

    @classmethod
    def begin(cls, rows: Rows, settings: Any, seed: int, query: Any) -> Self:
        """Learn all rows, in the order given."""
        learner = cls.open(rows, settings, seed, query)
        learner.learn(rows, query)
        return learner

    @classmethod
    def open(cls, first: Rows, settings: Any, seed: int, query: Any) -> Self:
        """Return a learner that has learned nothing."""
        raise NotImplementedError

    def learn(self, rows: Rows, query: Any) -> None:
        """Learn rows one after another."""
        raise NotImplementedError

    def review_if_due(self, query: Any) -> None:
        """Nothing is looked at again: all is learned row by row."""

    @property
    def n_seen(self) -> int:
        """Rows ever learned."""
        return int(self.core.arrivals)

    @property
    def n_bytes(self) -> int:
        """Memory."""
        return int(self.core.n_bytes)


class ForestLearner(RowByRow):
    """An adaptive random forest."""

    core: _core.OnlineForest

    def __init__(self, settings: ForestSettings, width: int, seed: int) -> None:
        self.settings = settings
        self.core = _core.OnlineForest(growth=settings.growth(width), n_trees=settings.n_estimators, seed=seed)
        self.mean_one = self.core.mean_one

    @classmethod
    def open(cls, first: Rows, settings: ForestSettings, seed: int, query: Query) -> Self:
        """Return a forest that has learned nothing."""
        return cls(settings, first.X.shape[1], seed)

    def learn(self, rows: Rows, query: Query) -> None:
        """Learn rows one after another."""
        for piece in parts(rows.y.size, self.core):
            self.core.learn(*rows.part(piece), query.n_threads)

    def learn_one(self, x: Any, y: float, weight: float, query: Query) -> None:
        """Learn one row, whose weight is 1."""
        self.core.learn_one(x, y)

    def forecast_then_learn(self, rows: Rows, query: Query) -> Iterator[NormalMixture]:
        """Forecast each row just before it is learned."""
        for piece in parts(rows.y.size, self.core):
            yield mixture(*self.core.predict_then_learn(*rows.part(piece), query.n_threads), query.n_threads)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"seed": self.core.seed, "forest": self.core.archive()}

    @classmethod
    def from_state(cls, stored: Stored, settings: ForestSettings, width: int) -> Self:
        """Take back what `state` gave."""
        arrays = stored.arrays("forest")
        check_n_trees(arrays, settings)
        learner = cls(settings, width, stored.integer("seed", 0, LARGEST_SEED))
        learner.core.restore(arrays)
        return learner


def parts(n_rows: int, *cores: Any) -> Iterator[slice]:
    """Yield slices of rows, as `pieces` does; memory for one of them is set aside before forests learn it."""
    n_trees, need = sum(core.n_trees for core in cores), sum(core.need(ROWS) // ROWS for core in cores)
    return pieces(n_rows, n_trees, most=SET_ASIDE // max(1, need))


def check_n_trees(arrays: dict[str, Any], settings: ForestSettings) -> None:
    """Raise ValueError if a file holds another number of trees than its settings have."""
    if arrays["slots"].size != 4 * settings.n_estimators:
        raise ValueError("its number of trees is out of range")


def shares_of(gains: Floats) -> Floats:
    """Return the share of each column in what splits have explained; equal ones before the first."""
    return gains / gains.sum() if gains.sum() > 0 else np.full(gains.size, 1.0 / gains.size)


def mixture(means: Floats, variances: Floats, n_threads: int) -> NormalMixture:
    """Return the trees' predictions: one Gaussian each, all of the same weight."""
    n, n_trees = means.shape
    least = (1e-9 * np.maximum(np.abs(means), 1e-9)) ** 2  # where all targets are equal
    return NormalMixture(
        np.arange(n + 1) * n_trees,
        np.full(n * n_trees, 1.0 / n_trees),
        means.ravel(),
        np.maximum(variances, least).ravel(),
        n_threads=n_threads,
    )


def mean_over_trees(forecasts: NormalMixture, n_trees: int) -> Floats:
    """Sum in the order of the trees, as the core does: the same bits."""
    total: Floats = np.zeros(len(forecasts))
    for means in forecasts.means.reshape(-1, n_trees).T:
        total += means
    total /= n_trees
    return total
