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
@pytest.mark.parametrize(("hyperparameters", "width"), [("paper", 300_000), ("learned", 30_000)])
def test_very_many_columns(way, hyperparameters, width):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, width)), np.arange(20.0)
    forest = learned(way, X, y, n_estimators=2, min_samples_split=2, hyperparameters=hyperparameters)
    mean, std = forest.predict(X[:2], return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()
    assert forest.unlearn(X[:3], y[:3]).check_structure() == []


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
