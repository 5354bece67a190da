"""An online forest whose leaves keep sketches of their targets, as the core has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.seed import draw_seed
from hedgerow.base.work import compute_in_pieces
from hedgerow.files import Stored
from hedgerow.online._base_settings import QuantileSettings
from hedgerow.online._calibration import restored_window
from hedgerow.online._learner import LARGEST_SEED, RowByRow, check_n_trees, parts
from hedgerow.predictive import LabelMixture
from hedgerow.predictive._conformal import FrozenRadii
from hedgerow.predictive._label_mixture import calibrated


class QuantileLearner(RowByRow):
    """A quantile forest and, if its levels are calibrated, a window of scores."""

    core: _core.QuantileForest

    def __init__(self, settings: QuantileSettings, width: int, seed: int) -> None:
        self.settings = settings
        trees = settings.trees
        assert trees is not None
        self._trees, growth = trees, trees.growth(width)
        growth.sketch_size, growth.weighs_spread = settings.sketch_size, True
        self.core = _core.QuantileForest(growth=growth, n_trees=trees.n_estimators, seed=seed)
        self._window = _core.ScoreWindow(settings.calibration_size, 0.0) if settings.conformal else None
        self.mean_one = self.core.mean_one

    @classmethod
    def open(cls, first: Rows, settings: QuantileSettings, seed: int, query: Any) -> Self:
        """Return a forest that has learned nothing."""
        return cls(settings, first.X.shape[1], draw_seed(settings.base.random_state))

    def learn(self, rows: Rows, query: Any) -> None:
        """Learn rows one after another."""
        for piece in parts(rows.y.size, self.core):
            if self._window is None:
                self.core.learn(*rows.part(piece), self.settings.n_threads)
            else:
                self.core.forecast_then_learn(*rows.part(piece), 0.5, self._window)

    def learn_one(self, x: Floats, y: float, weight: float, query: Any) -> None:
        """Learn one row, whose weight is 1."""
        self.learn(Rows(x.reshape(1, -1), np.array([y])), query)

    def intervals_then_learn(self, rows: Rows, confidence: float) -> Iterator[tuple[Floats, Floats]]:
        """Mean and interval of each row, just before it is learned."""
        for piece in parts(rows.y.size, self.core):
            yield self.core.forecast_then_learn(*rows.part(piece), float(confidence), self._window)

    def means(self, X: Floats) -> Floats:
        """Means of the leaves' targets."""
        n_threads = self.settings.n_threads
        found: Floats = compute_in_pieces(lambda rows: self.core.means(rows, n_threads), X, self.core.n_trees)
        return found

    def intervals(self, X: Floats, confidence: float) -> Floats:
        """Central intervals."""
        return self.quantiles(X, np.array([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence]))

    def quantiles(self, X: Floats, levels: Floats) -> Floats:
        """Quantiles, calibrated if they are to be; quicker than those of the distributions."""
        if self._window is None:
            return self._quantiles(X, np.ascontiguousarray(levels), is_calibrated=False)
        at, whole_line = calibrated(levels, self._window.radii)
        found = self._quantiles(X, at, is_calibrated=True)
        return np.where(np.isinf(whole_line), whole_line, found)

    def forecast(self, X: Floats) -> LabelMixture:
        """Return the distribution of each row as it is now: it does not change when the forest goes on learning."""
        if self._window is None:
            return LabelMixture(*self.core.labels(X))
        archive = self._window.archive()
        frozen = FrozenRadii(self.settings.calibration_size, 0.0, archive["scores"], archive["levels"])
        below, lowest = self._quantiles(X, np.array([-1.0, 0.0]), is_calibrated=True).T
        return LabelMixture(*self.core.labels(X), frozen, lowest - below)

    def _quantiles(self, X: Floats, levels: Floats, *, is_calibrated: bool) -> Floats:
        core, n_threads = self.core, self.settings.n_threads
        found: Floats = compute_in_pieces(
            lambda rows: core.quantiles(rows, levels, is_calibrated, n_threads), X, core.n_trees
        )
        return found

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        window = None if self._window is None else self._window.archive()
        return {"seed": self.core.seed, "forest": self.core.archive(), "window": window}

    @classmethod
    def from_state(cls, stored: Stored, settings: QuantileSettings, width: int) -> Self:
        """Take back what `state` gave."""
        arrays, trees = stored.arrays("forest"), settings.trees
        assert trees is not None
        check_n_trees(arrays, trees)
        learner = cls(settings, width, stored.integer("seed", 0, LARGEST_SEED))
        learner.core.restore(arrays)
        if learner._window is not None:
            n_scored = learner.n_seen - trees.grace_period
            learner._window = restored_window(stored.part("window"), settings.calibration_size, 0.0, n_scored)
        return learner
