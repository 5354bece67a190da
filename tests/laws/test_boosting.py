"""Boosting: the same bits however rows come, honest residuals, and intervals that cover."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from hedgerow import MondrianBoostingRegressor
from hedgerow.boosting._ridge import fit_ridge
from hedgerow.boosting._stage import NumberStage

RNG = np.random.default_rng(1)
X = RNG.normal(size=(100, 3))
Y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * RNG.normal(size=100)
WEIGHTS = RNG.uniform(0.2, 3.0, size=100)
KINDS = pytest.mark.parametrize(
    "kind", [{}, {"linear": True, "scaling": "rank"}, {"linear": False, "tail": "empirical"}], ids=str
)


def new(**parameters):
    return MondrianBoostingRegressor(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


def fed(model, edges, weights=None, labels=Y):
    for begin, end in pairwise(edges):
        model.partial_fit(X[begin:end], labels[begin:end], None if weights is None else weights[begin:end])
    return model


@KINDS
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks(kind, weighted):
    weights = WEIGHTS if weighted else None
    whole = fed(new(**kind), [0, 100], weights)
    assert fed(new(**kind), [0, 1, 2, 7, 33, 64, 65, 100], weights)._to_bytes() == whole._to_bytes()
    assert fed(new(**kind), list(range(101)), weights)._to_bytes() == whole._to_bytes()
    if not weighted:
        single = new(**kind)
        for x, y in zip(X, Y, strict=True):
            single.learn_one(x, y)
        assert single._to_bytes() == whole._to_bytes()


def test_labels_that_begin_to_vary_late():
    labels = np.where(np.arange(100) < 37, 0.0, Y)
    whole = fed(new(), [0, 100], labels=labels)
    assert fed(new(), list(range(101)), labels=labels)._to_bytes() == whole._to_bytes()


def test_weights_that_come_later():
    late = np.where(np.arange(100) < 40, 1.0, WEIGHTS)
    mixed = fed(new(), [0, 40]).partial_fit(X[40:70], Y[40:70], late[40:70])
    mixed.partial_fit(X[70:], Y[70:])
    whole = fed(new(), [0, 100], np.where(np.arange(100) < 70, late, 1.0))
    np.testing.assert_array_equal(mixed.predict(X, return_std=True), whole.predict(X, return_std=True))


@KINDS
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads(kind, n_jobs):
    one, other = (fed(new(n_jobs=n, **kind).fit(X[:30], Y[:30]), [30, 100]) for n in (1, n_jobs))
    np.testing.assert_array_equal(one.predict(X, return_std=True), other.predict(X, return_std=True))
    np.testing.assert_array_equal(one.loo_predict(), other.loo_predict())


def test_asking_changes_nothing():
    model = new().fit(X, Y)
    before = model._to_bytes()
    model.predict(X, return_std=True)
    model.predict_one(X[0])
    model.loo_predict()
    assert model.loo_score_ > 0.5
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model._to_bytes() == before


def test_a_copy_is_independent():
    model = new().fit(X[:60], Y[:60])
    before = model._to_bytes()
    copy.deepcopy(model).partial_fit(X[60:80], Y[60:80])
    assert model._to_bytes() == before


@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_residuals_are_those_of_ridges_that_have_not_seen_the_row(weighted):
    """The penalty stays that of all rows, and so do the units of the columns."""
    weights = WEIGHTS.clip(max=1.0) if weighted else np.ones(100)
    rows, labels = X[:25], Y[:25]
    weights = weights[:25]
    ridge, residuals = fit_ridge(rows, labels, weights)
    standard = np.column_stack([np.ones(25), (rows - ridge.centre) / ridge.scale])
    penalties = 10.0 ** np.arange(-4, 5) * weights.sum() / 100.0

    def solve(penalty, w):
        penalised = np.diag([0.0, *[penalty] * 3])
        return np.linalg.solve(standard.T @ (w[:, None] * standard) + penalised, standard.T @ (w * labels))

    slopes = np.r_[ridge.intercept, ridge.slopes]
    gaps = [np.abs(solve(penalty, weights) - slopes).max() for penalty in penalties]
    assert min(gaps) < 1e-9
    penalty = penalties[int(np.argmin(gaps))]
    for i in range(25):
        without = np.where(np.arange(25) == i, 0.0, weights)
        assert residuals[i] == pytest.approx(labels[i] - standard[i] @ solve(penalty, without), rel=1e-8, abs=1e-9)


def test_one_stage_is_the_forest():
    model = new(max_stages=1, linear=False, scaling="half", shape="common").fit(X, Y)
    (stage,) = model._stages.forests
    assert isinstance(stage, NumberStage)
    np.testing.assert_allclose(model.loo_predict().mean, stage.loo_predict().mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict(X), stage.predict(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", range(1, 36))
def test_few_rows(n):
    for model in (new().fit(X[:n], Y[:n]), new().partial_fit(X[:n], Y[:n])):
        mean, std = model.predict(X, return_std=True)
        assert np.isfinite(mean).all()
        assert (np.isfinite(std) & (std > 0)).all()
        assert np.isfinite(model.predict_interval(X)).all()
        assert np.isfinite(model.loo_predict()).all()


CASES = {
    "constant labels": (X, np.full(100, 7.0), None),
    "all rows equal": (np.full((100, 3), 2.5), Y, None),
    "constant columns": (X * [1.0, 0.0, 0.0], Y, None),
    "labels far from zero": (X, Y + 1e9, None),
    "tiny labels": (X, Y * 1e-100, None),
    "tiny weights": (X, Y, np.full(100, 1e-3)),
    "one column": (X[:, :1], Y, None),
    "exactly linear": (X, X @ [1.0, 2.0, 3.0], None),
    "one outlier": (X, np.where(np.arange(100) == 3, 1e9, Y), None),
}


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", CASES)
def test_odd_data(case, way):
    rows, labels, weights = CASES[case]
    model = getattr(new(), way)(rows, labels, weights)
    mean, std = model.predict(np.concatenate([rows, rows * 100]), return_std=True)
    assert np.isfinite(mean).all()
    assert (np.isfinite(std) & (std >= 0)).all()
    assert np.isfinite(model.predict_interval(rows)).all()


@pytest.mark.parametrize("tail", ["student", "normal", "empirical"])
def test_intervals_cover(tail):
    columns, labels = make_friedman1(3000, noise=1.0, random_state=1)
    model = new(n_estimators=10, tail=tail).fit(columns[:1000], labels[:1000])
    low, high = model.predict_interval(columns[1000:], confidence=0.9).T
    assert 0.86 < np.mean((low <= labels[1000:]) & (labels[1000:] <= high)) < 0.94
    mean = model.predict(columns[1000:])
    error = np.sqrt(np.mean((mean - labels[1000:]) ** 2))
    assert error < 1.6
    loo = np.sqrt(np.mean((model.loo_predict().mean - labels[:1000]) ** 2))
    assert loo == pytest.approx(error, rel=0.12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e300, 1.5e308, 1e-300])
def test_ridge_of_columns_beyond_squares(scale):
    """Their squares overflow or vanish, and the difference of two such numbers may overflow too."""
    rows = np.column_stack([X[:, 0], np.clip(X[:, 1], -1, 1) * scale, np.zeros(100)])
    ridge, residuals = fit_ridge(rows, Y, np.ones(100))
    assert np.isfinite(ridge(rows)).all()
    plain, expected = fit_ridge(np.column_stack([X[:, 0], np.clip(X[:, 1], -1, 1)]), Y, np.ones(100))
    if scale < 1e308:
        np.testing.assert_allclose(residuals, expected, rtol=1e-8)
        np.testing.assert_allclose(ridge(rows), plain(np.column_stack([X[:, 0], np.clip(X[:, 1], -1, 1)])), rtol=1e-8)
