"""Forecasts of online models whose intervals are not only quantiles of a distribution: they are calibrated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.base.guard import guards_itself
from hedgerow.base.regressor import check_returns
from hedgerow.base.rows import Floats
from hedgerow.predictive import LocationScale, joined_forecasts
from hedgerow.predictive._distribution import confidence_of, is_list
from hedgerow.predictive._shapes import NormalShape


class IntervalForecasting:
    """The part of such a model that predicts with its learner."""

    def predict(self: Any, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of each row and, if requested, the standard deviation of its distribution."""
        X = self._query_rows(X)
        means = self._learner.means(X)
        return (means, self._learner.forecast(X).std()) if return_std else means

    @guards_itself
    def predict_one(self: Any, x: Any) -> float:
        """Mean at one row: a mapping, a sequence or a 1-D array; 0 before the first row."""
        with self._reading:
            return float(self._with_row(self._learner.mean_one, x)) if self.__sklearn_is_fitted__() else 0.0

    def predict_interval(self: Any, X: Any, confidence: npt.ArrayLike = 0.9) -> Floats:
        """Prediction interval of each row: shape (n_samples, 2), or (n_samples, 2, k) for k confidences.

        Infinite while too few rows have been scored.
        """
        several = is_list(confidence)
        each = [confidence_of(one) for one in (confidence if several else [confidence])]  # type: ignore[union-attr]
        X = self._query_rows(X)
        intervals: list[Floats] = [self._learner.intervals(X, one) for one in each]
        return np.stack(intervals, axis=-1) if several else intervals[0]

    def predict_then_learn(
        self: Any,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        returns: str = "interval",
        confidence: float = 0.9,
    ) -> Any:
        """Forecast each row of a stream just before learning it, in one call.

        The same as a loop over `predict`, `predict_interval`, `predict_dist` and `learn_one`. Intervals are quickest:
        distributions are made row by row.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        returns : {"interval", "std", "dist"}, default="interval"
            What is forecast: mean and interval; or mean and standard deviation; or whole distributions.
        confidence : float, default=0.9
            Of the intervals.

        Returns
        -------
        mean : array of shape (n_samples,)
            Unless `returns` is "dist".
        interval : array of shape (n_samples, 2)
            If `returns` is "interval".
        std : array of shape (n_samples,)
            If `returns` is "std".
        forecasts : Distribution
            If `returns` is "dist".
        """
        check_returns(returns, confidence)
        coming = self._next_rows(X, y, sample_weight)
        pieces = self._in_turn(coming)
        if returns == "interval":
            parts = (part for rows in pieces for part in self._learner.intervals_then_learn(rows, confidence))
            nothing = np.empty(0), np.empty((0, 2))
            return tuple(np.concatenate(part) for part in zip(nothing, *parts, strict=True))
        means, forecasts = np.zeros(coming.y.size), []
        singles = (rows.part(slice(k, k + 1)) for rows in pieces for k in range(rows.y.size))
        for i, one in enumerate(singles):
            learner = self._learner
            is_first = learner.n_seen == 0
            forecasts.append(_of_nothing() if is_first else learner.forecast(one.X))
            means[i] = 0.0 if is_first else learner.means(one.X)[0]
            learner.learn(one, self._current.query)
        dist = joined_forecasts(forecasts)
        return dist if returns == "dist" else (means, dist.std())


def _of_nothing() -> LocationScale:
    """Before the first row."""
    return LocationScale(np.zeros(1), np.ones(1), NormalShape())
