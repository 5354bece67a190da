"""Trees of a classifier, whose pauses depend on labels: online is batch, and unlearned is never seen."""

from __future__ import annotations

import numpy as np
import pytest

from statistical.class_trees import ClassTreeStatistics, class_forest, compare_class_laws, marks
from statistical.comparison import LawTest

pytestmark = pytest.mark.statistical

# Places are multiples of a power of two, so that forests with different origins see the same distances.
QUERIES = np.array([[0.5, 0.5], [0.125, 0.875], [1.375, 0.375], [-3.0, 5.0]])
SHAPES = {
    "paused": {},
    "not paused": {"pause_pure": False},
    "heavy blocks": {"min_samples_split": 4},
    "short life": {"lifetime": 1.2},
    "short life, not paused": {"lifetime": 1.5, "pause_pure": False, "min_samples_split": 3},
}
ALL_SHAPES = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def rows(n, duplicates=False):
    """Two classes that live in two halves of the square, with a few strangers; of duplicates, some conflict."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, [4096, 2458], size=(n, 2)) / 4096
    if duplicates:
        X = X[np.sort(rng.integers(0, n // 2, size=n))]
    y = np.where(rng.uniform(size=n) < 0.15, 2, (X[:, 0] > 0.5).astype(int))
    y[:3] = [0, 1, 2]
    order = rng.permutation(n)
    return X[order], y[order], marks(n)


def same_law(one, other):
    for forest in (one, other):
        assert forest.check_structure() == []
    np.testing.assert_array_equal(one.classes_, other.classes_)
    with LawTest() as laws:
        compare_class_laws(laws, one, other, QUERIES)


@pytest.mark.parametrize("duplicates", [False, True])
@ALL_SHAPES
def test_online_is_batch(shape, duplicates):
    X, y, w = rows(14, duplicates)
    batch = class_forest(1, **shape).fit(X, y, w)
    online = class_forest(2, **shape).partial_fit(X, y, sample_weight=w)
    same_law(batch, online)


def test_online_in_the_worst_order():
    """All rows of a class, then all of the next: every leaf is grown afresh when the other class comes."""
    X, y, w = rows(12)
    order = np.lexsort([X[:, 0], y])
    batch = class_forest(3).fit(X[order], y[order], w[order])
    online = class_forest(4).partial_fit(X[order], y[order], sample_weight=w[order])
    same_law(batch, online)


@pytest.mark.parametrize("duplicates", [False, True])
@ALL_SHAPES
def test_unlearned_is_never_seen(shape, duplicates):
    X, y, w = rows(30, duplicates)
    kept = np.union1d(np.arange(10, 19), [np.flatnonzero(y == c)[0] for c in range(3)])  # no class is left out
    leaving = np.setdiff1d(np.arange(30), kept)
    model = class_forest(5, **shape).fit(X[:15], y[:15], w[:15]).partial_fit(X[15:], y[15:], sample_weight=w[15:])
    model.unlearn(X[leaving], y[leaving], w[leaving])
    never_saw = class_forest(6, **shape).fit(X[kept], y[kept], w[kept])
    same_law(model, never_saw)


@pytest.mark.parametrize("shape", [SHAPES["paused"], SHAPES["heavy blocks"]], ids=["paused", "heavy blocks"])
def test_one_row_comes_and_goes(shape):
    """A guest of another class breaks pauses, and leaves no trace."""
    X, y, w = rows(10)
    model = class_forest(7, **shape).partial_fit(X, y, [0, 1, 2, 3], w)
    for guest in ([2.0, 2.0], [0.25, 0.375], [-1.0, 0.25], [0.75, 0.25]) * 2:
        model.learn_one(guest, 3).unlearn_one(guest, 3)
    never_saw = class_forest(8, **shape).partial_fit(X, y, [0, 1, 2, 3], w)
    same_law(model, never_saw)


def test_statistics_are_those_of_the_forest():
    """The votes that the statistics count in all trees are what the forest predicts."""
    X, y, w = rows(20, True)
    for shape in SHAPES.values():
        model = class_forest(9, **shape).set_params(n_estimators=200).fit(X, y, w)
        found = ClassTreeStatistics(model).votes(QUERIES).sum(axis=1)
        found /= found.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found, model.predict_proba(QUERIES), rtol=1e-12)
