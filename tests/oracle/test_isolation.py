"""Outlier scores against a slow reference, which walks down the public arrays of trees one row at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hedgerow as hr
from models import BY_NAME, class_forest, forest
from trees import StoredForest


def usual_depth(n):
    """Of an isolation tree, by its sum; for whole numbers of rows."""
    return 2 * sum(1 / k for k in range(1, int(n))) - 2 * (n - 1) / n if n > 1 else 0.0


def expected_depth(view, x):
    """Expected depth of the leaf that a row would have of its own: one a node that it reaches before it is alone."""
    node, depth, chance, since = 0, 0.0, 1.0, 0.0
    while True:
        low, high = view.lower[node], view.upper[node]
        distance = sum(max(a - b, 0.0) + max(b - c, 0.0) for a, b, c in zip(low, x, high, strict=True))
        if view.feature[node] < 0:
            break
        depth += chance
        chance *= math.exp(-distance * (view.time[node] - since))
        since = view.time[node]
        node = (view.left if x[view.feature[node]] <= view.threshold[node] else view.right)[node]
    n = int(view.n_node_samples[node])
    if distance == 0.0:
        return depth + chance * usual_depth(n)
    rate = distance + float((high - low).sum())
    alone = distance / rate * (1.0 - math.exp(-rate * (view.time[node] - since)))
    return depth + chance * (alone + (1.0 - alone) * usual_depth(n + 1))


def reference(model, X):
    views = [model.tree(index) for index in range(model.n_estimators)]
    depths = np.array([np.mean([expected_depth(view, x) for view in views]) for x in X])
    return -(2.0 ** (-depths / max(usual_depth(model.n_samples_), 1.0)))


def rows_around(X, seed=1):
    """Rows that were learned, that lie between them, and that are far away."""
    rng = np.random.default_rng(seed)
    return np.concatenate([X[:15], X[15:30] + rng.normal(size=(15, X.shape[1])) * X.std(axis=0) / 9, X[:8] * 3 - 5])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"min_samples_split": 12},
        {"lifetime": 0.8},
        {"lifetime": 0.8, "min_samples_split": 12},
        {"cuts": "keyed"},
        {"smoothing": "moments"},
    ],
    ids=str,
)
def test_scores_of_regressors(changed):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1.0, 3.0, 0.2]
    X[40:44] = X[0]  # copies
    model = forest(scaling="none", hyperparameters="paper", **{"min_samples_split": 2} | changed).fit(X, X[:, 0])
    asked = rows_around(X)
    np.testing.assert_allclose(model.score_samples(asked), reference(model, asked), rtol=1e-9)


@pytest.mark.parametrize("pause_pure", [False, True])
def test_scores_of_classifiers(pause_pure):
    X, labels = BY_NAME["class forest"].data(90)
    X = X / X.std(axis=0)
    model = class_forest(scaling="none", hyperparameters="paper", pause_pure=pause_pure).fit(X[:60], labels[:60])
    model.partial_fit(X[60:], labels[60:])
    asked = rows_around(X)
    np.testing.assert_allclose(model.score_samples(asked), reference(model, asked), rtol=1e-9)


def test_distances_are_in_the_units_of_the_trees():
    """Those of files, for a scaling that is straight."""
    X, y = BY_NAME["forest"].data(80)
    model = hr.MondrianForestRegressor(5, scaling="range", random_state=0).fit(X, y)
    assert model.axis_rates_.min() < 0.9
    stored = StoredForest.of(model)
    asked = rows_around(X)
    total = np.zeros(len(asked))
    for root in stored.plain_trees():
        for i, x in enumerate(stored.scaled(asked)):
            chance = 1.0
            for node in root.path(x):
                if node.is_leaf:
                    total[i] += chance * (node.outside(x) > 0)
                    continue
                total[i] += chance
                chance *= math.exp(-node.outside(x) * (node.time - node.above))
    np.testing.assert_allclose(model.score_samples(asked), -(2.0 ** (-total / 5 / usual_depth(80))), rtol=1e-4)
