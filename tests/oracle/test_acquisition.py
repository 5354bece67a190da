"""What is hoped of a place, against integrals and draws."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest, norm

from hedgerow import MondrianForestRegressor
from hedgerow.optimize._acquisition import ACQUISITIONS

RNG = np.random.default_rng(0)
X = RNG.random((40, 2))
FOREST = MondrianForestRegressor(
    n_estimators=5, smoothing="moments", hyperparameters="paper", scaling="none", min_samples_split=2, random_state=0
).fit(X, X.sum(axis=1) + RNG.normal(size=40))
QUERY = RNG.random((6, 2))


def hope(name, exploration, rng=None, query=QUERY):
    return ACQUISITIONS[name](FOREST, query, -0.5, exploration, rng or np.random.default_rng(0))


@pytest.mark.parametrize("exploration", [0.5, 1.0, 2.0])
def test_confidence_bound(exploration):
    mean, std = FOREST.predict(QUERY, return_std=True)
    np.testing.assert_allclose(hope("ucb", exploration), -(mean - exploration * std))


@pytest.mark.parametrize("exploration", [0.5, 1.0])
def test_expected_improvement_is_an_integral(exploration):
    mean, std = FOREST.predict(QUERY, return_std=True)
    expected = [
        quad(lambda y, m=m, s=s: (-0.5 - y) * norm.pdf(y, m, exploration * s), -0.5 - 40 * s, -0.5, limit=200)[0]
        for m, s in zip(mean, std, strict=True)
    ]
    np.testing.assert_allclose(hope("ei", exploration), expected, rtol=1e-5, atol=1e-7)


def test_thompson_draws_from_the_mixture():
    """False alarm with probability 0.001 at other seeds."""
    place = np.repeat(QUERY[:1], 2000, axis=0)
    draws = -hope("thompson", 1.0, query=place)
    dist = FOREST.predict_dist(QUERY[:1])
    assert kstest(draws, lambda y: dist.cdf(y[None]).ravel()).pvalue > 0.001
    stretched = -hope("thompson", 3.0, query=place)
    np.testing.assert_allclose(stretched - dist.mean(), 3 * (draws - dist.mean()), rtol=1e-6, atol=1e-9)
