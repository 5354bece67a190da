"""Forecasts of each row by a model before it learns the row.

One protocol for all online models. A model of ours does a whole chunk in one call, `predict_then_learn`; any other is
called row by row, through whichever of scikit-learn's or river's methods it has. Both give the same bits.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError

from hedgerow.metrics._distributions import crps_of_rows
from hedgerow.numeric.arrays import Floats
from hedgerow.stream._chunks import Chunk

Columns = dict[str, tuple[Any, ...]]
"""For each tally, by name, what its `update` takes: arrays with a value for each row."""


class Forecaster:
    """A model, and how it forecasts."""

    task: str
    scored: tuple[str, ...]  # what can be scored: names of tallies of a run

    def __init__(self, model: Any) -> None:
        self.model = model
        if not (hasattr(model, "learn_one") or hasattr(model, "partial_fit")):
            raise TypeError(f"{type(model).__name__} cannot learn online: it has neither learn_one nor partial_fit")
        self._is_fused = hasattr(model, "predict_then_learn") and hasattr(model, "__sklearn_is_fitted__")
        # river's models take mappings only.
        self._takes_mappings = not hasattr(model, "predict") and not hasattr(model, "partial_fit")

    def forecast_then_learn(self, chunk: Chunk) -> Columns:
        """Forecast each row of a chunk with a model that has learned the rows before it, and learn it."""
        chunk = self._in_order(chunk)
        parts: list[Columns] = []
        if self._is_fused and not self.model.__sklearn_is_fitted__():
            parts, chunk = [self._one(chunk, 0)], chunk[1:]
        with warnings.catch_warnings():
            # Columns are in the order in which the model knows them by name.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            if self._is_fused and len(chunk):
                parts.append(self._fused(chunk))
            elif not self._is_fused:
                parts += [self._one(chunk, index) for index in range(len(chunk))]
        return {
            name: tuple(np.concatenate(column) for column in zip(*(part[name] for part in parts), strict=True))
            for name in parts[0]
        }

    def _fused(self, chunk: Chunk) -> Columns:
        """Forecast and learn all rows in one call."""
        raise NotImplementedError

    def _forecast_one(self, x: Any, X: npt.NDArray[Any], y: Any) -> Columns:
        """Forecast one row: `x` is a mapping or a vector, `X` a matrix of one row."""
        raise NotImplementedError

    def _one(self, chunk: Chunk, index: int) -> Columns:
        x, X, y = self._row(chunk, index), chunk.X[index : index + 1], chunk.y[index]
        forecast = self._forecast_one(x, X, y)
        if hasattr(self.model, "learn_one"):
            self.model.learn_one(x, y.item() if isinstance(y, np.generic) else y)
        else:
            self.model.partial_fit(X, chunk.y[index : index + 1])
        return forecast

    def _row(self, chunk: Chunk, index: int) -> Any:
        """The first row names the columns; after that a vector is quicker."""
        if self._takes_mappings:
            names = chunk.names or range(chunk.X.shape[1])
            return dict(zip(names, chunk.X[index].tolist(), strict=True))
        return chunk.X[index] if self.has_learned() else chunk.row(index)

    def has_learned(self) -> bool:
        """Whether the model has learned a row; where that is unknown, yes."""
        return not hasattr(self.model, "__sklearn_is_fitted__") or self.model.__sklearn_is_fitted__()

    def _in_order(self, chunk: Chunk) -> Chunk:
        """Columns by name, as the model learned them, if both have names."""
        known = getattr(self.model, "feature_names_in_", None)
        if known is None or chunk.names is None or tuple(known) == chunk.names:
            return chunk
        missing = [name for name in known if name not in chunk.names]
        if missing:
            raise ValueError(f"the stream has no column {missing[0]!r}, which the model learned")
        order = [chunk.names.index(name) for name in known]
        return Chunk(np.ascontiguousarray(chunk.X[:, order]), chunk.y, tuple(known))


class NumberForecaster(Forecaster):
    """A model of numbers: its mean, its interval if it has one, its whole distribution if wanted."""

    task = "regression"

    def __init__(self, model: Any, confidence: float, distribution: bool) -> None:
        super().__init__(model)
        self.confidence, self.distribution = confidence, distribution
        self._has_dist = hasattr(model, "predict_dist")
        self._has_interval = self._has_dist or hasattr(model, "predict_interval")
        if distribution and not self._has_dist:
            raise TypeError(f"distribution=True needs a model with predict_dist; {type(model).__name__} has none")
        if not (self._has_interval or hasattr(model, "predict") or hasattr(model, "predict_one")):
            raise TypeError(f"{type(model).__name__} cannot forecast: it has neither predict nor predict_one")
        parts = {"intervals": self._has_interval, "errors": True, "distributions": distribution}
        self.scored = tuple(name for name, is_scored in parts.items() if is_scored)

    def _fused(self, chunk: Chunk) -> Columns:
        labels = _numbers(chunk.y)
        if self.distribution:
            return self._from_dist(labels, self.model.predict_then_learn(chunk.X, labels, returns="dist"))
        parts = self.model.predict_then_learn(chunk.X, labels, returns="interval", confidence=self.confidence)
        return self._columns(labels, parts[0], parts[-1])

    def _forecast_one(self, x: Any, X: npt.NDArray[Any], y: Any) -> Columns:
        labels = _numbers(np.array([y]))
        if not self.has_learned():
            prior = float(self.model.predict_one(x)) if hasattr(self.model, "predict_one") else 0.0
            return self._columns(labels, [prior], [[-np.inf, np.inf]])
        try:
            if self._has_dist:
                return self._from_dist(labels, self.model.predict_dist(X))
            interval = self.model.predict_interval(X, confidence=self.confidence) if self._has_interval else None
            mean = self.model.predict(X) if hasattr(self.model, "predict") else [self.model.predict_one(x) or 0.0]
        except NotFittedError:
            return self._columns(labels, [0.0], [[-np.inf, np.inf]])
        return self._columns(labels, mean, interval)

    def _from_dist(self, labels: Floats, dist: Any) -> Columns:
        columns = self._columns(labels, dist.mean(), dist.interval(self.confidence))
        if self.distribution:
            columns["distributions"] = (dist.logpdf(labels), crps_of_rows(labels, dist))
        return columns

    def _columns(self, labels: Floats, mean: Any, interval: Any) -> Columns:
        columns: Columns = {"errors": (labels, np.asarray(mean, dtype=np.float64))}
        if self._has_interval:
            columns["intervals"] = (labels, np.asarray(interval, dtype=np.float64))
        if self.distribution:
            columns["distributions"] = (np.full(labels.size, np.nan), np.full(labels.size, np.nan))
        return columns


class ClassForecaster(Forecaster):
    """A model of classes: the class it predicts, and the probability it gave to the one that came."""

    task, scored = "classification", ("classes",)

    def _fused(self, chunk: Chunk) -> Columns:
        probabilities = np.asarray(self.model.predict_then_learn(chunk.X, chunk.y))
        classes = self.model.classes_
        places = {label: place for place, label in enumerate(classes.tolist())}
        at = [places[label] for label in chunk.y.tolist()]
        given = probabilities[np.arange(len(chunk)), at]
        return {"classes": (chunk.y, classes[np.argmax(probabilities, axis=1)].astype(object), given)}

    def _forecast_one(self, x: Any, X: npt.NDArray[Any], y: Any) -> Columns:
        label = y.item() if isinstance(y, np.generic) else y
        try:
            if hasattr(self.model, "predict_proba_one"):
                probabilities = self.model.predict_proba_one(x)
            elif hasattr(self.model, "predict_proba"):
                given = self.model.predict_proba(X)[0].tolist()
                probabilities = dict(zip(self.model.classes_.tolist(), given, strict=True))
            else:
                return self._columns(y, self.model.predict(X)[0], np.nan)
        except NotFittedError:
            probabilities = {}
        best = max(probabilities, key=probabilities.__getitem__) if probabilities else None
        return self._columns(y, best, probabilities.get(label, 0.0))

    @staticmethod
    def _columns(label: Any, predicted: Any, probability: float) -> Columns:
        one = np.empty(1, dtype=object)
        one[0] = predicted
        return {"classes": (np.array([label]), one, np.array([probability]))}


def forecaster_of(model: Any, confidence: float, distribution: bool) -> Forecaster:
    """Return the model with the way it forecasts."""
    if is_classifier_like(model):
        if distribution:
            raise TypeError("distribution=True is for regression; classes are scored by their probabilities anyway")
        return ClassForecaster(model)
    return NumberForecaster(model, confidence, distribution)


def is_classifier_like(model: Any) -> bool:
    """Whether a model, of scikit-learn's kind or of river's, predicts classes."""
    river: Any = sys.modules.get("river")
    if river is not None and isinstance(model, river.base.Estimator):
        # A pipeline of river's has all methods; what it is, its last step shows.
        last = list(model.steps.values())[-1] if hasattr(model, "steps") else model
        return isinstance(last, river.base.Classifier)
    if hasattr(model, "__sklearn_tags__"):
        return bool(is_classifier(model))
    return hasattr(model, "predict_proba_one") or hasattr(model, "predict_proba")


def _numbers(y: npt.NDArray[Any]) -> Floats:
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"a regressor needs labels that are numbers, got {y[0]!r}") from None
