"""The online regressors in their variants, and a small stream for them."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import (
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)

FOREST = {"n_estimators": 4, "grace_period": 20, "random_state": 1}


def forest(**changed):
    return OnlineForestRegressor(**{**FOREST, **changed})


def conformal(base=None, **changed):
    base = forest() if base is None else base
    return OnlineConformalRegressor(base, **{"calibration_size": 60, **changed})


def mondrian():
    return MondrianForestRegressor(3, hyperparameters="paper", random_state=1)


MODELS = {
    "forest": forest,
    "forest, linear": lambda: forest(leaf_model="linear"),
    "forest, hoeffding": lambda: forest(split_test="hoeffding", split_confidence=1e-3, drift_detection="page_hinkley"),
    "forest, bounded": lambda: forest(max_nodes=9, leaf_capacity=25, drift_detection=False),
    "conformal": conformal,
    "conformal, all options": lambda: conformal(
        update_every=7, adaptive=True, normalised=True, size_matched=True, adaptation_rate=0.02
    ),
    "conformal, approximate": lambda: conformal(mode="approximate", adaptive=True, normalised=True),
    "conformal, Mondrian": lambda: conformal(mondrian()),
    "conformal, Mondrian, normalised": lambda: conformal(mondrian(), normalised=True),
    "quantile": lambda: OnlineQuantileForestRegressor(forest()),
    "quantile, conformal": lambda: OnlineQuantileForestRegressor(
        forest(max_nodes=9), sketch_size=16, conformal=True, calibration_size=50
    ),
}
EVERY_MODEL = pytest.mark.parametrize("new", MODELS.values(), ids=MODELS)


def draw_stream(n=400, seed=0):
    """A step and a slope in two of three features; labels turn over after three quarters."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3)) * [1.0, 1000.0, 1.0]
    y = 5.0 * (X[:, 0] > 0.5) + X[:, 1] / 500 + rng.normal(scale=0.2, size=n)
    y[3 * n // 4 :] *= -1
    return X, y


def bits(model):
    """Everything a model knows, as bytes."""
    return model._to_bytes()
