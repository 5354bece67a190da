"""Predictions of rows that a model has not learned: by leave-one-out, of rows held back, or of new ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from hedgerow.cli._output import Output
from hedgerow.cli._training import Training

LEFT_OUT = "leave-one-out"
HELD_BACK = "on a fifth of the rows, not learned"


@dataclass(frozen=True)
class Honest:
    """Rows with their targets, and predictions of a model that had not learned them."""

    how: str
    """How rows were kept from the model, in words."""
    task: str
    X: Any
    y: Any
    y_learned: Any
    """Targets of the rows that were learned, for a baseline."""
    mean: Any = None
    interval: Callable[[float], Any] = lambda confidence: None
    """Intervals of a confidence, if targets are numbers."""
    quantiles: Callable[[Any], Any] | None = None
    """Quantiles of these levels, where a model knows them."""
    probabilities: Any = None
    classes: Any = None


def honest_predictions(out: Output, model: Any, rows: Training) -> Honest:
    """Return predictions of the rows that a model was fitted to, without those rows."""
    shared = {"how": LEFT_OUT, "task": rows.task, "X": rows.X, "y": rows.y, "y_learned": rows.y}
    if rows.task == "classification" and hasattr(model, "loo_predict"):
        return Honest(**shared, probabilities=model.loo_predict(), classes=model.classes_)
    if rows.task == "regression" and hasattr(model, "loo_interval"):
        try:
            with out.progress("leaving out each row"):
                return Honest(**shared, mean=model.loo_predict().mean, interval=cache(model.loo_interval))
        except ValueError:  # with smoothing by moments a forest cannot, nor a kernel that is solved by iteration
            pass
    is_new = np.random.default_rng(0).permutation(len(rows)) % 5 == 0
    with out.progress("fitting four fifths"):
        part = clone(model).fit(rows.X[~is_new], rows.y[~is_new])
    return predictions_of_new(part, rows.X[is_new], rows.y[is_new], rows.y[~is_new], rows.task, HELD_BACK)


def predictions_of_new(model: Any, X: Any, y: Any, y_learned: Any, task: str, how: str) -> Honest:
    """Return predictions of rows that are new to a model."""
    if task == "classification":
        probabilities = model.predict_proba(X)
        return Honest(how, task, X, y, y_learned, probabilities=probabilities, classes=model.classes_)
    return Honest(
        how,
        task,
        X,
        y,
        y_learned,
        model.predict(X),
        cache(lambda confidence: model.predict_interval(X, confidence)),
        lambda levels: model.predict_quantiles(X, levels),
    )
