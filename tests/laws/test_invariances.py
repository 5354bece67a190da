"""Changes of the data that must change the predictions in a known way, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(5)
X = RNG.integers(-100, 100, size=(120, 3)) / 128.0
Y = np.sin(3 * X[:, 0]) + 0.3 * RNG.normal(size=120)
QUERIES = np.concatenate([X[:15], RNG.integers(-400, 400, size=(15, 3)) / 128.0])

SMOOTHINGS = pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
WAYS = pytest.mark.parametrize("way", ["fit", "partial_fit"])


def predictions(way, X, y, queries, weights=None, **parameters):
    settings = {"n_estimators": 5, "min_samples_split": 4, "random_state": 0, **parameters}
    forest = MondrianForestRegressor(**settings)
    getattr(forest, way)(X, y, weights)
    assert forest.check_structure() == []
    return np.stack(forest.predict(queries, return_std=True))


@WAYS
@SMOOTHINGS
@pytest.mark.parametrize("offset", [-3.0, 1e5, 1e9])
def test_shift_of_labels(way, smoothing, offset):
    mean, std = predictions(way, X, Y, QUERIES, smoothing=smoothing)
    shifted_mean, shifted_std = predictions(way, X, Y + offset, QUERIES, smoothing=smoothing)
    precision = 1e-12 + 1e-15 * abs(offset)
    np.testing.assert_allclose(shifted_mean - offset, mean, atol=20 * precision)
    np.testing.assert_allclose(shifted_std, std, rtol=100 * precision)


@WAYS
@SMOOTHINGS
@pytest.mark.parametrize("factor", [-1.0, 1e-3, 1e6, 1e-90, 1e90])
def test_scale_of_labels(way, smoothing, factor):
    mean, std = predictions(way, X, Y, QUERIES, smoothing=smoothing)
    scaled_mean, scaled_std = predictions(way, X, Y * factor, QUERIES, smoothing=smoothing)
    np.testing.assert_allclose(scaled_mean / factor, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(scaled_std / abs(factor), std, rtol=1e-10)


@WAYS
@pytest.mark.parametrize("factors", [[2.0, 2.0, 2.0], [4.0, 0.125, 2.0**40], [2.0**-60, 1.0, 2.0**200]])
def test_units_of_columns(way, factors):
    """Columns may come in any units."""
    one = predictions(way, X, Y, QUERIES)
    other = predictions(way, X * factors, Y, QUERIES * factors)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_origin_of_columns():
    one = predictions("fit", X, Y, QUERIES)
    shift = np.array([8.0, -512.0, 1.0])
    other = predictions("fit", X + shift, Y, QUERIES + shift)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_ranks_ignore_monotone_maps():
    """With scaling="rank" and rows as queries, only the order of values matters."""

    def bend(columns):
        return np.sign(columns) * np.abs(columns) ** 3 + 0.01 * columns

    one = predictions("fit", X, Y, X, scaling="rank")
    other = predictions("fit", bend(X), Y, bend(X), scaling="rank")
    np.testing.assert_allclose(one, other, rtol=1e-9)


@SMOOTHINGS
def test_order_of_rows_in_batch(smoothing):
    """Rows that are exact in single precision: the same trees, up to the order of sums."""
    order = np.random.default_rng(1).permutation(len(X))
    one = predictions("fit", X, Y, QUERIES, smoothing=smoothing)
    other = predictions("fit", X[order], Y[order], QUERIES, smoothing=smoothing)
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("hyperparameters", ["learned", "paper"])
@SMOOTHINGS
def test_weight_is_repetition_in_batch(smoothing, hyperparameters):
    """The same trees, because batch growth draws by blocks, not by rows; and a row is left out with its copies."""
    kind = {"smoothing": smoothing, "hyperparameters": hyperparameters}
    weights = np.random.default_rng(2).integers(1, 5, size=len(X))
    one = predictions("fit", X, Y, QUERIES, weights.astype(float), **kind)
    repeated = np.repeat(X, weights, axis=0), np.repeat(Y, weights)
    other = predictions("fit", *repeated, QUERIES, **kind)
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_a_constant_column_does_not_matter_to_the_mean():
    """It is never cut. The hierarchy's rate counts columns, so it is held fixed."""
    wide = np.column_stack([X, np.full(len(X), 7.0)])
    wide_queries = np.column_stack([QUERIES, np.full(len(QUERIES), 7.0)])
    one = predictions("fit", X, Y, QUERIES, drift_rate=0.05)
    other = predictions("fit", wide, Y, wide_queries, drift_rate=0.05)
    np.testing.assert_allclose(one, other, rtol=1e-12)
