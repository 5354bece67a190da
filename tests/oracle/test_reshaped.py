"""Distributions whose shape differs from row to row: every function must follow from the same density."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest

from hedgerow.boosting._reshaping import KNOTS, LEVELS, levels_of
from hedgerow.predictive import LocationScale, Reshaped
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, StudentShape

RNG = np.random.default_rng(0)
SHAPES = {
    "normal": NormalShape(),
    "student": StudentShape(4.0, 0.8),
    "empirical": EmpiricalShape.fitted(RNG.exponential(size=300) - 1.0, np.ones(300)),
}
EVERY = pytest.mark.parametrize("name", SHAPES)
LOCATION, SCALE = np.array([0.5, -3.0, 2.0]), np.array([1.0, 0.2, 4.0])
MOVED = np.array([np.zeros(LEVELS.size), 0.4 * (1 - LEVELS), 0.3 * RNG.normal(size=LEVELS.size)])


def new(name):
    return Reshaped(LOCATION, SCALE, SHAPES[name], KNOTS, levels_of(MOVED, 0.1))


def integral(function, dist, row):
    """Piece by piece: the density jumps at the knots."""
    edges = LOCATION[row] + SCALE[row] * dist.shape.ppf(np.array([1e-12, *LEVELS, 1 - 1e-12]))
    return sum(quad(function, low, high, epsabs=1e-10, limit=200)[0] for low, high in itertools.pairwise(edges))


@EVERY
def test_unmoved_levels_change_nothing(name):
    dist, plain = new(name), LocationScale(LOCATION, SCALE, SHAPES[name])
    y = np.linspace(-4, 4, 9)
    for function in ("logpdf", "cdf"):
        np.testing.assert_allclose(getattr(dist, function)(y[None])[0], getattr(plain, function)(y[None])[0], atol=1e-9)
    assert dist.mean()[0] == pytest.approx(LOCATION[0], abs=1e-3)
    assert dist.std()[0] == pytest.approx(plain.std()[0], rel=1e-3)
    np.testing.assert_allclose(dist.ppf([0.01, 0.3, 0.5])[0], plain.ppf([0.01, 0.3, 0.5])[0], atol=1e-9)


@EVERY
@pytest.mark.parametrize("row", [0, 1, 2])
def test_moments_are_those_of_the_density(name, row):
    dist = new(name)

    def density(y):
        return dist.pdf(np.full(3, y))[row]

    mean = integral(lambda y: y * density(y), dist, row)
    square = integral(lambda y: (y - mean) ** 2 * density(y), dist, row)
    assert integral(density, dist, row) == pytest.approx(1.0, abs=1e-6)
    assert dist.mean()[row] == pytest.approx(mean, abs=2e-3 * SCALE[row])
    assert dist.std()[row] == pytest.approx(np.sqrt(square), rel=0.01 if name == "student" else 2e-3)


@EVERY
def test_the_distribution_function_is_the_integral_of_the_density(name):
    dist = new(name)
    y = LOCATION[:, None] + SCALE[:, None] * np.array([-1.3, -0.2, 0.4, 1.1])
    step = 1e-6 * SCALE[:, None]
    np.testing.assert_allclose((dist.cdf(y + step) - dist.cdf(y - step)) / (2 * step), dist.pdf(y), rtol=2e-4)


@EVERY
def test_quantiles_undo_the_distribution_function(name):
    dist = new(name)
    levels = np.array([0.001, 0.02, 0.25, 0.5, 0.83, 0.999])
    np.testing.assert_allclose(dist.cdf(dist.ppf(levels)), np.broadcast_to(levels, (3, 6)), atol=1e-9)
    np.testing.assert_array_equal(dist.ppf(0.25), dist.ppf([0.25])[:, 0])
    np.testing.assert_allclose(dist.interval(0.9), dist.ppf([0.05, 0.95]), rtol=1e-12)
    assert np.isneginf(dist.ppf(0.0)).all()
    assert np.isposinf(dist.ppf(1.0)).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        dist.ppf([0.5, 1.5])


@EVERY
def test_draws(name):
    """Three tests at a level of 1e-4."""
    draws = new(name).rvs(2000, random_state=0)
    for row in range(3):
        one = Reshaped(LOCATION[[row]], SCALE[[row]], SHAPES[name], KNOTS, levels_of(MOVED[[row]], 0.1))
        assert kstest(draws[row], lambda y, one=one: one.cdf(y[None])[0]).pvalue > 1e-4


def test_levels_rise_however_they_are_moved():
    levels = levels_of(RNG.normal(size=(500, LEVELS.size)), 0.02)
    assert (np.diff(levels, axis=1) > 0).all()
    np.testing.assert_array_equal(levels[:, [0, -1]], np.tile([0.0, 1.0], (500, 1)))
    rising = LEVELS + 0.5 * (LEVELS**2 - LEVELS)
    np.testing.assert_allclose(levels_of((rising - LEVELS)[None], 0.0)[0, 1:-1], rising)


@EVERY
def test_moments_between_levels(name):
    shape = SHAPES[name]
    means, squares = shape.moments_between(KNOTS)
    assert np.diff(KNOTS) @ means == pytest.approx(0.0, abs=1e-3)
    assert np.diff(KNOTS) @ squares == pytest.approx(shape.std**2, rel=1e-3)
    z = shape.ppf((np.arange(10**4) + 0.5) / 10**4)
    for piece in range(1, KNOTS.size - 2):
        begin, end = (round(knot * 10**4) for knot in KNOTS[piece : piece + 2])
        assert means[piece] == pytest.approx(z[begin:end].mean(), abs=1e-3)


@EVERY
def test_what_is_expected_of_a_row_does_not_depend_on_the_others(name):
    """To the last bit, alone and among many; sums once depended on how many rows there are."""
    n = 1500
    rng = np.random.default_rng(1)
    location, scale, moved = rng.normal(size=n), rng.uniform(0.1, 2, n), 0.2 * rng.normal(size=(n, LEVELS.size))
    for make in (
        lambda some: Reshaped(location[some], scale[some], SHAPES[name], KNOTS, levels_of(moved[some], 0.1)),
        lambda some: LocationScale(location[some], scale[some], SHAPES[name]),
    ):
        together = make(slice(None)).expect(lambda y, rows: np.exp(np.minimum(y, 3.0)) + rows)
        for row in (0, 700, n - 1):
            alone = make(slice(row, row + 1)).expect(lambda y, rows, row=row: np.exp(np.minimum(y, 3.0)) + row)
            assert alone[0] == together[row]
