"""Boosting, too, forecasts a stream in one call as in a loop over predict_dist and learn_one."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianBoostingRegressor

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.normal(size=100), RNG.uniform(size=100), RNG.integers(0, 4, 100)])
Y = np.sin(2 * X[:, 0]) + X[:, 2] + 0.2 * RNG.normal(size=100)

KINDS = pytest.mark.parametrize(
    "kind", [{}, {"linear": True}, {"scaling": "rank", "tail": "empirical"}, {"n_jobs": 2}], ids=str
)


def new(kind):
    return MondrianBoostingRegressor(**{"n_estimators": 3, "max_stages": 3, "random_state": 1, **kind})


@KINDS
def test_is_the_loop(kind):
    model, loop = new(kind), new(kind)
    mean, std, interval = model.predict_then_learn(X, Y, returns="interval", confidence=0.8)
    loop.learn_one(X[0], Y[0])
    for i in range(1, 100):
        dist = loop.predict_dist(X[i : i + 1])
        assert mean[i] == dist.mean()[0]
        assert std[i] == dist.std()[0]
        np.testing.assert_array_equal(interval[i], dist.interval(0.8)[0])
        loop.learn_one(X[i], Y[i])
    assert model._to_bytes() == loop._to_bytes()


def test_pieces_do_not_show():
    weights = RNG.choice([1.0, 1.5, 3.0], 100)
    whole, pieces, other = new({}), new({}), new({})
    said = whole.predict_then_learn(X, Y, weights)
    parts = [
        pieces.predict_then_learn(X[a:b], Y[a:b], weights[a:b], returns="std") for a, b in ((0, 1), (1, 33), (33, 100))
    ]
    np.testing.assert_array_equal(said.mean(), np.concatenate([part[0] for part in parts]))
    np.testing.assert_array_equal(said.std(), np.concatenate([part[1] for part in parts]))
    other.partial_fit(X, Y, weights)
    assert whole._to_bytes() == pieces._to_bytes() == other._to_bytes()


def test_forecasts_are_distributions():
    said = new({}).predict_then_learn(X, Y)
    assert len(said) == 100
    assert (said.mean()[0], said.std()[0]) == (0.0, 1.0)  # before the first row nothing is known
    levels = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(said.cdf(said.ppf(levels)), np.tile(levels, (100, 1)), atol=1e-6)
    np.testing.assert_allclose(said.pdf(Y), np.exp(said.logpdf(Y)))
    np.testing.assert_array_equal(said.logpdf(Y[:, None])[:, 0], said.logpdf(Y))
    np.testing.assert_array_equal(said.ppf(0.5), said.ppf([0.5])[:, 0])
    assert said.rvs(7, random_state=0).shape == (100, 7)
    assert "100 rows" in repr(said)
    with pytest.raises(ValueError, match="shape"):
        said.logpdf(np.zeros((2, 2, 2)))


@pytest.mark.parametrize("fitted", [False, True])
def test_bad_input_changes_nothing(fitted):
    model = new({})
    if fitted:
        model.fit(X, Y)
    before, attributes = model._to_bytes(), set(vars(model))
    for arguments, asked, message in [
        ((np.where(X > 2, np.nan, X), Y), {}, "NaN"),
        ((X, Y[:-1]), {}, "inconsistent"),
        ((X, Y), {"returns": "mean"}, "returns must be one of"),
        ((X, Y), {"returns": "interval", "confidence": 1.5}, "confidence"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.predict_then_learn(*arguments, **asked)
    assert model._to_bytes() == before
    assert set(vars(model)) == attributes


def test_weightless_rows_are_left_out():
    model = new({}).fit(X, Y)
    before = model._to_bytes()
    mean, std, interval = model.predict_then_learn(X, Y, np.zeros(100), returns="interval")
    assert (mean.shape, std.shape, interval.shape) == ((0,), (0,), (0, 2))
    assert model._to_bytes() == before
