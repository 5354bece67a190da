"""Predictions of one tree against a dense Gaussian solve, to 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from oracle.dense import DenseTree, Hyperparameters
from paper import paper_regressor
from trees import StoredForest

FIXED = {"prior_mean": 0.7, "drift_variance": 5.0, "drift_rate": 0.3, "noise_variance": 0.4}
APPENDIX_B: dict = {}
SETTINGS = {
    "fixed": {"hyper": FIXED},
    "appendix B": {"hyper": APPENDIX_B},
    "steep": {"hyper": {**FIXED, "drift_rate": 20.0, "noise_variance": 1e-3}, "min_samples_split": 2},
    "flat": {"hyper": {**FIXED, "drift_rate": 1e-4, "noise_variance": 50.0}, "min_samples_split": 5},
    "short life": {"hyper": FIXED, "min_samples_split": 2, "lifetime": 0.8},
    "short life, appendix B": {"hyper": APPENDIX_B, "min_samples_split": 2, "lifetime": 1.5},
    "only the noise set": {"hyper": {"noise_variance": 0.2}, "min_samples_split": 3},
}


def grid_rows(rng, n, width):
    """Points on a grid of 1/64, exact in single precision, a third of them duplicates."""
    X = rng.integers(-64, 65, size=(n, width)) / 64
    X[rng.integers(0, n, size=n // 3)] = X[rng.integers(0, n, size=n // 3)]
    y = np.sin(3 * X[:, 0]) + rng.normal(size=n)
    return X, y


def grid_queries(rng, X):
    """Rows, points among them, points just outside and points far away."""
    width = X.shape[1]
    among = rng.integers(-64, 65, size=(8, width)) / 64
    around = rng.integers(-160, 161, size=(8, width)) / 64
    far = rng.integers(-64, 65, size=(4, width)) * 32.0
    return np.concatenate([X[:6], among, around, far])


def tree_forest(settings, seed=0):
    shape = {key: value for key, value in settings.items() if key != "hyper"}
    return paper_regressor(1, scaling="none", random_state=seed, **settings["hyper"], **shape)


def dense_of(forest, hyper=None, labels=None):
    stored = StoredForest.of(forest)
    (root,) = stored.plain_trees()
    labels = stored.labels if labels is None else labels(stored)
    return stored, DenseTree(root, labels, stored.weights, hyper or Hyperparameters.of(forest), forest.lifetime)


def assert_agrees(forest, queries, rtol=1e-9):
    stored, dense = dense_of(forest)
    dist = forest.predict_dist(queries)
    asked = np.linspace(-4, 4, len(queries))
    log_density = forest.log_density(queries, asked)
    spread = np.sqrt(dense.hyper.drift_variance)
    for i, x in enumerate(stored.scaled(queries)):
        weights, means, variances = dense.components(x)
        own = slice(dist.first[i], dist.first[i + 1])
        np.testing.assert_allclose(dist.weights[own], weights, rtol=rtol, atol=1e-14)
        np.testing.assert_allclose(dist.means[own], means, rtol=rtol, atol=rtol * spread)
        np.testing.assert_allclose(dist.variances[own], variances, rtol=rtol)
        with np.errstate(divide="ignore"):
            parts = np.log(weights) + norm.logpdf(asked[i], means, np.sqrt(variances))
        np.testing.assert_allclose(log_density[i], logsumexp(parts), rtol=rtol)
    np.testing.assert_allclose(forest.log_marginal_likelihood_, dense.log_evidence(), rtol=rtol)
    mean, std = forest.predict(queries, return_std=True)
    np.testing.assert_allclose(mean, dist.mean(), rtol=rtol, atol=rtol * spread)
    np.testing.assert_allclose(std, dist.std(), rtol=rtol, atol=1e-12)
    one = [forest.predict_one(x) for x in queries]
    np.testing.assert_allclose(one, mean, rtol=1e-12, atol=1e-12 * spread)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", SETTINGS)
def test_batch(name, weighted):
    rng = np.random.default_rng(1)
    for seed, (n, width) in enumerate([(1, 1), (2, 3), (25, 1), (40, 3), (30, 11)]):
        X, y = grid_rows(rng, n, width)
        weights = rng.uniform(0.2, 3.0, size=n) if weighted else None
        forest = tree_forest(SETTINGS[name], seed)
        if weighted and n < 10:
            weights *= 10
        forest.fit(X, y, weights)
        assert_agrees(forest, grid_queries(rng, X))


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", SETTINGS)
def test_after_learning_and_unlearning(name, weighted):
    rng = np.random.default_rng(2)
    X, y = grid_rows(rng, 45, 2)
    weights = rng.uniform(0.5, 2.0, size=45) if weighted else np.ones(45)
    queries = grid_queries(rng, X)
    forest = tree_forest(SETTINGS[name]).fit(X[:10], y[:10], weights[:10])
    forest.partial_fit(X[10:], y[10:], weights[10:])
    assert_agrees(forest, queries)
    leaving = rng.permutation(45)[:30]
    forest.unlearn(X[leaving[:15]], y[leaving[:15]], weights[leaving[:15]])
    assert_agrees(forest, queries)
    forest.unlearn(X[leaving[15:]], y[leaving[15:]], weights[leaving[15:]])
    assert_agrees(forest, queries)
    forest.partial_fit(X[leaving], y[leaving], weights[leaving])
    assert_agrees(forest, queries)


def test_one_at_a_time():
    rng = np.random.default_rng(3)
    X, y = grid_rows(rng, 40, 2)
    forest = tree_forest(SETTINGS["steep"])
    for i in range(40):
        forest.learn_one(X[i], y[i])
        if i % 8 == 7:
            assert_agrees(forest, grid_queries(rng, X))
        if i % 3 == 2:
            forest.unlearn_one(X[i - 1], y[i - 1])
    assert_agrees(forest, grid_queries(rng, X))


def test_an_offset_of_the_labels_costs_no_precision():
    rng = np.random.default_rng(4)
    X, y = grid_rows(rng, 40, 2)
    y = np.round(y * 2**20) / 2**20  # so that y + 1e9 can be taken apart again
    y = (y + 1e9) - 1e9
    forest = tree_forest({"hyper": APPENDIX_B, "min_samples_split": 2}).fit(X, y + 1e9)
    plain = tree_forest({"hyper": APPENDIX_B, "min_samples_split": 2}).fit(X, y)
    hyper = Hyperparameters.of(plain)
    stored, dense = dense_of(forest, hyper, lambda stored: stored.labels - 1e9)
    queries = grid_queries(rng, X)
    dist = forest.predict_dist(queries)
    for i, x in enumerate(stored.scaled(queries)):
        weights, means, variances = dense.components(x)
        own = slice(dist.first[i], dist.first[i + 1])
        np.testing.assert_allclose(dist.weights[own], weights, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(dist.means[own] - 1e9, means, atol=2e-7)  # one digit of 1e9 in doubles
        np.testing.assert_allclose(dist.variances[own], variances, rtol=1e-6)
    np.testing.assert_allclose(forest.log_marginal_likelihood_, dense.log_evidence(), rtol=1e-6)


def test_marginal_likelihood_of_a_forest_is_the_mean_over_its_trees():
    rng = np.random.default_rng(5)
    X, y = grid_rows(rng, 30, 2)
    forest = paper_regressor(7, scaling="none", min_samples_split=3, random_state=0, **FIXED).fit(X, y)
    stored = StoredForest.of(forest)
    per_tree = [
        DenseTree(root, stored.labels, stored.weights, Hyperparameters(**FIXED), np.inf).log_evidence()
        for root in stored.plain_trees()
    ]
    np.testing.assert_allclose(forest.log_marginal_likelihood_, logsumexp(per_tree) - np.log(7), rtol=1e-9)
