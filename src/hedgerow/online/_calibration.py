"""Two ways to calibrate: scores of out-of-bag trees that follow the forest, and scores of forecasts that stay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.work import interrupted_after
from hedgerow.files import Stored
from hedgerow.online._base_settings import ConformalSettings
from hedgerow.online._error_sizes import ErrorSizes
from hedgerow.online._forest import OnlineForestRegressor

FIRST_SPREAD = 30
"""Rows before the first one that is scored by a standard deviation: of spread little is known before."""


class OutOfBagCalibration:
    """A row is scored by the trees that never learned it, again whenever one of them changes.

    CPExact of Vasiloudis, De Francisci Morales and Boström (2019). `core` keeps the scores. With `sizes`, errors are
    measured in standard deviations, each times the factor by which it was off before.
    """

    def __init__(self, base: OnlineForestRegressor, sizes: ErrorSizes | None, settings: ConformalSettings) -> None:
        self._base, self._sizes, self._settings = base, sizes, settings
        self.core = _core.OutOfBag(
            base._core,
            capacity=settings.calibration_size,
            update_every=settings.update_every,
            normalised=sizes is not None,
            size_matched=settings.size_matched,
            adaptation_rate=settings.rate,
        )

    def forecasts(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean of each row, and its standard deviation if that is what errors are measured in, or else 1."""
        with self._base._reading:
            found: tuple[Floats, Floats] = self.core.forecasts(self._base._core, X, self._settings.n_threads)
        return found

    def forecast_then_learn(self, rows: Rows, confidences: Floats) -> tuple[Floats, ...]:
        """Mean, scale and radii (one a confidence) of each row, just before it is learned and scored."""
        sizes = None if self._sizes is None else self._sizes.core
        with self._base._changing:  # it may be used by itself, as `base_`
            found: tuple[Floats, ...] = self.core.predict_then_learn(self._base._core, sizes, *rows, confidences)
        return found

    def shrinkage(self) -> float:
        """Return what radii are the scores times: a few trees err more than all of them."""
        total, excess = self.core.archive()["sums"].tolist()
        if not self._settings.size_matched or not total > 0.0:
            return 1.0
        return math.sqrt(max(0.25, 1.0 - excess / total))

    def restore(self, stored: Stored, n_seen: int) -> None:
        """Take back the rows and their scores, from a file that nobody vouches for."""
        self.core.restore(self._base._core, stored.arrays("calibration"))


class ForecastCalibration:
    """The score of a row is that of its forecast by the whole model before it was learned, and stays so."""

    def __init__(self, base: Any, sizes: ErrorSizes | None, settings: ConformalSettings) -> None:
        self._base, self._sizes = base, sizes
        self._n_unscored = 1 if sizes is None else FIRST_SPREAD
        self._rule = settings.calibration_size, settings.rate
        self.core = _core.ScoreWindow(*self._rule)

    def forecasts(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean of each row, and its standard deviation if that is what errors are measured in, or else 1."""
        return self._measured(*self._base.predict(X, return_std=True))

    def forecast_then_learn(self, rows: Rows, confidences: Floats) -> tuple[Floats, ...]:
        """Mean, scale and radii (one a confidence) of each row, just before it is learned and scored."""
        X, y, weights = rows
        n_before = self._base.n_samples_seen_ if self._base.__sklearn_is_fitted__() else 0
        with interrupted_after():  # or the base would have learned rows that were not scored
            forecasts = self._base.predict_then_learn(X, y, weights if weights.size else None, returns="std")
            means, scales = self._measured(*forecasts)
            first = min(max(0, self._n_unscored - n_before), y.size)
            errors = np.abs(y - means)[first:]
            if self._sizes is not None:
                scales[first:] *= self._sizes.factor_then_learn(X[first:], errors, scales[first:], weights[first:])
            unscored = np.broadcast_to(self.core.radii(confidences), (first, confidences.size))
            radii = self.core.update(errors / scales[first:], confidences)
            return means, scales, np.concatenate([unscored, radii])

    def shrinkage(self) -> float:
        """Return what radii are the scores times."""
        return 1.0

    def restore(self, stored: Stored, n_seen: int) -> None:
        """Take back the scores of so many rows, from a file that nobody vouches for."""
        self.core = restored_window(stored.part("calibration"), *self._rule, n_seen - self._n_unscored)

    def _measured(self, means: Floats, stds: Floats) -> tuple[Floats, Floats]:
        return means, np.ones(means.size) if self._sizes is None else stds + 1e-9 * np.abs(means) + 1e-100


def restored_window(stored: Stored, capacity: int, rate: float, n_scored: int) -> Any:
    """Return the window that a file holds after so many rows were scored, or ValueError."""
    window = _core.ScoreWindow(capacity, rate)
    window.restore(stored.array("scores", (min(capacity, max(0, n_scored)),)), stored.array("levels"))
    return window
