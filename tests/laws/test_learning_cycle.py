"""Learning, unlearning, windows and counts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(3)
X = RNG.normal(size=(150, 2)) * [1.0, 1000.0]
Y = X[:, 0] + RNG.normal(size=150)


def new(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 5, "min_samples_split": 3, "random_state": 0, **parameters})


def held_labels(forest):
    """Labels of the rows that the forest holds, by its own account."""
    from trees import StoredForest

    stored = StoredForest.of(forest)
    return np.sort(np.delete(stored.labels, stored.arrays["rows.freed"].astype(int)))


def test_counts():
    forest = new().fit(X[:100], Y[:100])
    assert (forest.n_samples_, forest.n_samples_seen_) == (100, 100)
    forest.partial_fit(X[100:], Y[100:]).unlearn(X[:30], Y[:30])
    assert (forest.n_samples_, forest.n_samples_seen_) == (120, 150)
    forest.fit(X[:10], Y[:10])
    assert (forest.n_samples_, forest.n_samples_seen_) == (10, 10)


@pytest.mark.parametrize("scaling", ["range", "rank", "none"])
@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
def test_unlearn_everything_and_learn_again(scaling, smoothing):
    forest = new(scaling=scaling, smoothing=smoothing, prior_mean=4.0).fit(X[:60], Y[:60])
    order = np.random.default_rng(0).permutation(60)
    for i in order:
        forest.unlearn_one(X[i], Y[i])
    with pytest.raises(NotFittedError, match="unlearned all its rows"):
        forest.predict(X)
    with pytest.raises(NotFittedError, match="unlearned all its rows"):
        forest.unlearn(X[:1], Y[:1])
    assert forest.predict_one(X[0]) == 4.0
    forest.partial_fit(X[60:], Y[60:])
    assert forest.check_structure() == []
    assert forest.n_samples_ == 90
    np.testing.assert_allclose(held_labels(forest), np.sort(Y[60:]), rtol=1e-12)
    assert np.isfinite(forest.predict(X)).all()


@pytest.mark.parametrize("scaling", ["range", "rank", "none"])
def test_every_row_can_be_unlearned_after_a_stream(scaling):
    """Rows that came before the units were looked at again are found too."""
    forest = new(scaling=scaling)
    for x, y in zip(X, Y, strict=True):
        forest.learn_one(x, y)
    for i in np.random.default_rng(1).permutation(150)[:149]:
        forest.unlearn_one(X[i], Y[i])
        assert forest.check_structure() == []
    assert forest.n_samples_ == 1


@pytest.mark.parametrize("scaling", ["range", "rank"])
def test_rows_are_found_whatever_the_columns(scaling):
    rng = np.random.default_rng(0)
    for _ in range(10):
        columns = [rng.normal(size=60), rng.exponential(size=60) * 1e4, rng.integers(0, 3, size=60)]
        rows, labels = np.column_stack(columns), rng.normal(size=60)
        forest = new(scaling=scaling).partial_fit(rows, labels)
        order = rng.permutation(60)[:59]
        assert forest.unlearn(rows[order], labels[order]).n_samples_ == 1


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("weights", [[0.7, 0.6, 0.7], [0.1] * 20, [1 / 3] * 6, [1e-9, 2 - 1e-9, 1e-9]], ids=str)
def test_weights_that_just_reach_the_threshold(way, weights):
    """Whether a block may split is decided once, not in one precision here and in another there."""
    rows = np.arange(float(len(weights)))[:, None]
    forest = getattr(new(min_samples_split=2), way)(rows, rows[:, 0], weights)
    assert forest.check_structure() == []
    forest.partial_fit(rows + 0.5, rows[:, 0], weights)
    assert forest.check_structure() == []
    forest.unlearn(rows[1:], rows[1:, 0], weights[1:])
    assert forest.check_structure() == []


def test_one_of_several_equal_rows_is_unlearned():
    forest = new().fit(np.zeros((4, 2)), [1.0, 1.0, 1.0, 2.0])
    forest.unlearn([[0.0, 0.0]], [1.0])
    np.testing.assert_array_equal(held_labels(forest), [1.0, 1.0, 2.0])
    forest.unlearn(np.zeros((2, 2)), [1.0, 2.0])
    np.testing.assert_array_equal(held_labels(forest), [1.0])


def test_unlearn_tells_weights_apart():
    forest = new().fit([[0.0], [0.0], [1.0]], [1.0, 1.0, 3.0], [2.0, 5.0, 1.0])
    forest.unlearn([[0.0]], [1.0], [5.0])
    assert forest.prior_mean_ == pytest.approx((2 * 1 + 3) / 3)


@pytest.mark.parametrize(
    ("x", "y", "weight"),
    [
        ([9.0, 9.0], Y[0], None),
        (X[0], Y[0] + 1e-9, None),
        (X[0], Y[1], None),
        (X[0], Y[0], 2.0),
        (X[120], Y[120], None),
    ],
    ids=["other place", "other label", "label of another row", "other weight", "never learned"],
)
def test_strangers_are_not_unlearned(x, y, weight):
    forest = new().fit(X[:100], Y[:100])
    rows, labels = np.array([X[5], x, X[6]]), np.array([Y[5], y, Y[6]])
    weights = None if weight is None else [1.0, weight, 1.0]
    with pytest.raises(ValueError, match="row 1 of the 3"):
        forest.unlearn(rows, labels, weights)
    assert forest.n_samples_ == 100


def test_a_row_is_unlearned_only_once():
    forest = new().fit(X[:20], Y[:20])
    with pytest.raises(ValueError, match="row 1 of the 2"):
        forest.unlearn(X[[3, 3]], Y[[3, 3]])
    forest.unlearn_one(X[3], Y[3])
    with pytest.raises(ValueError, match="row 0 of the 1 to be unlearned is not among those learned"):
        forest.unlearn_one(X[3], Y[3])


@pytest.mark.parametrize("window", [1, 2, 40])
def test_window_keeps_the_latest(window):
    forest = new(window=window)
    for i in range(60):
        forest.learn_one(X[i], Y[i])
        np.testing.assert_allclose(held_labels(forest), np.sort(Y[max(0, i + 1 - window) : i + 1]), rtol=1e-12)
        assert forest.check_structure() == []
    assert forest.n_samples_ == window
    assert forest.n_samples_seen_ == 60


def test_window_in_batch_and_chunks():
    forest = new(window=30).fit(X[:100], Y[:100])
    np.testing.assert_allclose(held_labels(forest), np.sort(Y[70:100]), rtol=1e-12)
    forest.partial_fit(X[100:], Y[100:])
    np.testing.assert_allclose(held_labels(forest), np.sort(Y[120:]), rtol=1e-12)
    forest.unlearn(X[130:140], Y[130:140])
    assert forest.n_samples_ == 20
    forest.partial_fit(X[:15], Y[:15])
    np.testing.assert_allclose(held_labels(forest), np.sort(np.r_[Y[125:130], Y[140:], Y[:15]]), rtol=1e-12)


def test_window_is_unlearning_by_hand():
    """With units and smoothing fixed, the same trees: a window draws no random numbers of its own."""
    fixed = {
        "hyperparameters": "paper",
        "scaling": "none",
        "prior_mean": 0.0,
        "drift_variance": 1.0,
        "drift_rate": 0.1,
        "noise_variance": 0.1,
    }
    windowed, by_hand = new(window=25, **fixed), new(**fixed)
    for i in range(100):
        windowed.learn_one(X[i], Y[i])
        by_hand.learn_one(X[i], Y[i])
        if i >= 25:
            by_hand.unlearn_one(X[i - 25], Y[i - 25])
    np.testing.assert_allclose(windowed.predict(X), by_hand.predict(X), rtol=1e-9)


def test_shape_and_depth():
    forest = new(n_estimators=3).fit(X, Y)
    leaves = forest.apply(X)
    assert leaves.shape == (150, 3)
    n_leaves = sum(np.unique(leaves[:, b]).size for b in range(3))
    assert forest.n_nodes_ == 2 * n_leaves - 3
    assert np.log2(n_leaves / 3) <= forest.depth_ < n_leaves
    stump = new(lifetime=1e-12).fit(X, Y)
    assert (stump.n_nodes_, stump.depth_) == (5, 0)


def test_min_samples_split_bounds_leaves():
    forest = new(min_samples_split=20).fit(X, Y)
    for column in forest.apply(X).T:
        assert np.unique(column, return_counts=True)[1].max() < 20
