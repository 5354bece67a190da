"""Forests with keyed cuts, rows for them, and what their tests compare."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from models import answers

HISTORY = {"counters", "rows.arrival_order"}  # arrays of a file that tell when rows came, and how many ever did
FIXED = {"scaling": "none", "hyperparameters": "paper", "cuts": "keyed", "random_state": 5, "min_samples_split": 2}
SMOOTHING = {"drift_rate": 0.5, "signal_to_noise": 20.0}
CLASSES = ["a", "b", "c"]

NEW = {
    "hierarchy": lambda **more: MondrianForestRegressor(4, **(FIXED | SMOOTHING | more)),
    "moments": lambda **more: MondrianForestRegressor(4, smoothing="moments", **(FIXED | SMOOTHING | more)),
    "classes": lambda **more: MondrianForestClassifier(4, **(FIXED | more)),
    "learned": lambda **more: MondrianForestRegressor(4, cuts="keyed", random_state=5, **more),
    "learned classes": lambda **more: MondrianForestClassifier(4, cuts="keyed", random_state=5, **more),
    "learned positive": lambda **more: MondrianForestRegressor(
        4, cuts="keyed", random_state=5, target="positive", **more
    ),
    "learned targets": lambda **more: MondrianForestRegressor(4, cuts="keyed", random_state=5, **more),
}


def draw(kind, n=160, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(size=(n, 3)) * 16) / 16  # so that rows come twice
    X[:, 1] = rng.normal(size=n)
    X[n // 2 :: 5, 1] = 0.25
    y = 3 * X[:, 0] + X[:, 1] + rng.normal(scale=0.2, size=n)
    if "positive" in kind:
        return X, np.round(np.exp(y), 3)  # what has few digits comes back from its logarithm as it was
    if "targets" in kind:
        return X, np.column_stack([y, 10 * X[:, 1] + rng.normal(size=n)])
    return X, (np.array(CLASSES)[np.clip(y, 0, 2).astype(int)] if "classes" in kind else y)


def said(model, X, y):
    """All that a model says but for leave-one-out, which comes in the order in which rows came."""
    found = answers(model, X, y)
    found.pop("loo_predict", None)
    return found


def known(model):
    """All that the core keeps but for when rows came."""
    return {name: array.tobytes() for name, array in model._learner.core.archive().items() if name not in HISTORY}


def are_same(one, other, X, y):
    return said(one, X, y) == said(other, X, y) and known(one) == known(other)


ALL = pytest.mark.parametrize("kind", list(NEW))
NOTHING_LEARNED = pytest.mark.parametrize("kind", ["hierarchy", "moments", "classes"])


def learned_online(model, X, y):
    announced = {"classes": CLASSES} if isinstance(model, MondrianForestClassifier) else {}
    return model.partial_fit(X, y, **announced)
