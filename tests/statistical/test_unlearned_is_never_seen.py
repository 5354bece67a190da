"""Trees that have unlearned rows have the law of trees that never saw them."""

from __future__ import annotations

import numpy as np
import pytest

from statistical.comparison import LawTest, compare_laws, forest

pytestmark = pytest.mark.statistical

# Places are multiples of a power of two, so that forests with different origins see the same distances.
QUERIES = np.array([[0.5, 0.5], [0.125, 0.875], [1.375, 0.375], [-3.0, 5.0]])
RNG = np.random.default_rng(20)
X = RNG.integers(0, [4096, 2867], size=(36, 2)) / 4096
X[30:33] = X[2]  # duplicates of a row that stays
X[33:] = X[20]  # duplicates of a row that leaves
Y = np.arange(36, dtype=float)

SHAPES = pytest.mark.parametrize(
    "shape",
    [
        {"min_samples_split": 2},
        {"min_samples_split": 5},
        {"min_samples_split": 10},
        {"min_samples_split": 2, "lifetime": 1.0},
        {"min_samples_split": 5, "lifetime": 1.5},
    ],
    ids=lambda shape: ", ".join(f"{key}={value}" for key, value in shape.items()),
)


def compare_with_batch(model, kept, shape, weights=None):
    never_saw = forest(99, **shape).fit(X[kept], Y[kept], None if weights is None else weights[kept])
    with LawTest() as laws:
        compare_laws(laws, model, never_saw, QUERIES)


@SHAPES
def test_after_batch(shape):
    leaving = np.r_[0:3, 12:36]
    model = forest(1, **shape).fit(X, Y).unlearn(X[leaving], Y[leaving])
    compare_with_batch(model, np.arange(3, 12), shape)


@SHAPES
def test_learn_unlearn_and_learn_again(shape):
    model = forest(2, **shape).partial_fit(X[:20], Y[:20])
    model.unlearn(X[5:15], Y[5:15])
    model.partial_fit(X[20:36], Y[20:36])
    model.unlearn(X[[30, 0, 34, 35, 20, 22]], Y[[30, 0, 34, 35, 20, 22]])
    model.partial_fit(X[5:9], Y[5:9])
    model.unlearn(X[23:30], Y[23:30])
    kept = [*range(1, 5), *range(5, 9), *range(15, 20), 21, 31, 32, 33]
    compare_with_batch(model, kept, shape)


@SHAPES
def test_one_row_comes_and_goes(shape):
    """Many times the same guest, far outside and inside, which must leave no trace."""
    model = forest(3, **shape).partial_fit(X[:10], Y[:10])
    for guest in ([2.0, 2.0], [0.5, 0.375], [-1.0, 0.25]) * 3:
        model.learn_one(guest, -1.0).unlearn_one(guest, -1.0)
    compare_with_batch(model, np.arange(10), shape)


@SHAPES
def test_window(shape):
    model = forest(4, window=11, **shape).partial_fit(X, Y)
    compare_with_batch(model, np.arange(25, 36), shape)


def test_window_after_batch():
    shape = {"min_samples_split": 3}
    model = forest(5, window=9, **shape).fit(X[:25], Y[:25]).partial_fit(X[25:30], Y[25:30])
    compare_with_batch(model, np.arange(21, 30), shape)


@pytest.mark.parametrize("lifetime", [1.0, np.inf])
def test_weights(lifetime):
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.5], size=36)
    shape = {"min_samples_split": 6, "lifetime": lifetime}
    model = forest(6, **shape).partial_fit(X[:24], Y[:24], weights[:24])
    model.unlearn(X[4:16], Y[4:16], weights[4:16]).unlearn(X[:2], Y[:2])
    compare_with_batch(model, [2, 3, *range(16, 24)], shape, weights)


def test_all_unlearned_then_learned():
    shape = {"min_samples_split": 3}
    model = forest(7, **shape).fit(X[:15], Y[:15]).unlearn(X[:15], Y[:15])
    model.partial_fit(X[15:30], Y[15:30])
    compare_with_batch(model, np.arange(15, 30), shape)
