"""Two ways to calibrate: scores of out-of-bag trees that follow the forest, and scores of forecasts that stay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow._transaction import interrupted_after
from hedgerow._validation import n_threads_of
from hedgerow.online._error_sizes import ErrorSizes

Floats = npt.NDArray[np.float64]

FIRST_SPREAD = 30
"""Rows before the first one that is scored by a standard deviation: of spread little is known before."""


class Calibration(ABC):
    """Scores of a base model, and what follows from them. `core` keeps the scores.

    With `sizes`, errors are measured in standard deviations, each times the factor by which it was off before.
    """

    core: Any
    sizes: ErrorSizes | None

    def forecasts(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean of each row, and what its error is measured in."""
        means, scales = self._unstretched(X)
        return means, scales if self.sizes is None else scales * self.sizes.factors(X, scales)

    @abstractmethod
    def _unstretched(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean of each row, and its standard deviation if that is what errors are measured in, or else 1."""

    @abstractmethod
    def predict_then_learn(self, X: Floats, y: Floats, weights: Floats, confidences: Floats) -> tuple[Floats, ...]:
        """Mean, scale and radii (one a confidence) of each row, just before it is learned and scored."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Take back what `core.archive` gave, from a file that nobody vouches for."""


class OutOfBagCalibration(Calibration):
    """Document 003, CPExact: a row is scored by the trees that never learned it, again whenever one of them changes."""

    def __init__(self, base: Any, sizes: ErrorSizes | None, rule: dict[str, Any]) -> None:
        self._base, self.sizes = base, sizes
        self.core = _core.OutOfBag(base._core, normalised=sizes is not None, **rule)

    def _unstretched(self, X: Floats) -> tuple[Floats, Floats]:
        found: tuple[Floats, Floats] = self.core.forecasts(self._base._core, X, n_threads_of(self._base.n_jobs))
        return found

    def predict_then_learn(self, X: Floats, y: Floats, weights: Floats, confidences: Floats) -> tuple[Floats, ...]:
        """Mean, scale and radii of each row, just before it is learned and scored."""
        sizes = None if self.sizes is None else self.sizes.core
        found: tuple[Floats, ...] = self.core.predict_then_learn(self._base._core, sizes, X, y, weights, confidences)
        return found

    def restore(self, arrays: Arrays) -> None:
        """Take back the rows and their scores."""
        self.core.restore(self._base._core, arrays)


class ForecastCalibration(Calibration):
    """The score of a row is that of its forecast by the whole model before it was learned, and stays so."""

    def __init__(self, base: Any, sizes: ErrorSizes | None, capacity: int, adaptation_rate: float) -> None:
        self._base, self.sizes = base, sizes
        self.core = _core.ScoreWindow(capacity, adaptation_rate)

    def _unstretched(self, X: Floats) -> tuple[Floats, Floats]:
        return self._measured(*self._base.predict(X, return_std=True))

    def predict_then_learn(self, X: Floats, y: Floats, weights: Floats, confidences: Floats) -> tuple[Floats, ...]:
        """Mean, scale and radii of each row, just before it is learned and scored."""
        n_before = self._base.n_samples_seen_ if self._base.__sklearn_is_fitted__() else 0
        with interrupted_after():  # or the base would have learned rows that were not scored
            forecasts = self._base.predict_then_learn(X, y, weights if weights.size else None, returns="std")
            means, scales = self._measured(*forecasts)
            first = min(max(0, (1 if self.sizes is None else FIRST_SPREAD) - n_before), y.size)
            errors = np.abs(y - means)[first:]
            if self.sizes is not None:
                scales[first:] *= self.sizes.factor_then_learn(X[first:], errors, scales[first:], weights[first:])
            unscored = np.broadcast_to(self.core.radii(confidences), (first, confidences.size))
            radii = self.core.update(errors / scales[first:], confidences)
            return means, scales, np.concatenate([unscored, radii])

    def restore(self, arrays: Arrays) -> None:
        """Take back the scores."""
        self.core.restore(arrays["scores"], arrays["levels"])

    def _measured(self, means: Floats, stds: Floats) -> tuple[Floats, Floats]:
        return means, np.ones(means.size) if self.sizes is None else stds + 1e-9 * np.abs(means) + 1e-100
