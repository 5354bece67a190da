"""Distributions of targets that are not the whole line: against closed forms and direct sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from hedgerow.metrics import crps
from hedgerow.predictive import Counts, LabelMixture, LocationScale, Mapped, NormalMixture, Reshaped, StudentMixture
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, StudentShape
from hedgerow.targets import Cells, Functions, Straightened

LOG = Straightened("log", 1e12)  # all of it below the knee
MEANS, STDS = np.array([-1.0, 0.5, 2.0]), np.array([0.2, 0.7, 1.1])


def normals(means=MEANS, stds=STDS):
    return NormalMixture(np.arange(len(means) + 1), np.ones(len(means)), means, np.asarray(stds) ** 2)


LATENTS = {
    "mixture": normals(),
    "location and scale": LocationScale(MEANS, STDS, NormalShape()),
    "reshaped": Reshaped(MEANS, STDS, NormalShape(), np.array([0, 0.3, 0.7, 1]), np.tile([0, 0.3, 0.7, 1.0], (3, 1))),
}


@pytest.mark.parametrize("latent", LATENTS.values(), ids=LATENTS)
def test_a_log_normal_distribution_is_that_of_scipy(latent):
    dist, exact = Mapped(latent, LOG), stats.lognorm(STDS, scale=np.exp(MEANS))
    np.testing.assert_allclose(dist.mean(), exact.mean(), rtol=2e-4)
    np.testing.assert_allclose(dist.std(), exact.std(), rtol=4e-3)
    y = np.array([0.3, 1.7, 20.0])
    np.testing.assert_allclose(dist.logpdf(y), exact.logpdf(y), rtol=1e-9)
    np.testing.assert_allclose(dist.cdf(y), exact.cdf(y), rtol=1e-9)
    np.testing.assert_allclose(dist.ppf(0.2), exact.ppf(0.2), rtol=1e-6)
    np.testing.assert_allclose(dist.interval(0.8), np.column_stack(exact.interval(0.8)), rtol=1e-6)
    assert dist.ppf(0.0).tolist() == [0, 0, 0]
    assert np.isinf(dist.logpdf(-1.0)).all()
    assert (dist.cdf(0.0) == 0).all()
    assert dist.rvs(random_state=0).shape == (3,)
    drawn = dist.rvs(4000, random_state=0)
    assert drawn.shape == (3, 4000)
    np.testing.assert_allclose(np.median(drawn, axis=1), np.exp(MEANS), rtol=0.08)
    matrix = np.tile(y[:, None], (1, 2))
    np.testing.assert_allclose(dist.pdf(matrix)[:, 1], exact.pdf(y), rtol=1e-9)


def test_densities_integrate_to_one_across_the_knee():
    y = np.linspace(1e-4, 60, 200_001)
    dist = Mapped(normals([0.5], [0.8]), Straightened("log", 2.0))
    density = dist.pdf(y.reshape(1, -1))[0]
    assert trapezoid(density, y) == pytest.approx(1.0, abs=1e-3)
    assert trapezoid(density * y, y) == pytest.approx(dist.mean()[0], rel=2e-3)
    assert trapezoid(density * (y - dist.mean()[0]) ** 2, y) ** 0.5 == pytest.approx(dist.std()[0], rel=5e-3)
    np.testing.assert_allclose(trapezoid(density[y < 3], y[y < 3]), dist.cdf(3.0)[0], atol=1e-3)


@pytest.mark.parametrize("degrees", [2.1, 3.0, 8.0])
def test_heavy_tails_above_a_knee_have_the_moments_of_the_line(degrees):
    """Far above the knee the map is straight, and moments are those of Student's t, cut off near 0."""
    dist = Mapped(
        LocationScale(np.array([900.0]), np.array([1.0]), StudentShape(degrees, 1.0)), Straightened("log", 1.0)
    )
    z = -np.geomspace(901.0, 1e-6, 100_001)
    exact = stats.t(degrees)
    below = trapezoid(exact.pdf(z) * z**2, z) + 901.0**2 * exact.cdf(-901.0)
    assert dist.mean()[0] == pytest.approx(901.0, rel=1e-4)
    assert dist.std()[0] == pytest.approx((below + 0.5 * degrees / (degrees - 2)) ** 0.5, rel=5e-3)


def test_all_distributions_find_the_mean_of_a_function():
    rng = np.random.default_rng(0)
    labels = rng.normal(size=12)
    residuals = np.sort(rng.standard_t(5, size=200))
    student = StudentMixture([0, 2], [0.3, 0.7], [5.0, 9.0], [0.0, 1.0], [1.0, 0.5])
    several = {
        "student": student,
        "labels": LabelMixture(np.array([0, 5, 12]), np.ones(12), labels, lambda levels: np.zeros((2, levels.size))),
        "empirical": LocationScale(np.zeros(1), np.ones(1), EmpiricalShape.fitted(residuals, np.ones(200))),
        "normals": normals(),
    }
    for name, dist in several.items():
        np.testing.assert_allclose(dist.expect(lambda z, rows: z), dist.mean(), atol=2e-4, err_msg=name)
        mean = dist.mean()
        variance = dist.expect(lambda z, rows, mean=mean: (z - mean[rows]) ** 2)
        np.testing.assert_allclose(np.sqrt(variance), dist.std(), rtol=2e-3, err_msg=name)
    drawn = student.rvs(400_000, random_state=0)
    assert student.expect(lambda z, rows: np.tanh(z))[0] == pytest.approx(np.tanh(drawn).mean(), abs=5e-3)


