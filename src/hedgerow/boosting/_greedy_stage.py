"""A stage of greedy trees: their cuts see the labels, and their predictions for their own rows are honest by folds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hedgerow import _core
from hedgerow.base.copies import Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._stage_data import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._growing import mean_square

N_FOLDS = 8
"""Every tree leaves out one of so many folds of rows."""

FEWEST_ROUNDS = 8
"""So many trees at least have not seen a row: predictions of fewer would be too unlike those of all trees."""

PROBED_ROUNDS, FEWEST_PROBED, HOPELESS = 4, 1000, 1.03
"""After so many rounds, a stage of so many rows or more is given up if its error exceeds what it has to beat so much.

Of stages that explain little, so few rounds give the error of all within two percent.
"""

MOST_LEAVES = 50_000
"""Leaves have more than one row where there would be more leaves than this."""

MOST_CELLS = 2_000_000_000
"""Rows times columns, at most: they are held as bytes."""


class GreedyStage:
    """Extremely randomised trees (Geurts, Ernst and Wehenkel 2006), shrunk towards their nodes' ancestors."""

    kind = "greedy"

    def __init__(self, forest: Any, centre: Floats, label_squares: float, has_variances: bool) -> None:
        self.forest, self.centre, self.label_squares, self.has_variances = forest, centre, label_squares, has_variances

    @classmethod
    def grown(
        cls,
        rows: Rows,
        folds: Numbers,
        query: Query,
        *,
        n_trees: int,
        has_variances: bool,
        seed: int,
        to_beat: float | None = None,
    ) -> tuple[GreedyStage, Honest] | None:
        """Return a stage that has learned, and what it predicts for each row without its fold.

        None if its first rounds show that its honest mean square will not be below `to_beat`.
        """
        n = rows.X.shape[0]
        weights = rows.weights * (n / rows.weights.sum()) if rows.weights.size else np.ones(n)
        centre: Floats = np.average(rows.y, axis=0, weights=weights)
        labels = np.ascontiguousarray((rows.y - centre).reshape(n, -1))
        unit = max(float(np.abs(labels).max()), np.finfo(np.float64).tiny)  # the core looks at single precision
        training = _core.GreedyTraining(
            rows.X,
            labels / unit,
            weights,
            folds,
            n_folds=N_FOLDS,
            min_leaf=max(1, math.ceil(n / MOST_LEAVES)),
            seed=seed,
            n_threads=query.n_threads,
        )
        n_rounds = max(FEWEST_ROUNDS, math.ceil(n_trees / N_FOLDS))
        for n_grown in range(n_rounds):
            if n_grown == PROBED_ROUNDS and to_beat is not None and n >= FEWEST_PROBED:
                mean, _, excess = _left_out(training, training.best_shrinkage(), n_grown, weights)
                if unit**2 * (mean_square(labels / unit - mean, weights) - excess) > HOPELESS * to_beat:
                    return None
            training.grow_round(query.n_threads)
        best = training.best_shrinkage()
        mean, between, excess = _left_out(training, best, n_rounds, weights)
        mean = centre + unit * mean.reshape(rows.y.shape)
        between, excess = unit**2 * between.reshape(rows.y.shape), unit**2 * excess
        squares = float(weights @ (labels**2).sum(axis=1))
        stage = cls(_Scaled(training.finish(best, query.n_threads), unit), np.asarray(centre), squares, has_variances)
        return stage, Honest(mean, stage._variances(between), mean, excess)

    @property
    def n_trees(self) -> int:
        """How many there are."""
        return int(self.forest.core.n_trees)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Shape of the mean at a row."""
        return self.centre.shape

    @property
    def importances(self) -> Floats:
        """Share of each column."""
        gains: Floats = self.forest.core.gains()
        return gains / gains.sum() if gains.sum() > 0.0 else np.full(gains.size, 1.0 / gains.size)

    def explained(self, total_weight: float) -> Floats:
        """How much of the labels' squares each column explains."""
        return self.importances * self.label_squares

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats | None]:
        """Mean at rows, and the variance between trees."""
        mean, between = self.forest.moments(X, query)
        shape = (X.shape[0], *self.label_shape)
        return self.centre + mean.reshape(shape), self._variances(between.reshape(shape))

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats | None]:
        """The same: nothing is learned before everything is learned anew."""
        return self.moments(rows.X, query)

    def _variances(self, between: Floats) -> Floats | None:
        nothing = np.zeros_like(between)
        return np.stack([nothing, between, nothing], axis=-1) if self.has_variances else None

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "unit": self.forest.unit,
            "centre": self.centre.reshape(-1),
            "label_squares": self.label_squares,
            "tells_doubt": self.has_variances,
            "forest": self.forest.core.archive(),
        }

    @classmethod
    def from_state(cls, stored: Stored, width: int, shape: tuple[int, ...]) -> GreedyStage:
        """Take back what `state` gave, for rows of so many columns; `shape` is that of the mean at a row."""
        core = _core.GreedyForest()
        core.restore(stored.arrays("forest"))
        if (core.width, core.n_outputs) != (width, math.prod(shape)):
            raise ValueError("its greedy trees are of another width, or predict something else than they should")
        centre = stored.array("centre", (math.prod(shape),)).reshape(shape)
        forest = _Scaled(core, stored.positive("unit"))
        return cls(forest, centre, stored.number("label_squares", 0.0), stored.flag("tells_doubt"))


def _left_out(training: Any, which: int, n_rounds: int, weights: Floats) -> tuple[Floats, Floats, float]:
    """Means at each row without its fold, the variance between trees, and by how much all trees will do better.

    So few trees have not seen a row that their mean is rougher than that of all.
    """
    mean, between = training.left_out(which)
    fewer_trees = 1.0 / n_rounds - 1.0 / (n_rounds * N_FOLDS)
    return mean, between, fewer_trees * float(np.average(between.sum(axis=1), weights=weights))


class _Scaled(NamedTuple):
    """A native forest, and the unit of its labels."""

    core: Any
    unit: float

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        mean, between = self.core.moments(X, query.n_threads)
        return self.unit * mean, self.unit**2 * between
