"""A base model, and scores of rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from hedgerow.base.rows import Floats, Rows
from hedgerow.base.seed import draw_seed
from hedgerow.base.work import pieces
from hedgerow.files import Stored
from hedgerow.online._base_settings import ConformalSettings
from hedgerow.online._calibration import ForecastCalibration, OutOfBagCalibration
from hedgerow.online._error_sizes import ErrorSizes
from hedgerow.online._forest import open_forest
from hedgerow.online._learner import RowByRow, parts
from hedgerow.predictive import LocationScale
from hedgerow.predictive._conformal import FEWEST, ConformalShape, FrozenRadii

NO_CONFIDENCES: Floats = np.empty(0)


class ConformalLearner(RowByRow):
    """A base model that learns, and its calibration. `base` is an estimator, and may be used as one."""

    def __init__(self, settings: ConformalSettings, base: Any, sizes: ErrorSizes | None) -> None:
        self.settings, self.base, self.sizes = settings, base, sizes
        kind = OutOfBagCalibration if settings.is_out_of_bag else ForecastCalibration
        self.calibration = kind(base, sizes, settings)

    @classmethod
    def open(cls, first: Rows, settings: ConformalSettings, seed: int, query: Any) -> Self:
        """Return a model that has learned nothing."""
        base, width = clone(settings.base), first.X.shape[1]
        if settings.is_out_of_bag:
            open_forest(base, width)
        sizes = ErrorSizes(settings, width, (draw_seed(base.random_state) + 1) % 2**64) if settings.normalised else None
        return cls(settings, base, sizes)

    def learn(self, rows: Rows, query: Any) -> None:
        """Learn and score rows one after another."""
        for _ in self._parts_then_learn(rows, NO_CONFIDENCES):
            pass

    def learn_one(self, x: Floats, y: float, weight: float, query: Any) -> None:
        """Learn and score one row, whose weight is 1."""
        self.calibration.forecast_then_learn(Rows(x.reshape(1, -1), np.array([y])), NO_CONFIDENCES)

    def intervals_then_learn(self, rows: Rows, confidence: float) -> Iterator[tuple[Floats, Floats]]:
        """Mean and interval of each row, just before it is learned."""
        for means, scales, radii in self._parts_then_learn(rows, np.array([float(confidence)])):
            yield means, _intervals(means, scales, radii[:, 0])

    def means(self, X: Floats) -> Floats:
        """Means of the base model."""
        return self.calibration.forecasts(X)[0]

    def mean_one(self, x: Floats) -> float:
        """Mean of one row."""
        return float(self.means(x.reshape(1, -1))[0])

    def intervals(self, X: Floats, confidence: float) -> Floats:
        """Conformal intervals."""
        return _intervals(*self._forecasts(X), self.calibration.core.radii(np.array([float(confidence)])))

    def forecast(self, X: Floats) -> LocationScale:
        """Return the distribution of each row as it is now: it does not change when the model goes on learning."""
        core = self.calibration.core
        means, scales = self._forecasts(X)
        scores, archive = core.scores(), core.archive()
        if scores.size < FEWEST:
            scales = self.base.predict_dist(X).std()
        shrunk = self.calibration.shrinkage() * archive["scores"]
        frozen = FrozenRadii(max(1, scores.size), self.settings.rate, shrunk, archive["levels"])
        return LocationScale(means, scales, ConformalShape(scores, frozen))

    @property
    def n_seen(self) -> int:
        """Rows ever learned."""
        return int(self.base.n_samples_seen_) if self.base.__sklearn_is_fitted__() else 0

    @property
    def n_bytes(self) -> int:
        """Memory, that of the base model and of the calibration rows included."""
        rows = sum(int(array.nbytes) for array in self.calibration.core.archive().values())
        return int(self.base.__sizeof__()) + (0 if self.sizes is None else int(self.sizes.core.n_bytes)) + rows

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "base": self.base._state(),
            "sizes": None if self.sizes is None else self.sizes.state(),
            "calibration": self.calibration.core.archive(),
        }

    @classmethod
    def from_state(cls, stored: Stored, settings: ConformalSettings, width: int) -> Self:
        """Take back what `state` gave."""
        base = clone(settings.base)
        if "base" in stored:
            base._restore(stored.part("base"))
        if base.__sklearn_is_fitted__() and base.n_features_in_ != width:
            raise ValueError("its base has another number of features")
        sizes = ErrorSizes.from_state(stored.part("sizes"), settings, width) if settings.normalised else None
        learner = cls(settings, base, sizes)
        learner.calibration.restore(stored, learner.n_seen)
        if sizes is not None and not learner.calibration.core.n_scores <= sizes.core.arrivals <= learner.n_seen:
            raise ValueError("the sizes of its errors are those of other rows")
        return learner

    def _forecasts(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean of each row, and what its error is measured in."""
        means, scales = self.calibration.forecasts(X)
        return means, scales if self.sizes is None else scales * self.sizes.factors(X, scales)

    def _parts_then_learn(self, rows: Rows, confidences: Floats) -> Iterator[tuple[Floats, ...]]:
        forests = [getattr(self.base, "_core", None), None if self.sizes is None else self.sizes.core]
        cores = [core for core in forests if core is not None]
        for piece in parts(rows.y.size, *cores) if cores else pieces(rows.y.size, self.settings.base.n_estimators):
            yield self.calibration.forecast_then_learn(rows.part(piece), confidences)


def _intervals(means: Floats, scales: Floats, radii: Floats) -> Floats:
    reach = scales * radii
    return np.column_stack([means - reach, means + reach])
