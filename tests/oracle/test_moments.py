"""smoothing="moments": every component against the mean and variance of the rows below its node."""

from __future__ import annotations

import numpy as np
import pytest

from paper import paper_regressor
from trees import StoredForest


def expected_components(stored, root, x, noise):
    found, stay = [], 1.0
    for node in root.path(x):
        y, w = stored.shifted_labels[node.rows], stored.weights[node.rows]
        mean = np.average(y, weights=w)
        variance = np.average((y - mean) ** 2, weights=w) + noise
        hazard = node.outside(x) * (node.time - node.above) if node.outside(x) > 0 else 0.0
        if hazard > 0:
            found.append((-stay * np.expm1(-hazard), mean, variance))
            stay *= np.exp(-hazard)
    found.append((stay, mean, variance))
    return tuple(np.array(part) for part in zip(*found, strict=True))


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("min_samples_split", "lifetime"), [(2, np.inf), (5, np.inf), (10, 2.0)])
def test_components(min_samples_split, lifetime, weighted, offset):
    rng = np.random.default_rng(0)
    X = rng.integers(-64, 65, size=(50, 3)) / 64
    y = np.round(rng.normal(size=50) * 2**16) / 2**16 + offset
    weights = rng.uniform(0.5, 2, size=50) if weighted else np.ones(50)
    forest = paper_regressor(
        3,
        min_samples_split=min_samples_split,
        lifetime=lifetime,
        smoothing="moments",
        scaling="none",
        random_state=2,
    )
    forest.fit(X[:20], y[:20], weights[:20]).partial_fit(X[20:], y[20:], weights[20:])
    forest.unlearn(X[10:30], y[10:30], weights[10:30])
    stored = StoredForest.of(forest)
    origin = stored.header["learned"]["learner"]["labels"]["origin"]
    queries = np.concatenate([X[:5], rng.integers(-200, 201, size=(12, 3)) / 64])
    dist = forest.predict_dist(queries)
    roots = stored.plain_trees()
    for i, x in enumerate(stored.scaled(queries)):
        parts = [expected_components(stored, root, x, forest.noise_variance_) for root in roots]
        own = slice(dist.first[i], dist.first[i + 1])
        weights, means, variances = (np.concatenate(column) for column in zip(*parts, strict=True))
        np.testing.assert_allclose(dist.weights[own], weights / 3, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(dist.means[own], means + origin, rtol=1e-15, atol=1e-10)
        np.testing.assert_allclose(dist.variances[own], variances, rtol=1e-9)
    mean, std = forest.predict(queries, return_std=True)
    np.testing.assert_allclose(mean, dist.mean(), rtol=1e-14, atol=1e-10)
    np.testing.assert_allclose(std, dist.std(), rtol=1e-6)


def test_noise_follows_appendix_b():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    forest = paper_regressor(2, smoothing="moments", random_state=0).fit(X, y)
    assert forest.noise_variance_ == pytest.approx(np.var(y) / (0.5 * 120 + 1))
    assert forest.prior_mean_ == pytest.approx(y.mean())
    forest.set_params(noise_variance=0.3)
    assert forest.noise_variance_ == 0.3
