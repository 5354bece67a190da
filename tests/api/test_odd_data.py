"""Unusual but correct data: a correct answer, never a crash."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor

WAYS = pytest.mark.parametrize("way", ["fit", "partial_fit"])
KINDS = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"hyperparameters": "paper"},
        {"smoothing": "moments"},
        {"scaling": "rank"},
        {"scaling": "none"},
        {"min_samples_split": 2, "lifetime": 2.0},
    ],
    ids=str,
)


def learned(way, X, y, kind=None, **parameters):
    forest = MondrianForestRegressor(**{"n_estimators": 4, "random_state": 0, **(kind or {}), **parameters})
    getattr(forest, way)(X, y)
    assert forest.check_structure() == []
    return forest


@WAYS
@KINDS
def test_one_row(way, kind):
    forest = learned(way, [[3.0, 4.0]], [5.0], kind)
    mean, std = forest.predict([[3.0, 4.0], [30.0, -4.0]], return_std=True)
    np.testing.assert_allclose(mean, 5.0)
    assert ((std > 0) & (std <= 5.0)).all()  # one label says nothing of a spread but its own magnitude
    assert np.isfinite(forest.predict_interval([[0.0, 0.0]])).all()
    assert np.isfinite(forest.log_density([[0.0, 0.0]], [5.0])).all()


@WAYS
@KINDS
def test_all_rows_equal(way, kind):
    y = np.arange(30.0)
    forest = learned(way, np.full((30, 2), 7.0), y, kind)
    assert forest.n_nodes_ == 4
    mean, std = forest.predict([[7.0, 7.0]], return_std=True)
    assert mean[0] == pytest.approx(y.mean(), rel=1e-6)
    assert std[0] > 0


@WAYS
@KINDS
def test_constant_columns_are_never_cut(way, kind):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(50, 1e6), rng.normal(size=50), np.zeros(50)])
    forest = learned(way, X, X[:, 1], kind)
    moved = X + np.array([1.0, 0.0, 1.0])
    np.testing.assert_array_equal(forest.apply(X), forest.apply(moved))


@WAYS
@KINDS
def test_constant_labels(way, kind):
    X = np.random.default_rng(0).normal(size=(40, 2))
    forest = learned(way, X, np.full(40, 3.0), kind)
    mean, std = forest.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 3.0)
    assert np.isfinite(std).all()
    assert np.isfinite(forest.predict_interval(X)).all()
    assert not np.isnan(forest.log_density(X, np.full(40, 3.0))).any()


@WAYS
@KINDS
@pytest.mark.parametrize("offset", [1e9, -1e12])
def test_offset_labels(way, kind, offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=60)  # of noise alone any smoothing is as good as another
    std = learned(way, X, y, kind).predict(X, return_std=True)[1]
    forest = learned(way, X, y + offset, kind)
    offset_mean, offset_std = forest.predict(X, return_std=True)
    np.testing.assert_allclose(offset_std, std, rtol=1e-2)
    assert ((offset_mean - offset > y.min() - 1) & (offset_mean - offset < y.max() + 1)).all()


@WAYS
@KINDS
def test_huge_and_tiny_labels(way, kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    for factor in (1e140, 1e-140):
        mean, std = learned(way, X, y * factor, kind).predict(X, return_std=True)
        assert np.isfinite(mean).all()
        assert (np.isfinite(std) & (std > 0)).all()


@WAYS
@KINDS
def test_extreme_features(way, kind):
    values = np.array([-1.7e308, -1e300, -1.0, 0.0, 1e-320, 1e-10, 1.0, 1e17, 1e300, 1.7e308])
    X = np.stack([values, values[::-1]], axis=1)
    forest = learned(way, X, np.arange(10.0), kind)
    mean, std = forest.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()


@WAYS
@pytest.mark.parametrize(("hyperparameters", "width"), [("paper", 1_000_000), ("learned", 100_000)])
def test_a_million_columns(way, hyperparameters, width):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, width)), np.arange(20.0)
    forest = learned(way, X, y, n_estimators=2, min_samples_split=2, hyperparameters=hyperparameters)
    mean, std = forest.predict(X[:2], return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()
    assert forest.unlearn(X[:3], y[:3]).check_structure() == []


@WAYS
def test_integers_and_booleans(way):
    X = np.arange(40).reshape(20, 2)
    np.testing.assert_array_equal(
        learned(way, X, np.arange(20)).predict(X),
        learned(way, X.astype(float), np.arange(20.0)).predict(X.astype(float)),
    )
    assert np.isfinite(learned(way, X % 3 == 0, X[:, 0] > 5).predict(X % 3 == 0)).all()


@WAYS
def test_memory_layouts(way):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    expected = learned(way, X, y).predict(X)
    wide = np.zeros((80, 6))
    wide[::2, ::2] = X
    for layout in (np.asfortranarray(X), wide[::2, ::2], X.tolist()):
        np.testing.assert_array_equal(learned(way, layout, y).predict(layout), expected)
    read_only = X.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(learned(way, read_only, y).predict(read_only), expected)


@WAYS
@pytest.mark.parametrize("y", [[1.0], [1.0, 1.0, 1.0], [0.0, 0.0]], ids=str)
def test_noise_set_and_labels_that_do_not_vary(way, y):
    forest = learned(way, np.arange(float(len(y)))[:, None], y, noise_variance=0.25)
    mean, std = forest.predict([[0.0]], return_std=True)
    assert mean[0] == pytest.approx(y[0])
    assert std[0] >= 0.5


def test_a_stream_whose_units_explode():
    """Each row ten times as far out as the one before: the map is learned again, the trees stay right."""
    forest = MondrianForestRegressor(3, min_samples_split=2, random_state=0)
    for i in range(60):
        forest.learn_one([10.0**i, -(2.0**i)], float(i % 5))
        assert forest.check_structure() == []
    assert np.isfinite(forest.predict([[1e30, -5.0]])).all()


def test_first_rows_constant_then_not():
    forest = MondrianForestRegressor(3, min_samples_split=2, random_state=0)
    for i in range(40):
        forest.learn_one([5.0, 0.0 if i < 20 else i], float(i))
        assert forest.check_structure() == []
    assert forest.predict_one([5.0, 39.0]) > forest.predict_one([5.0, 0.0])
