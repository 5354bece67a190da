"""Mixtures of Student's t against scipy, component by component."""

import numpy as np
import pytest
from scipy import integrate, stats

from hedgerow.predictive import StudentMixture

FIRST = [0, 1, 3, 6]
WEIGHTS = np.array([1.0, 0.3, 0.7, 0.2, 0.5, 0.3])
DEGREES = np.array([3.0, 4.5, 30.0, 2.5, 1e4, 7.0])
LOCATIONS = np.array([1.0, -2.0, 3.0, 1e6, 1e6 + 1.0, 1e6 - 4.0])
SCALES = np.array([2.0, 0.1, 1.0, 1e-3, 2.0, 10.0])
MIXTURE = StudentMixture(FIRST, WEIGHTS, DEGREES, LOCATIONS, SCALES)


def by_hand(name, y, row):
    part = slice(FIRST[row], FIRST[row + 1])
    values = getattr(stats.t, name)(y, DEGREES[part], LOCATIONS[part], SCALES[part])
    return float(values @ WEIGHTS[part])


def test_density_and_distribution_function():
    y = np.array([[0.0, 5.0], [-2.05, 8.0], [1e6, 1e6 + 30]])
    pdf = [[by_hand("pdf", value, row) for value in y[row]] for row in range(3)]
    cdf = [[by_hand("cdf", value, row) for value in y[row]] for row in range(3)]
    np.testing.assert_allclose(MIXTURE.pdf(y), pdf, rtol=1e-10)
    np.testing.assert_allclose(MIXTURE.logpdf(y), np.log(pdf), rtol=1e-10)
    np.testing.assert_allclose(MIXTURE.cdf(y), cdf, rtol=1e-10)
    np.testing.assert_allclose(MIXTURE.cdf(y[:, 0]), np.array(cdf)[:, 0], rtol=1e-10)


def test_moments_are_those_of_the_density():
    for row in (0, 1):

        def moment(power, row=row):
            points = LOCATIONS[FIRST[row] : FIRST[row + 1]].tolist()
            return integrate.quad(lambda y: y**power * by_hand("pdf", y, row), -4e3, 4e3, points=points, limit=900)[0]

        assert MIXTURE.mean()[row] == pytest.approx(moment(1), abs=1e-3)
        if row == 1:
            assert MIXTURE.std()[row] ** 2 == pytest.approx(moment(2) - moment(1) ** 2, rel=1e-4)


def test_quantiles_invert_the_distribution_function():
    levels = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    found = MIXTURE.ppf(levels)
    np.testing.assert_allclose(MIXTURE.cdf(found), np.broadcast_to(levels, found.shape), rtol=1e-6, atol=1e-12)
    assert (np.diff(found, axis=1) > 0).all()
    np.testing.assert_array_equal(MIXTURE.ppf([0.0, 1.0]), [[-np.inf, np.inf]] * 3)
    np.testing.assert_array_equal(MIXTURE.interval(0.8), MIXTURE.ppf([(1 - 0.8) / 2, (1 + 0.8) / 2]))


def test_draws_have_the_law():
    """Kolmogorov and Smirnov's test for each of three rows, with a false alarm in ten million."""
    draws = MIXTURE.rvs(20_000, random_state=0)
    assert draws.shape == (3, 20_000)
    for below in MIXTURE.cdf(draws):
        assert stats.kstest(below, "uniform").pvalue > 1e-7


def test_few_degrees_of_freedom_have_no_variance():
    assert np.isinf(StudentMixture([0, 1], [1.0], [2.0], [0.0], [1.0]).std()[0])


def test_no_rows():
    nothing = StudentMixture([0], [], [], [], [])
    assert nothing.mean().shape == nothing.std().shape == (0,)
    assert nothing.ppf([0.1, 0.2]).shape == (0, 2)
    assert nothing.rvs(3, random_state=0).shape == (0, 3)


@pytest.mark.parametrize(
    "arguments",
    [
        ([0, 2], [1.0], [1.0], [0.0], [1.0]),
        ([0, 1], [1.0], [1.0], [0.0], [0.0]),
        ([0, 1], [1.0], [0.0], [0.0], [1.0]),
        ([0, 1], [[1.0]], [[1.0]], [[0.0]], [[1.0]]),
        ([0, 1], [1.0], [1.0, 2.0], [0.0], [1.0]),
    ],
)
def test_what_is_no_mixture_is_refused(arguments):
    with pytest.raises(ValueError):
        StudentMixture(*arguments)
