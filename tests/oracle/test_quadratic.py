"""The quadratics of local searches against formulas and exhaustive search."""

import numpy as np
import pytest

from hedgerow.optimize import _quadratic
from hedgerow.optimize._quadratic import Quadratic, fit_quadratic, n_coefficients


def random_quadratic(n, rng, convex=True):
    root = rng.normal(size=(n, n))
    curvature = root @ root.T + 0.1 * np.eye(n) if convex else root + root.T
    return Quadratic(rng.normal(size=n), curvature)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_quadratic_is_recovered(n):
    rng = np.random.default_rng(n)
    truth = random_quadratic(n, rng)
    places = rng.uniform(-1, 1, size=(4 * n_coefficients(n), n))
    found = fit_quadratic(places, 3.0 + truth(places), np.ones(len(places)))
    np.testing.assert_allclose(found.slope, truth.slope, rtol=0.02, atol=0.02)
    np.testing.assert_allclose(found.curvature, truth.curvature, rtol=0.05, atol=0.05)


def test_without_rows_enough_only_own_squares_are_fitted():
    rng = np.random.default_rng(0)
    places = rng.uniform(-1, 1, size=(n_coefficients(4) - 1, 4))
    found = fit_quadratic(places, places[:, 0] * places[:, 1], np.ones(len(places)))
    np.testing.assert_array_equal(found.curvature, np.diag(np.diag(found.curvature)))


def test_products_are_fitted_only_where_they_help():
    rng = np.random.default_rng(1)
    places = rng.uniform(-1, 1, size=(60, 4))
    noise = rng.normal(size=60)
    alone = fit_quadratic(places, places[:, 0] ** 2 + noise, np.ones(60))
    np.testing.assert_array_equal(alone.curvature, np.diag(np.diag(alone.curvature)))
    crossed = fit_quadratic(places, 10 * places[:, 0] * places[:, 1] + noise, np.ones(60))
    assert abs(crossed.curvature[0, 1] - 10) < 1.5


def test_the_error_of_rows_left_out_is_that_of_refitting():
    rng = np.random.default_rng(2)
    places, labels, weights = rng.normal(size=(20, 2)), rng.normal(size=20), rng.uniform(0.5, 1.5, size=20)
    pairs = np.triu_indices(2)
    total = 0.0
    for row in range(20):
        kept = np.arange(20) != row
        terms = np.hstack([np.ones((20, 1)), places, places[:, pairs[0]] * places[:, pairs[1]]])
        penalty = np.diag([1e-10] + [_quadratic.SLOPE_PENALTY] * 2 + [_quadratic.CURVATURE_PENALTY] * 3)
        normal = terms[kept].T @ (terms[kept] * weights[kept, None]) + penalty
        found = np.linalg.solve(normal, terms[kept].T @ (weights[kept] * labels[kept]))
        total += weights[row] * (labels[row] - terms[row] @ found) ** 2
    assert _quadratic._fit(places, labels, weights, *pairs)[1] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("convex", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_the_least_value_in_a_box_is_that_of_a_fine_grid(seed, convex):
    rng = np.random.default_rng(seed)
    quadratic = random_quadratic(2, rng, convex)
    lower, upper = np.array([-1.0, -0.3]), np.array([0.2, 1.0])
    found = quadratic.least_in_box(lower, upper, rng)
    assert ((lower <= found) & (found <= upper)).all()
    grid = np.stack(np.meshgrid(*np.linspace(lower, upper, 201).T), axis=-1).reshape(-1, 2)
    values = quadratic(grid)
    assert quadratic(found[None])[0] <= values.min() + 0.01 * np.ptp(values)
