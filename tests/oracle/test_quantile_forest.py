"""Quantile forests next to the labels that their leaves hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from hedgerow import OnlineQuantileForestRegressor
from models import bits, draw_numbers
from models import online_forest as forest

X, Y = draw_numbers()
LEVELS = np.array([0.0, 0.05, 0.25, 0.5, 0.9, 1.0])


def test_quantiles_are_those_of_the_mixture_of_leaves():
    """Rows in the same leaf, tree by tree, each tree with the same weight; no bagging to speak of at this rate."""
    model = OnlineQuantileForestRegressor(forest(drift_detection=False, leaf_capacity=1000), sketch_size=1000).fit(X, Y)
    first, weights, labels = model._learner.core.labels(X[:20])
    found = model.predict_quantiles(X[:20], LEVELS)
    for i in range(20):
        own = slice(first[i], first[i + 1])
        order = np.argsort(labels[own])
        share = np.cumsum(weights[own][order]) / weights[own].sum()
        expected = labels[own][order][np.searchsorted(share, LEVELS - 1e-9).clip(max=share.size - 1)]
        np.testing.assert_array_equal(found[i], expected)
        assert weights[own].sum() == pytest.approx(4.0)  # one for each tree


def test_the_distribution_object_agrees():
    model = OnlineQuantileForestRegressor(forest()).fit(X, Y)
    dist = model.predict_dist(X)
    np.testing.assert_array_equal(dist.ppf(LEVELS), model.predict_quantiles(X, LEVELS))
    np.testing.assert_array_equal(dist.ppf(0.5), model.predict_quantiles(X, [0.5])[:, 0])
    np.testing.assert_array_equal(dist.interval(0.8), model.predict_interval(X, 0.8))
    draws = dist.rvs(2000, random_state=0)
    assert draws.shape == (400, 2000)
    assert dist.rvs(random_state=0).shape == (400,)
    errors = (draws.mean(axis=1) - dist.mean()) / (dist.std() / np.sqrt(2000) + 1e-12)
    assert np.abs(errors).max() < 5  # 400 standard normals: a false alarm in 4000
    few, grid = model.predict_dist(X[:9]), np.linspace(Y.min() - 30, Y.max() + 30, 4001)
    density = few.pdf(np.broadcast_to(grid, (9, grid.size)))
    np.testing.assert_allclose(trapezoid(density, grid, axis=1), 1.0, atol=2e-2)
    assert (np.diff(few.cdf(np.broadcast_to(grid, (9, grid.size))), axis=1) >= -1e-12).all()
    for bad in (-0.1, [0.5, 1.1], [[0.5]]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            dist.ppf(bad)
        with pytest.raises(ValueError, match="between 0 and 1"):
            model.predict_quantiles(X, bad)
    with pytest.raises(ValueError, match="confidence"):
        dist.interval(1.0)


@pytest.mark.parametrize("conformal", [False, True])
def test_forecasts_are_those_of_the_loop(conformal):
    options = {"conformal": conformal, "calibration_size": 60, "sketch_size": 20}
    model, loop = (OnlineQuantileForestRegressor(forest(max_nodes=15), **options) for _ in range(2))
    mean, interval = model.predict_then_learn(X, Y, confidence=0.8)
    assert np.isinf(interval[0]).all()
    loop.learn_one(X[0], Y[0])
    for i in range(1, 400):
        np.testing.assert_array_equal(loop.predict(X[i : i + 1]), mean[i : i + 1])
        np.testing.assert_array_equal(loop.predict_interval(X[i : i + 1], 0.8), interval[i : i + 1])
        loop.learn_one(X[i], Y[i])
    assert bits(model) == bits(loop)


@pytest.mark.parametrize(
    ("name", "value"),
    [("sketch_size", 4), ("conformal", "yes"), ("calibration_size", 0), ("base", 3), ("base", forest(n_estimators=0))],
)
def test_parameters(name, value):
    model = OnlineQuantileForestRegressor().set_params(**{name: value})
    with pytest.raises(ValueError, match="base must|n_estimators" if name == "base" else name):
        model.fit(X, Y)


def test_weights_move_quantiles():
    rows, labels = np.zeros((600, 1)), np.tile([0.0, 1.0, 2.0], 200)
    model = OnlineQuantileForestRegressor(forest(drift_detection=False)).fit(
        rows, labels, np.tile([1.0, 1.0, 8.0], 200)
    )
    np.testing.assert_array_equal(model.predict_quantiles([[0.0]], [0.05, 0.15, 0.3, 0.9]), [[0.0, 1.0, 2.0, 2.0]])


@pytest.mark.statistical
def test_conformal_quantiles_cover():
    """Labels with heavy tails: plain quantiles of small leaves are too wide or too narrow, calibrated ones are neither.

    6000 rows after the first 2000: the miss rate of 0.1 has a standard deviation of about 0.005 with a window of 1000
    scores (0.0039 from the rows, 0.0095 / sqrt(6) from the windows), so five of them are 0.027.
    """
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(8000, 4))
    labels = 5 * rows[:, 0] + rng.standard_t(3, size=8000) * (0.2 + rows[:, 2])
    model = OnlineQuantileForestRegressor(random_state=0, conformal=True)
    _, interval = model.predict_then_learn(rows, labels, confidence=0.9)
    missed = (labels < interval[:, 0]) | (labels > interval[:, 1])
    assert abs(missed[2000:].mean() - 0.1) < 0.027
