"""How much labels change along columns: against a plain sum over the cuts, and no slope where there is only noise."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.base.copies import NO_GROUPS
from paper import paper_classifier, paper_regressor
from trees import StoredForest

RNG = np.random.default_rng(0)
X = RNG.integers(0, 16, size=(70, 3)) / 16
WEIGHTS = RNG.uniform(0.3, 3.0, size=70)


def slow_contrasts(forest, indicators, least):
    """`indicators` has a column for each number that a label stands for, a row for each row of the forest."""
    stored = StoredForest.of(forest)
    gains, distances = np.zeros(3), np.zeros(3)
    for root in stored.plain_trees():
        for node in root.preorder():
            if node.is_leaf or len(node.rows) < least:
                continue
            n, means, squares = [], [], 0.0
            for side in (node.left, node.right):
                w, y = stored.weights[side.rows], indicators[side.rows]
                n.append(w.sum())
                means.append(w @ y / w.sum())
                squares += (w @ (y - means[-1]) ** 2).sum()
            shared = n[0] * n[1] / sum(n)
            centres = [(side.lower[node.feature] + side.upper[node.feature]) / 2 for side in (node.left, node.right)]
            gains[node.feature] += shared * ((means[0] - means[1]) ** 2).sum() - squares / (len(node.rows) - 2)
            distances[node.feature] += shared * (centres[1] - centres[0]) ** 2
    return gains, distances


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("least", [3.0, 8.0])
def test_real_labels(weights, least):
    y = np.sin(4 * X[:, 0]) + RNG.normal(size=70) + 50
    forest = paper_regressor(4, min_samples_split=2, scaling="none", random_state=0).fit(X, y, weights)
    expected = slow_contrasts(forest, StoredForest.of(forest).labels[:, None], least)
    np.testing.assert_allclose(forest._learner.core.contrasts(least, NO_GROUPS), expected, rtol=1e-9)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_classes(weights):
    y = np.where(X[:, 0] > 0.5, 0, RNG.integers(0, 4, size=70))
    forest = paper_classifier(4, pause_pure=False, scaling="none", random_state=0).fit(X, y, weights)
    numbers = StoredForest.of(forest).labels.astype(int)
    expected = slow_contrasts(forest, np.eye(4)[numbers], 8.0)
    np.testing.assert_allclose(forest._learner.core.contrasts(8.0, NO_GROUPS), expected, rtol=1e-9)


@pytest.mark.statistical
def test_of_noise_there_is_no_slope():
    """The mean over 400 sets of labels, 5.2 standard errors wide on both sides: a false alarm in 2e-7 a column."""
    rng = np.random.default_rng(1)
    columns = rng.exponential(size=(50, 3))
    gains = []
    for seed in range(400):
        forest = paper_regressor(2, min_samples_split=8, random_state=seed).fit(columns, rng.exponential(size=50))
        gains.append(forest._learner.core.contrasts(8.0, NO_GROUPS)[0])
    mean, error = np.mean(gains, axis=0), np.std(gains, axis=0) / np.sqrt(len(gains))
    assert (np.abs(mean) < 5.2 * error).all()
