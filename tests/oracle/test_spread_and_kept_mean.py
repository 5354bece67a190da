"""What is done to a mixture after the trees have spoken: means drawn together, and the mean kept outside the range."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor, _core
from hedgerow.predictive import NormalMixture

RNG = np.random.default_rng(2)
X = RNG.integers(0, 64, size=(60, 2)) / 64
Y = 4 * X[:, 0] + RNG.normal(size=60)
QUERIES = np.concatenate([X[:10], RNG.integers(-64, 160, size=(40, 2)) / 64, [[1e9, -1e9]]])


@pytest.mark.parametrize("spread", [1.0, 0.4, 0.0])
@pytest.mark.parametrize("keeps_mean", [False, True])
@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
def test_against_the_bare_mixture(smoothing, keeps_mean, spread):
    forest = MondrianForestRegressor(5, smoothing=smoothing, scaling="none", random_state=0).fit(X, Y)
    numbers = {"centre": 0.3, "variance": 2.0, "share": 1.0, "origin": 0.0, "noise_share": 0.1}
    bare = _core.QueryRule(**numbers)
    rule = _core.QueryRule(**numbers, spread=spread, keeps_mean=keeps_mean)
    first, weights, means, variances = forest._learner.core.mixtures(QUERIES, bare, 1)
    inside = np.clip(QUERIES, X.min(axis=0), X.max(axis=0))
    at_entries = NormalMixture(*forest._learner.core.mixtures(inside, bare, 1)).mean()
    expected_means, expected_variances = means.copy(), variances.copy()
    for i in range(len(QUERIES)):
        own = slice(first[i], first[i + 1])
        mean = weights[own] @ means[own]
        is_outside = keeps_mean and (QUERIES[i] != inside[i]).any()
        moved = at_entries[i] - mean if is_outside else 0.0
        expected_means[own] = mean + moved + spread * (means[own] - mean)
        expected_variances[own] += moved**2
    found = forest._learner.core.mixtures(QUERIES, rule, 2)
    np.testing.assert_array_equal(found[0], first)
    np.testing.assert_array_equal(found[1], weights)
    np.testing.assert_allclose(found[2], expected_means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[3], expected_variances, rtol=1e-12)
    whole = NormalMixture(*found)
    mean, within, between, added = forest._learner.core.moments(QUERIES, rule, 1)
    assert not added.any()
    variance = within + spread**2 * between
    np.testing.assert_allclose(mean, whole.mean(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.sqrt(variance), whole.std(), rtol=1e-9)


def test_what_users_see_is_the_same():
    forest = MondrianForestRegressor(10, random_state=0).fit(X, Y)
    assert forest._learner.labels.calibration.spread < 1.0
    mean, std = forest.predict(QUERIES, return_std=True)
    dist = forest.predict_dist(QUERIES)
    np.testing.assert_allclose(dist.mean(), mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dist.std(), std, rtol=1e-9)
    np.testing.assert_array_equal([forest.predict_one(x) for x in QUERIES], mean)
