"""Predictive distributions with one shape: against numerical integration and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad, trapezoid

from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import SHAPES, EmpiricalShape, NormalShape, StudentShape, shape_from_numbers

RNG = np.random.default_rng(0)
SAMPLE = stats.t(4).rvs(500, random_state=0)
MADE = {
    "normal": NormalShape(),
    "student": StudentShape(5.0, 0.7),
    "heavy": StudentShape(2.1, 2.0),
    "empirical": EmpiricalShape.fitted(SAMPLE, np.ones(500)),
    "skew": EmpiricalShape.fitted(RNG.exponential(size=300), RNG.uniform(0.1, 2, size=300)),
    "two values": EmpiricalShape.fitted(RNG.choice([-1.0, 1.0], size=100), np.ones(100)),
}
EVERY = pytest.mark.parametrize("name", MADE)
LEVELS = np.array([1e-6, 1e-3, 0.05, 0.2, 0.5, 0.77, 0.95, 0.999, 1 - 1e-6])


@EVERY
def test_quantiles_undo_the_distribution_function(name):
    shape = MADE[name]
    np.testing.assert_allclose(shape.cdf(shape.ppf(LEVELS)), LEVELS, rtol=1e-6, atol=1e-9)
    assert (np.diff(shape.ppf(np.linspace(0, 1, 1001)[1:-1])) >= 0).all()
    np.testing.assert_array_equal(shape.ppf(np.array([0.0, 1.0])), [-np.inf, np.inf])


@EVERY
def test_the_density_integrates_to_the_distribution_function(name):
    shape = MADE[name]

    def integral(value, low, high):
        points = np.linspace(low, high, 40_001)
        return trapezoid(value(points), points)

    far = 60.0 * shape.std if "student" not in name and name != "heavy" else 0.0
    if far:
        assert integral(lambda z: np.exp(shape.logpdf(z)), -far, far) == pytest.approx(1.0, abs=1e-6)
        assert integral(lambda z: z * np.exp(shape.logpdf(z)), -far, far) == pytest.approx(0.0, abs=1e-6)
        variance = integral(lambda z: z**2 * np.exp(shape.logpdf(z)), -far, far)
        assert np.sqrt(variance) == pytest.approx(shape.std, rel=1e-6)
    for low, high in ((-1.0, 0.3), (-3.0, 3.0), (0.1, 0.2)):
        area = quad(lambda z: float(np.exp(shape.logpdf(np.array(z)))), low, high, epsabs=1e-11, limit=2000)[0]
        assert area == pytest.approx(float(shape.cdf(np.array(high)) - shape.cdf(np.array(low))), abs=1e-8)


def test_student_is_that_of_scipy():
    shape, known = MADE["student"], stats.t(5.0, scale=0.7)
    z = np.linspace(-20, 20, 101)
    np.testing.assert_allclose(shape.logpdf(z), known.logpdf(z), rtol=1e-10)
    np.testing.assert_allclose(shape.cdf(z), known.cdf(z), rtol=1e-8)
    assert shape.std == pytest.approx(known.std())


def test_student_is_fitted_by_likelihood():
    fitted = StudentShape.fitted(SAMPLE, np.ones(500))
    degrees, _, scale = stats.t.fit(SAMPLE, floc=0)
    best = stats.t(degrees, scale=scale).logpdf(SAMPLE).mean()
    assert fitted.logpdf(SAMPLE).mean() == pytest.approx(best, abs=2e-3)


@EVERY
def test_numbers_make_the_shape_again(name):
    shape = MADE[name]
    kind = next(key for key, made in SHAPES.items() if type(shape) is made)
    again = shape_from_numbers(kind, shape.numbers())
    np.testing.assert_array_equal(again.ppf(LEVELS), shape.ppf(LEVELS))
    assert again.std == shape.std


@EVERY
def test_rows_are_moved_and_stretched(name):
    shape = MADE[name]
    location, scale = np.array([1.0, -50.0, 1e6]), np.array([2.0, 1e-3, 10.0])
    dist = LocationScale(location, scale, shape)
    np.testing.assert_array_equal(dist.mean(), location)
    np.testing.assert_allclose(dist.std(), scale * shape.std)
    assert dist.ppf(0.3).shape == (3,)
    assert dist.ppf([0.3, 0.4]).shape == (3, 2)
    np.testing.assert_allclose(dist.cdf(dist.ppf([0.1, 0.6])), [[0.1, 0.6]] * 3, atol=1e-6)
    np.testing.assert_allclose(dist.interval(0.8), dist.ppf([0.1, 0.9]), rtol=1e-15)
    np.testing.assert_allclose(dist.pdf(location), np.exp(shape.logpdf(np.zeros(3))) / scale)
    draws = dist.rvs(4000, random_state=0)
    np.testing.assert_array_equal(draws, dist.rvs(4000, random_state=0))
    for row, at, width in zip(draws, location, scale, strict=True):
        assert stats.kstest((row - at) / width, lambda z: shape.cdf(np.asarray(z))).pvalue > 1e-7
