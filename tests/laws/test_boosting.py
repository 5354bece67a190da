"""Boosting: honest residuals, and intervals that cover."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from hedgerow import MondrianBoostingRegressor
from hedgerow.boosting._ridge import fit_ridge
from hedgerow.mondrian._regression import RegressionForest
from hedgerow.mondrian._smoothing import Smoothing
from models import bits

RNG = np.random.default_rng(1)
X = RNG.normal(size=(100, 3))
Y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * RNG.normal(size=100)
WEIGHTS = RNG.uniform(0.2, 3.0, size=100)


def new(**parameters):
    return MondrianBoostingRegressor(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


def fed(model, edges, weights=None, labels=Y):
    for begin, end in pairwise(edges):
        model.partial_fit(X[begin:end], labels[begin:end], None if weights is None else weights[begin:end])
    return model


def test_labels_that_begin_to_vary_late():
    labels = np.where(np.arange(100) < 37, 0.0, Y)
    whole = fed(new(), [0, 100], labels=labels)
    assert bits(fed(new(), list(range(101)), labels=labels)) == bits(whole)


def test_weights_that_come_later():
    late = np.where(np.arange(100) < 40, 1.0, WEIGHTS)
    mixed = fed(new(), [0, 40]).partial_fit(X[40:70], Y[40:70], late[40:70])
    mixed.partial_fit(X[70:], Y[70:])
    whole = fed(new(), [0, 100], np.where(np.arange(100) < 70, late, 1.0))
    np.testing.assert_array_equal(mixed.predict(X, return_std=True), whole.predict(X, return_std=True))


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


def test_a_ridge_with_more_columns_than_rows_explains_no_noise():
    """Its leverages are close to one: a bound on them made leave-one-out errors vanish."""
    rng = np.random.default_rng(0)
    for n, width in ((60, 100), (60, 300), (200, 1000)):
        noise = rng.normal(size=n)
        residuals = fit_ridge(rng.normal(size=(n, width)), noise, np.ones(n))[1]
        assert np.mean(residuals**2) > 0.8 * noise.var()


def test_one_stage_is_the_forest():
    model = new(max_stages=1, stages=["mondrian"], scaling="half", shape="common").fit(X, Y)
    (stage,), query = model._learner.stages.main.stages, Smoothing.free(1)
    assert isinstance(stage.forest, RegressionForest)
    np.testing.assert_allclose(model.loo_predict().mean, stage.forest.left_out(query).mean(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict(X), stage.forest.means(X, query), rtol=1e-12, atol=1e-12)


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


def test_light_first_rows_of_a_stream_are_no_matter(recwarn):
    new().partial_fit(X, Y, np.full(100, 0.8))
    assert not recwarn.list