MAPS = [Straightened("log", 0.5), Straightened("sqrt", 30.0), Straightened("log", 30.0)]


@pytest.mark.parametrize("zero", [None, np.array([0.3, 0.05, 0.9])], ids=["one process", "zeros of their own"])
@pytest.mark.parametrize("by", MAPS, ids=repr)
def test_counts_against_direct_sums(by, zero):
    shifts = [0.1, -0.05] if by.curve == "sqrt" else []
    cells = Cells(by, shifts)
    dist = Counts(normals(by.forward(np.array([0.8, 4.2, 11.3])), [0.8, 0.6, 0.5]), cells, zero)
    k = np.arange(4000.0)
    mass = dist.pmf(np.tile(k, (3, 1)))
    np.testing.assert_allclose(mass.sum(axis=1), 1.0, atol=1e-6)
    mean = mass @ k
    np.testing.assert_allclose(dist.mean(), mean, rtol=2e-3)
    np.testing.assert_allclose(dist.std(), np.sqrt((mass * (k - mean[:, None]) ** 2).sum(axis=1)), rtol=1e-2)
    below = np.cumsum(mass, axis=1)
    np.testing.assert_allclose(dist.cdf(np.array([1.5, 3.0, 7.999])), below[[0, 1, 2], [1, 3, 7]], atol=1e-9)
    for level in (0.0, 0.05, 0.31, 0.5, 0.95, 0.999):
        expected = [np.searchsorted(row, level - 1e-12) for row in below]
        assert dist.ppf(level).tolist() == expected
    assert dist.ppf([0.1, 0.9]).shape == (3, 2)
    assert np.isinf(dist.ppf(1.0)).all()
    assert (dist.pmf(2.5) == 0).all()
    assert (dist.pmf(-1) == 0).all()
    np.testing.assert_array_equal(dist.pdf(2), dist.pmf(2))
    drawn = dist.rvs(5000, random_state=0)
    assert drawn.shape == (3, 5000)
    assert dist.rvs(random_state=0).shape == (3,)
    np.testing.assert_allclose((drawn == 0).mean(axis=1), mass[:, 0], atol=0.03)
    if zero is not None:
        np.testing.assert_allclose(dist.pmf(0), zero)


def test_means_of_large_counts():
    """Beyond the counts that are added up one by one, hidden values are asked; a direct sum takes all."""
    by = Straightened("sqrt", 1e5)
    dist = Counts(normals(by.forward(np.array([40.0, 300.0, 5000.0])), [1.0, 1.0, 1.0]), Cells(by))
    k = np.arange(20_000.0)
    mass = dist.pmf(np.tile(k, (3, 1)))
    mean = mass @ k
    np.testing.assert_allclose(dist.mean(), mean, rtol=2e-3)
    np.testing.assert_allclose(dist.std(), np.sqrt((mass * (k - mean[:, None]) ** 2).sum(axis=1)), rtol=1e-2)


def test_the_far_tail_of_counts_has_finite_logarithms():
    by = Straightened("log", 0.5)
    logs = Counts(normals([5.0], [1.0]), Cells(by)).logpmf([[2.0, 20.0, 30.0, 60.0]])
    assert np.isfinite(logs).all()
    assert (np.diff(logs[0][1:]) < 0).all()


def test_scores_of_counts():
    """CRPS of a count: the sum of (F(k) - 1[y <= k])^2."""
    by = Straightened("sqrt", 30.0)
    dist = Counts(normals(by.forward(np.array([2.0, 5.0, 9.0])), [0.8, 0.6, 0.5]), Cells(by))
    y, k = np.array([1.0, 9.0, 9.0]), np.arange(200.0)
    below = dist.cdf(np.tile(k, (3, 1)))
    assert crps(y, dist) == pytest.approx(((below - (y[:, None] <= k)) ** 2).sum(axis=1).mean(), rel=5e-3)


@pytest.mark.parametrize("by", [Straightened("log", 2.5), Straightened("sqrt", 2.5)], ids=repr)
def test_maps_rise_and_come_back(by):
    y = np.concatenate([np.geomspace(1e-8, 1e8, 400), [2.5]])
    y.sort()
    z = by.forward(y)
    assert (np.diff(z) > 0).all()
    np.testing.assert_allclose(by.inverse(z), y, rtol=1e-9)
    step = 1e-6 * y
    slopes = (by.forward(y + step) - by.forward(y - step)) / (2 * step)
    np.testing.assert_allclose(by.log_derivative(y), np.log(slopes), atol=1e-5)
    assert np.isneginf(by.forward(np.array([0.0, -1.0]))).all()


def test_functions_are_checked():
    y = np.array([0.5, 1.0, 4.0])
    Functions(np.log, np.exp, lambda v: -np.log(v)).check(y)
    for wrong, words in (
        ((np.log, np.exp, np.log), "derivative"),
        ((np.log, np.sqrt, lambda v: -np.log(v)), "does not undo"),
        ((np.negative, np.negative, np.zeros_like), "does not rise"),
        ((lambda v: np.log(v - 1), np.exp, np.log), "no finite value"),
        ((np.arctan, np.tan, lambda v: -np.log1p(v**2)), "one end of the line to the other"),
        ((lambda v: 1.0, np.exp, np.log), "arrays"),
    ):
        with pytest.raises(ValueError, match=words):
            Functions(*wrong).check(y)
