"""Boosting, too, forecasts a stream in one call as in a loop over predict_dist and learn_one."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianBoostingRegressor

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.normal(size=100), RNG.uniform(size=100), RNG.integers(0, 4, 100)])
Y = np.sin(2 * X[:, 0]) + X[:, 2] + 0.2 * RNG.normal(size=100)


def new(kind):
    return MondrianBoostingRegressor(**{"n_estimators": 3, "max_stages": 3, "random_state": 1, **kind})


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
