"""Predictive distributions of a model inside scikit-learn's pipelines, searches and transformations of the target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._counts import Counts
from hedgerow.predictive._mapped import Mapped

STEP = 1e-5
"""Of the difference that the slope of a transformation is computed from, relative to the spread of the predictions."""
TOLERANCE = 1e-6
"""A target that does not come back from its transformation up to this is out of reach."""


def predict_dist(model: Any, X: Any) -> Any:
    """Predictive distributions of rows, also by a model inside a pipeline, a search or a transformation of the target.

    For a regressor of this library it is its method of that name. Of a fitted `Pipeline` the last step is used, for
    rows that went through the others; of a search such as `GridSearchCV`, its best model. What a
    `TransformedTargetRegressor` did to the targets is undone: quantiles are transformed back, and the density gets the
    derivative of the transformation as a factor. All these may be inside one another.

    The mean of a transformed target is not the transformed mean, which `TransformedTargetRegressor.predict` returns:
    `mean` of the distribution is the former, ``ppf(0.5)`` is the median.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array or frame of shape (n_samples, n_features)
        Rows, as `model.predict` takes them.

    Returns
    -------
    dist : distribution
        In units of the targets that `model` was given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from hedgerow import MondrianForestRegressor, predict_dist
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> forest = MondrianForestRegressor(n_estimators=10, random_state=0)
    >>> pipeline = make_pipeline(PolynomialFeatures(2), forest).fit(X, X[:, 0] * X[:, 1])
    >>> dist = predict_dist(pipeline, X[:5])
    >>> dist.interval(0.9).shape, np.array_equal(dist.mean(), pipeline.predict(X[:5]))
    ((5, 2), True)
    """
    inner = _unwrapped(model, X, "predict_dist")
    dist = inner.model.predict_dist(inner.X)
    if inner.undone and isinstance(dist, Counts):
        raise ValueError(
            "the transformed targets are counts, and counts have no density to transform back; pass the targets "
            "without TransformedTargetRegressor, or set target='real'"
        )
    for outer in inner.undone:
        dist = Mapped(dist, Undone(outer, dist.mean(), dist.std()))
    return dist


def predict_interval(model: Any, X: Any, confidence: npt.ArrayLike = 0.9) -> Floats:
    """Central prediction intervals of rows, also by a model inside others, as for `predict_dist`.

    Parameters
    ----------
    model, X
        As for `predict_dist`.
    confidence : float or list of floats, default=0.9
        Probability that an interval covers its target.

    Returns
    -------
    interval : array of shape (n_samples, 2), or (n_samples, 2, k) for k confidences
        In units of the targets that `model` was given.
    """
    inner = _unwrapped(model, X, "predict_interval")
    interval: Floats = inner.model.predict_interval(inner.X, confidence)
    for outer in inner.undone:
        finite = interval[np.isfinite(interval)]
        interval = Undone(outer, finite, np.zeros(finite.size)).inverse(interval)
    return interval


class Undone:
    """What a fitted `TransformedTargetRegressor` does to targets, as a map that rises.

    Parameters
    ----------
    regressor : TransformedTargetRegressor
    mean, std : array of shape (n,)
        Of the transformed targets that are predicted: where the map must rise.
    """

    def __init__(self, regressor: Any, mean: Floats, std: Floats) -> None:
        self._transformer = regressor.transformer_
        self._functions = (regressor.func, regressor.inverse_func) if regressor.transformer is None else None
        ends = (np.min(mean - 3.0 * std, initial=np.inf), np.max(mean + 3.0 * std, initial=-np.inf))
        self._span = max(float(ends[1] - ends[0]), np.finfo(np.float64).tiny) if mean.size else 1.0
        back = self.inverse(np.linspace(*ends, 50)) if mean.size else np.zeros(1)
        if np.isnan(back).any() or (np.diff(back) < 0.0).any():
            raise ValueError(
                f"the inverse of {self!r} does not rise over all that is predicted; quantiles can be transformed back "
                "only by a function that rises, and that is defined for every prediction"
            )
        self._back_span = float(back[-1] - back[0])

    def __repr__(self) -> str:
        if self._functions is None:
            return repr(self._transformer)
        return f"the transformation by {getattr(self._functions[0], '__name__', repr(self._functions[0]))}"

    def forward(self, y: Floats) -> Floats:
        """Return transformed targets; -inf or inf where the inverse does not lead back: no prediction is there."""
        y = np.asarray(y, dtype=np.float64)
        z = self._call(0, y)
        z = np.where(np.isnan(z), -np.inf, z)
        with np.errstate(invalid="ignore"):
            gap = y - self.inverse(z)
            is_lost = np.abs(gap) > TOLERANCE * (np.abs(y) + self._back_span)
        return np.where(is_lost, np.copysign(np.inf, gap), z)

    def inverse(self, z: Floats) -> Floats:
        """Return targets."""
        return self._call(1, z)

    def log_derivative(self, y: Floats) -> Floats:
        """Return the logarithm of the slope, by a central difference of the inverse."""
        z = self.forward(y)
        step = np.maximum(STEP * self._span, 1e3 * np.finfo(np.float64).eps * np.abs(z))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope: Floats = np.log(2.0 * step) - np.log(self.inverse(z + step) - self.inverse(z - step))
        return slope

    def _call(self, which: int, values: Floats) -> Floats:
        """Transform arrays of any shape, as a column. Transformers refuse what is infinite; that stays what it is."""
        values = np.asarray(values, dtype=np.float64)
        if self._functions is not None:
            with np.errstate(all="ignore"):
                return np.asarray(self._functions[which](values.reshape(-1, 1)), np.float64).reshape(values.shape)
        call = self._transformer.inverse_transform if which else self._transformer.transform
        found, finite = values.copy(), np.isfinite(values)
        if finite.any():
            found[finite] = np.asarray(call(values[finite].reshape(-1, 1)), dtype=np.float64).reshape(-1)
        return found


class _Inner(NamedTuple):
    model: Any
    X: Any
    undone: list[Any]  # transformations of the target, the innermost first


def _unwrapped(model: Any, X: Any, method: str) -> _Inner:
    """Return the model inside that has the method, the rows for it, and what becomes of its result."""
    from sklearn.compose import TransformedTargetRegressor  # here, because it takes long
    from sklearn.pipeline import Pipeline

    if hasattr(model, method):
        return _Inner(model, X, [])
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return _unwrapped(model.steps[-1][1], X, method)
    if isinstance(model, TransformedTargetRegressor) and hasattr(model, "regressor_"):
        inner = _unwrapped(model.regressor_, X, method)
        is_changed = model.transformer is not None or model.func is not None
        return inner._replace(undone=[*inner.undone, model] if is_changed else inner.undone)
    if hasattr(model, "best_estimator_"):
        return _unwrapped(model.best_estimator_, X, method)
    raise TypeError(_refusal(model))


def _refusal(model: Any) -> str:
    name = type(model).__name__
    if hasattr(model, "predict_proba"):
        return f"{name} predicts classes, which have probabilities and no distribution of numbers: call predict_proba"
    if hasattr(model, "regressor") or hasattr(model, "refit"):
        return f"{name} has no fitted model inside: call fit first, of a search with refit=True"
    return (
        f"{name} has no predictive distribution; expected a regressor of hedgerow, or a Pipeline, a "
        "TransformedTargetRegressor or a search such as GridSearchCV around one"
    )
