"""What a node stores about the labels below it is what those labels say, however the tree came about."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.dense import DenseTree, Hyperparameters
from paper import paper_regressor
from trees import StoredForest

FIXED = {"prior_mean": 0.0, "drift_variance": 4.0, "drift_rate": 0.5, "noise_variance": 0.25}


def stirred_forest(smoothing, min_samples_split, lifetime):
    """A few trees that have learned in batch, online and backwards."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 8, size=(40, 2)) / 8, rng.normal(size=40) + 100
    weights = rng.uniform(0.5, 2, size=40)
    forest = paper_regressor(
        4,
        min_samples_split=min_samples_split,
        lifetime=lifetime,
        smoothing=smoothing,
        scaling="none",
        random_state=1,
    )
    if smoothing == "hierarchy":
        forest.set_params(**FIXED)
    forest.fit(X[:15], y[:15], weights[:15]).partial_fit(X[15:], y[15:], weights[15:])
    forest.unlearn(X[5:20], y[5:20], weights[5:20])
    return forest


@pytest.mark.parametrize("lifetime", [1.0, np.inf])
@pytest.mark.parametrize("min_samples_split", [2, 6])
def test_hierarchy(min_samples_split, lifetime):
    """The upward message of node j is the likelihood of the labels below it as a function of mu_j."""
    forest = stirred_forest("hierarchy", min_samples_split, lifetime)
    stored = StoredForest.of(forest)
    summaries = forest._learner.core.summaries().reshape(-1, 2)
    hyper = Hyperparameters(**FIXED)
    for root, first in zip(stored.plain_trees(), stored.roots, strict=True):
        for node in root.preorder():
            # Below j, given mu_j = 0, labels are those of a tree that starts at j's time.
            dense = DenseTree(node, stored.shifted_labels, stored.weights, hyper, lifetime)
            given = dense.label_covariance - hyper.gathered(node.time)
            ones = np.ones(len(dense.rows))
            precision = ones @ np.linalg.solve(given, ones)
            mean = ones @ np.linalg.solve(given, dense.y) / precision
            np.testing.assert_allclose(
                summaries[first + node.number],
                [precision * hyper.drift_variance, mean],
                rtol=1e-9,
                atol=1e-10,
            )


@pytest.mark.parametrize("min_samples_split", [2, 6])
def test_moments(min_samples_split):
    forest = stirred_forest("moments", min_samples_split, np.inf)
    stored, summaries = StoredForest.of(forest), forest._learner.core.summaries().reshape(-1, 3)
    for root, first in zip(stored.plain_trees(), stored.roots, strict=True):
        for node in root.preorder():
            y, w = stored.shifted_labels[node.rows], stored.weights[node.rows]
            mean = np.average(y, weights=w)
            expected = [w.sum(), mean, w @ (y - mean) ** 2]
            np.testing.assert_allclose(summaries[first + node.number], expected, rtol=1e-9, atol=1e-10)
