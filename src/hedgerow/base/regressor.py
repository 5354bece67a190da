"""What all regressors share: everything that follows from the predictive distribution."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from hedgerow.base.explaining import Explained
from hedgerow.base.rows import Floats, read
from hedgerow.base.targets import read_target, read_targets
from hedgerow.base.work import all_rows_or_none
from hedgerow.predictive import Joint, Uncertainty, joined_forecasts
from hedgerow.predictive._distribution import confidence_of, levels_of

RETURNS = ("dist", "std", "interval")
"""What `predict_then_learn` can return."""


class Regressor(Explained, RegressorMixin):  # type: ignore[misc]
    """The part of a regressor that is derived from its distribution. A model that knows a quicker way takes it."""

    _Y_CHECKS: ClassVar[dict[str, Any]] = {"y_numeric": True}

    @abstractmethod
    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws."""

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean and, if requested, standard deviation of each row's target.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to return the standard deviation of a new target too.

        Returns
        -------
        mean : array of shape (n_samples,)
        std : array of shape (n_samples,), only if `return_std`
        """
        dist = self.predict_dist(X)
        return (dist.mean(), dist.std()) if return_std else dist.mean()

    def predict_interval(self, X: Any, confidence: npt.ArrayLike = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2), or (n_samples, 2, k) for k confidences."""
        interval: Floats = self.predict_dist(X).interval(confidence)
        return interval

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's target: shape (n_samples, n_quantiles)."""
        found: Floats = self.predict_dist(X).ppf(np.atleast_1d(levels_of(quantiles)))
        return found

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each target: shape (n_samples,)."""
        _, targets = self._query_rows_and_targets(X, y)
        found: Floats = self.predict_dist(X).logpdf(targets)
        return found

    def predict_uncertainty(self: Any, X: Any) -> Uncertainty:
        """Variance of each row's target, and its parts: noise, disagreement of the trees, distance from the data.

        The total is the square of the standard deviation of `predict`, and the parts add up to it. Where targets go
        through a map, or where the shape of the distribution differs from row to row, parts have the shares that they
        have before. A part that a model does not know of is zero.

        Returns
        -------
        uncertainty : Uncertainty
            A named tuple of arrays: ``total = noise + disagreement + distance``.
        """
        self._check_learned()
        cells = read(self, X, reset=False)[0]
        parts = self._variance_parts(self._query_rows(cells))
        return Uncertainty.of_parts(self.predict(cells, return_std=True)[1] ** 2, parts)

    def _variance_parts(self: Any, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Noise, disagreement and distance, in any unit."""
        parts: tuple[Floats, Floats, Floats] = self._learner.variance_parts(X, self._current.query)
        return parts

    def _query_rows_and_targets(self: Any, X: Any, y: Any) -> tuple[Floats, Floats]:
        self._check_learned()
        cells, targets = self._read(X, y, False)
        return self._columns.axes(cells.values), read_targets(targets)

    def _explained(self, output: str, confidence: float) -> Any:
        if output == "mean":
            return self.predict
        return lambda cells: np.diff(self.predict_interval(cells, confidence))[..., 0]

    def _output_names(self) -> list[Any] | None:
        n_targets = getattr(self, "_n_targets", 1)
        return list(range(n_targets)) if n_targets > 1 else None

    def _encode(self, y: Any, first: bool) -> Floats:
        return read_targets(y)

    def _encode_one(self, y: Any) -> tuple[float, float]:
        return read_target(y), 1.0

    def _as_vector(self, y: Any) -> Any:
        return [self._encode_one(y)[0]]


class Forecasting:
    """The part of an online regressor that forecasts a stream."""

    @all_rows_or_none
    def predict_then_learn(
        self: Any,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        returns: str = "dist",
        confidence: float = 0.9,
    ) -> Any:
        """Forecast each row of a stream just before learning it, in one call.

        The same as a loop over `predict_dist`, or `predict`, and `learn_one`, bit for bit, only faster. Before the very
        first row nothing is known, and the forecast is a normal distribution of variance one around the prior mean,
        or 0.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        returns : {"dist", "std", "interval"}, default="dist"
            What is forecast: whole distributions; or mean and standard deviation, which is quickest; or these two and
            the central interval. Row i was forecast by the model that had learned the rows before it.
        confidence : float, default=0.9
            Of the interval.

        Returns
        -------
        forecasts : distribution
            If `returns` is "dist".
        mean, std : arrays of shape (n_samples,)
            Otherwise.
        interval : array of shape (n_samples, 2)
            Only if `returns` is "interval".
        """
        check_returns(returns, confidence)
        coming = self._next_rows(X, y, sample_weight)
        shape = coming.y.shape[1:]
        quick = "moments_then_learn" if returns == "std" else "forecast_then_learn"
        name = quick if coming.y.size and hasattr(self._learner, quick) else "forecast_then_learn"
        parts = (
            part for rows in self._in_turn(coming) for part in getattr(self._learner, name)(rows, self._current.query)
        )
        if name == "moments_then_learn":
            return _concatenated(2, parts, shape)
        if returns == "dist":
            return Joint.joined(parts, *shape) if shape else joined_forecasts(parts)
        if returns == "std":
            return _concatenated(2, (self._moments(part) for part in parts), shape)
        return _concatenated(3, ((*self._moments(part), part.interval(confidence)) for part in parts), shape)

    def _moments(self, part: Any) -> tuple[Floats, Floats]:
        """Mean and standard deviation of forecasts, with the bits of `predict`."""
        return part.mean(), part.std()


def check_returns(returns: str, confidence: float) -> None:
    """Raise ValueError unless that can be returned."""
    if not isinstance(returns, str) or returns not in RETURNS:
        raise ValueError(f"returns must be one of {', '.join(map(repr, RETURNS))}, got {returns!r}")
    confidence_of(confidence)


def _concatenated(n_arrays: int, parts: Any, shape: tuple[int, ...]) -> tuple[Floats, ...]:
    nothing = (np.empty((0, *shape)), np.empty((0, *shape)), np.empty((0, *shape, 2)))[:n_arrays]
    return tuple(np.concatenate(arrays) for arrays in zip(nothing, *parts, strict=True))
