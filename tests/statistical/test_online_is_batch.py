"""Trees that learned row by row have the law of trees grown on all rows at once."""

from __future__ import annotations

import numpy as np
import pytest

from statistical.comparison import LawTest, compare_laws, forest

pytestmark = pytest.mark.statistical

# Places are multiples of a power of two, so that forests with different origins see the same distances.
QUERIES = np.array([[0.5, 0.5], [0.125, 0.875], [1.375, 0.375], [-3.0, 5.0]])


def rows(n, duplicates=False):
    """Rows of label 0, 1, ... in the unit square; of the duplicates, some places hold four."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, [4096, 2458], size=(n, 2)) / 4096
    if duplicates:
        X = X[np.sort(rng.integers(0, max(2, n // 3), size=n))]
    order = rng.permutation(n)
    return X[order], np.arange(n, dtype=float)


SCENES = [
    {"n": 6, "min_samples_split": 2},
    {"n": 6, "min_samples_split": 2, "lifetime": 1.2},
    {"n": 9, "min_samples_split": 2, "duplicates": True},
    {"n": 12, "min_samples_split": 5},
    {"n": 14, "min_samples_split": 5, "duplicates": True, "lifetime": 2.0},
    {"n": 16, "min_samples_split": 5, "lifetime": 0.7},
    {"n": 30, "min_samples_split": 10},
    {"n": 40, "min_samples_split": 10, "duplicates": True},
]


def scene_name(scene):
    return ", ".join(f"{key}={value}" for key, value in scene.items())


@pytest.mark.parametrize("scene", SCENES, ids=scene_name)
def test_row_by_row(scene):
    shape = {key: scene[key] for key in ("min_samples_split", "lifetime") if key in scene}
    X, y = rows(scene["n"], scene.get("duplicates", False))
    with LawTest() as laws:
        compare_laws(laws, forest(1, **shape).fit(X, y), forest(2, **shape).partial_fit(X, y), QUERIES)


@pytest.mark.parametrize("min_samples_split", [2, 10])
def test_the_order_of_arrival_does_not_matter(min_samples_split):
    X, y = rows(12)
    order = np.argsort(X[:, 0])  # each row lies outside all that came before
    one = forest(3, min_samples_split=min_samples_split).partial_fit(X[order], y[order])
    other = forest(4, min_samples_split=min_samples_split).fit(X, y)
    with LawTest() as laws:
        compare_laws(laws, one, other, QUERIES)


@pytest.mark.parametrize("min_samples_split", [2, 7])
def test_batch_then_online(min_samples_split):
    X, y = rows(15)
    one = forest(5, min_samples_split=min_samples_split).fit(X[:8], y[:8]).partial_fit(X[8:], y[8:])
    other = forest(6, min_samples_split=min_samples_split).fit(X, y)
    with LawTest() as laws:
        compare_laws(laws, one, other, QUERIES)


@pytest.mark.parametrize("lifetime", [1.0, np.inf])
def test_weighted_rows(lifetime):
    """Weights decide when a block may split."""
    X, y = rows(12)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0, 3.0], size=12)
    shape = {"min_samples_split": 6, "lifetime": lifetime}
    one = forest(7, **shape).partial_fit(X, y, weights)
    other = forest(8, **shape).fit(X, y, weights)
    with LawTest() as laws:
        compare_laws(laws, one, other, QUERIES)


def test_weight_two_is_the_row_twice_in_law():
    """The structure sees a row of weight two as two rows."""
    X, y = rows(8)
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0])
    times = weights.astype(int)
    one = forest(9, min_samples_split=4).fit(X, y, weights)
    other = forest(10, min_samples_split=4).partial_fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    with LawTest() as laws:
        compare_laws(laws, one, other, QUERIES)


@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
def test_predictions_for_both_smoothings(smoothing):
    X, y = rows(20)
    labels = np.sin(6 * X[:, 0]) + y * 1e-6
    shape = {"min_samples_split": 4, "smoothing": smoothing}
    one, other = forest(11, **shape).fit(X, labels), forest(12, **shape).partial_fit(X, labels)
    with LawTest() as laws:
        compare_laws(laws, one, other, np.concatenate([QUERIES, X[:3]]))
