"""Trees do not depend on how many others there are."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from trees import StoredForest

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=300), RNG.exponential(size=300) * 1e4, RNG.integers(0, 3, size=300)])
Y = np.sin(X[:, 0]) + RNG.normal(size=300)
QUERIES = np.concatenate([X[:20], X[:20] * 1.7 - 3])

KINDS = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"hyperparameters": "paper"},
        {"smoothing": "moments"},
        {"scaling": "rank"},
        {"scaling": "none", "min_samples_split": 2},
        {"window": 70, "min_samples_split": 3},
        {"lifetime": 2.0},
    ],
    ids=lambda kind: " ".join(f"{key}={value}" for key, value in kind.items()) or "default",
)


def new(kind, **others):
    return MondrianForestRegressor(**{"n_estimators": 7, "random_state": 3, **kind, **others})


def tree_words(forest, b):
    """Tree b of a save file, word by word."""
    stored = StoredForest.of(forest)
    nodes = stored.tree == b
    leaves, rows = stored.leaf_rows()
    own = stored.tree[leaves] == b
    parts = (stored.split_feature, stored.location, np.where(stored.is_inner, stored.left - stored.roots[b], -1))
    return [part[nodes].tobytes() for part in (*parts, stored.time)] + [
        (leaves - stored.roots[b])[own].tobytes(),
        rows[own].tobytes(),
    ]


@KINDS
def test_trees_do_not_depend_on_how_many_there_are(kind):
    few, many = new(kind, n_estimators=2), new(kind, n_estimators=9)
    for forest in (few, many):
        forest.fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:]).unlearn(X[290:], Y[290:])
    for b in range(2):
        assert tree_words(few, b) == tree_words(many, b)
    if few.hyperparameters == "learned":  # smoothing and calibration are common to all trees, and learned from them
        return
    dist_few, dist_many = few.predict_dist(QUERIES), many.predict_dist(QUERIES)
    for i in range(len(QUERIES)):
        n = dist_few.first[i + 1] - dist_few.first[i]
        first, second = (slice(part.first[i], part.first[i] + n) for part in (dist_few, dist_many))
        np.testing.assert_array_equal(dist_few.means[first], dist_many.means[second])
        np.testing.assert_array_equal(dist_few.variances[first], dist_many.variances[second])
