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


@KINDS
@pytest.mark.parametrize("returns", ["std", "interval"])
def test_moments_and_intervals_are_those_of_the_loop(kind, returns):
    forest, loop = new(kind), new(kind)
    said = forest.predict_then_learn(X, Y, returns=returns, confidence=0.8)
    assert [part.shape for part in said] == [(150,), (150,), (150, 2)][: len(said)]
    loop.learn_one(X[0], Y[0])
    for i in range(1, 150):
        mean, std = loop.predict(X[i : i + 1], return_std=True)
        if returns == "std":
            assert said[0][i] == mean[0]
            assert said[1][i] == std[0]
        else:
            np.testing.assert_allclose([said[0][i], said[1][i]], [mean[0], std[0]], rtol=1e-9, atol=1e-12)
            np.testing.assert_array_equal(said[2][i], loop.predict_interval(X[i : i + 1], confidence=0.8)[0])
        loop.learn_one(X[i], Y[i])
    np.testing.assert_array_equal(forest.predict(X), loop.predict(X))


@KINDS
@pytest.mark.parametrize("returns", ["dist", "std"])
def test_learns_what_partial_fit_learns(kind, returns):
    forest, other = new(kind), new(kind)
    parts = [
        forest.predict_then_learn(X[rows], Y[rows], returns=returns) for rows in (slice(None, 70), slice(70, None))
    ]
    assert [len(part) if returns == "dist" else part[0].size for part in parts] == [70, 80]
    other.partial_fit(X[:70], Y[:70]).partial_fit(X[70:], Y[70:])
    assert state(forest) == state(other)


def test_a_forest_that_has_forgotten_all_begins_anew():
    forest = new({}).fit(X[:20], Y[:20])
    forest.unlearn(X[:20], Y[:20])
    mean, std = forest.predict_then_learn(X[:5], Y[:5], returns="std")
    assert mean[0] == pytest.approx(0.0, abs=1e-12)
    assert (std > 0).all()


def test_no_rows_at_all():
    forest = new({}).fit(X, Y)
    nothing = np.zeros(150)
    assert len(forest.predict_then_learn(X, Y, nothing)) == 0
    assert [part.shape for part in forest.predict_then_learn(X, Y, nothing, returns="interval")] == [(0,), (0,), (0, 2)]


def test_before_the_first_row():
    mean, std = new({"prior_mean": 5.0}).predict_then_learn(X[:3], Y[:3], returns="std")
    assert mean[0] == 5.0
    assert np.isfinite(std).all()
    forecasts = new({"prior_mean": 5.0}).predict_then_learn(X[:3], Y[:3])
    assert forecasts.mean()[0] == 5.0
    assert np.isfinite(forecasts.std()).all()
    assert new({}).predict_then_learn(X[:3], Y[:3]).mean()[0] == 0.0


def test_weightless_rows_are_left_out():
    weights = np.ones(30)
    weights[[0, 7]] = 0
    kept = weights > 0
    forecasts = new({}).predict_then_learn(X[:30], Y[:30], weights)
    expected = new({}).predict_then_learn(X[:30][kept], Y[:30][kept])
    np.testing.assert_array_equal(forecasts.mean(), expected.mean())


@pytest.mark.parametrize("fitted", [False, True])
def test_bad_input_changes_nothing(fitted):
    forest = new({})
    if fitted:
        forest.fit(X, Y)
    before, attributes = forest._to_bytes(), set(vars(forest))
    for bad_X, bad_y, message in [
        (np.where(X > 2, np.nan, X), Y, "NaN"),
        (X, np.r_[Y[:-1], np.inf], "infinity"),
        (X, Y[:-1], "inconsistent"),
    ]:
        with pytest.raises(ValueError, match=message):
            forest.predict_then_learn(bad_X, bad_y)
    with pytest.raises(ValueError, match="returns must be one of 'dist', 'std', 'interval', got 'mean'"):
        forest.predict_then_learn(X, Y, returns="mean")
    with pytest.raises(ValueError, match="confidence"):
        forest.predict_then_learn(X, Y, returns="interval", confidence=90)
    assert forest._to_bytes() == before
    assert set(vars(forest)) == attributes
