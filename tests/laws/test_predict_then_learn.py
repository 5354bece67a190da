"""Forecasting a stream in one call is a loop over predict_dist, or predict, and learn_one."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from trees import StoredForest

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=150), RNG.exponential(size=150) * 100])
Y = X[:, 0] + RNG.normal(size=150)

KINDS = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"hyperparameters": "paper"},
        {"smoothing": "moments"},
        {"scaling": "rank"},
        {"min_samples_split": 2, "lifetime": 3.0},
        {"window": 40},
        {"prior_mean": 2.0, "drift_variance": 3.0, "noise_variance": 0.1},
        {"n_jobs": 2},
    ],
    ids=str,
)


def new(kind):
    return MondrianForestRegressor(**{"n_estimators": 4, "min_samples_split": 4, "random_state": 1, **kind})


def state(forest):
    return {name: array.tobytes() for name, array in StoredForest.of(forest).arrays.items()}


@KINDS
def test_is_the_loop(kind):
    forest, loop = new(kind), new(kind)
    forecasts = forest.predict_then_learn(X, Y)
    assert len(forecasts) == 150
    loop.learn_one(X[0], Y[0])
    for i in range(1, 150):
        one = loop.predict_dist(X[i : i + 1])
        own = slice(forecasts.first[i], forecasts.first[i + 1])
        np.testing.assert_array_equal(forecasts.weights[own], one.weights)
        np.testing.assert_array_equal(forecasts.means[own], one.means)
        np.testing.assert_array_equal(forecasts.variances[own], one.variances)
        loop.learn_one(X[i], Y[i])
    if "window" not in kind:
        assert state(forest) == state(loop)
    np.testing.assert_array_equal(forest.predict(X), loop.predict(X))


def test_a_forest_that_has_forgotten_all_begins_anew():
    forest = new({}).fit(X[:20], Y[:20])
    forest.unlearn(X[:20], Y[:20])
    mean, std = forest.predict_then_learn(X[:5], Y[:5], returns="std")
    assert mean[0] == pytest.approx(0.0, abs=1e-12)
    assert (std > 0).all()


def test_before_the_first_row():
    mean, std = new({"prior_mean": 5.0}).predict_then_learn(X[:3], Y[:3], returns="std")
    assert mean[0] == 5.0
    assert np.isfinite(std).all()
    forecasts = new({"prior_mean": 5.0}).predict_then_learn(X[:3], Y[:3])
    assert forecasts.mean()[0] == 5.0
    assert np.isfinite(forecasts.std()).all()
    assert new({}).predict_then_learn(X[:3], Y[:3]).mean()[0] == 0.0
