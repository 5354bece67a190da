"""Calibrated online models: forecasts of whole distributions are those of the loop, and stay as they were made."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import (
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)


def forest():
    return OnlineForestRegressor(4, grace_period=20, random_state=1)


def conformal(base=None, **changed):
    return OnlineConformalRegressor(forest() if base is None else base, calibration_size=60, **changed)


def mondrian():
    return MondrianForestRegressor(3, hyperparameters="paper", random_state=1)


def draw(n):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 3)) * [1.0, 1000.0, 1.0]
    return X, 5.0 * (X[:, 0] > 0.5) + X[:, 1] / 500 + rng.normal(scale=0.2, size=n)


N = 120
X, Y = draw(N)
LEVELS = [0.0, 0.02, 0.3, 0.5, 0.8, 0.99]
MODELS = {
    "exact": conformal,
    "all options": lambda: conformal(adaptive=True, adaptation_rate=0.05, normalised=True, size_matched=True),
    "approximate": lambda: conformal(mode="approximate", adaptive=True),
    "Mondrian": lambda: conformal(mondrian(), normalised=True),
    "quantile": lambda: OnlineQuantileForestRegressor(forest(), sketch_size=16),
    "quantile, conformal": lambda: OnlineQuantileForestRegressor(forest(), conformal=True, calibration_size=40),
}
EVERY = pytest.mark.parametrize("new", MODELS.values(), ids=MODELS)


@EVERY
def test_forecasts_are_those_of_the_loop(new):
    model, loop, moments, intervals = new(), new(), new(), new()
    forecasts = model.predict_then_learn(X, Y, returns="dist")
    mean, std = moments.predict_then_learn(X, Y, returns="std")
    same_mean, interval = intervals.predict_then_learn(X, Y, confidence=0.8)
    assert len(forecasts) == mean.size == std.size == len(interval) == N
    np.testing.assert_allclose(mean, same_mean, rtol=1e-12, atol=1e-12)
    quantiles, density, draws = forecasts.ppf(LEVELS), forecasts.logpdf(Y), forecasts.rvs(random_state=0)
    assert draws.shape == (N,)
    loop.learn_one(X[0], Y[0])
    for i in range(1, N):
        one = loop.predict_dist(X[i : i + 1])
        np.testing.assert_array_equal(quantiles[i], one.ppf(LEVELS)[0])
        assert density[i] == one.logpdf(Y[i])[0]
        assert std[i] == one.std()[0]
        # The core's quantiles may differ in the last bit beyond the targets that were met.
        np.testing.assert_allclose(loop.predict_quantiles(X[i : i + 1], LEVELS)[0], quantiles[i], rtol=1e-9)
        loop.learn_one(X[i], Y[i])
    assert len({copy._to_bytes() for copy in (model, loop, moments, intervals)}) == 1


@EVERY
def test_a_distribution_does_not_change_while_the_model_learns(new):
    model = new().fit(X[:100], Y[:100])
    dist = model.predict_dist(X[:5])
    before = dist.ppf(LEVELS), dist.interval(0.7), dist.cdf(0.3)
    model.partial_fit(X[100:], Y[100:] + 50.0)
    for was, now in zip(before, (dist.ppf(LEVELS), dist.interval(0.7), dist.cdf(0.3)), strict=True):
        np.testing.assert_array_equal(was, now)
    assert (model.predict_dist(X[:5]).ppf(LEVELS) != before[0]).any()


@EVERY
def test_what_can_be_returned(new):
    nothing = np.zeros(N)
    model = new()
    assert len(model.predict_then_learn(X, Y, nothing, returns="dist")) == 0
    assert [part.shape for part in model.predict_then_learn(X, Y, nothing)] == [(0,), (0, 2)]
    assert [part.shape for part in model.predict_then_learn(X, Y, nothing, returns="std")] == [(0,), (0,)]
    with pytest.raises(ValueError, match="returns must be"):
        model.predict_then_learn(X, Y, returns="quantiles")
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize("name", ["exact", "approximate", "quantile"])
def test_parameters_of_the_base_cannot_change_while_learning(name):
    model = MODELS[name]().fit(X, Y)
    model.set_params(base__grace_period=50)
    with pytest.raises(ValueError, match=r"base was .*grace_period=20.*grace_period=50"):
        model.partial_fit(X, Y)
    model.set_params(base__grace_period=20, calibration_size=7)
    for learn in (lambda: model.partial_fit(X, Y), lambda: model.learn_one(X[0], Y[0])):
        with pytest.raises(ValueError, match="calibration_size was"):
            learn()
