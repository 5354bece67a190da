"""Joint distributions of several targets, next to those of scipy and to sums over grids and draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from hedgerow.predictive import Joint, LocationScale
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, StudentShape

RNG = np.random.default_rng(0)
N, K = 5, 3
CORRELATION = np.array([[1.0, 0.7, -0.3], [0.7, 1.0, 0.1], [-0.3, 0.1, 1.0]])
LOCATION, SCALE = RNG.normal(size=(N, K)), RNG.uniform(0.5, 2.0, (N, K))
SHAPES = [
    NormalShape(),
    StudentShape(5.0, 0.8),
    EmpiricalShape.fitted(RNG.exponential(size=200) - 1.0, np.ones(200)),
]


def joint(shapes, correlation=CORRELATION, rows=slice(None)):
    marginals = [LocationScale(LOCATION[rows, j], SCALE[rows, j], shape) for j, shape in enumerate(shapes)]
    return Joint(marginals, correlation)


@pytest.fixture
def normal():
    return joint([NormalShape()] * K)


def test_normal_marginals_are_jointly_normal(normal):
    y = LOCATION + RNG.normal(size=(N, K)) * [1.0, 5.0, 20.0]
    for i in range(N):
        covariance = SCALE[i][:, None] * CORRELATION * SCALE[i]
        np.testing.assert_allclose(normal.covariance()[i], covariance, rtol=1e-9, atol=1e-9)
        expected = stats.multivariate_normal(LOCATION[i], covariance).logpdf(y[i])
        assert normal.logpdf(y)[i] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(normal.pdf(y), np.exp(normal.logpdf(y)))
    np.testing.assert_array_equal(normal.mean(), LOCATION)
    np.testing.assert_array_equal(normal.std(), SCALE)
    np.testing.assert_allclose(normal.cdf(y), stats.norm.cdf(y, LOCATION, SCALE))
    np.testing.assert_allclose(normal.ppf(0.3), stats.norm.ppf(0.3, LOCATION, SCALE))
    np.testing.assert_allclose(normal.interval(0.8)[..., 1], stats.norm.ppf(0.9, LOCATION, SCALE))
    assert normal.ppf([0.1, 0.2]).shape == (N, K, 2)


def test_a_density_sums_to_its_marginals():
    """Over a grid of the first target, at some values of the others."""
    dist = joint(SHAPES)
    grid = np.linspace(-60.0, 60.0, 24_001)
    two = Joint(dist.marginals[:2], CORRELATION[:2, :2])
    for value in (-1.5, 0.0, 2.0):
        row = Joint([LocationScale(np.zeros(grid.size), np.ones(grid.size), shape) for shape in SHAPES[:2]],
                    CORRELATION[:2, :2])  # fmt: skip
        density = row.pdf(np.column_stack([np.full(grid.size, value), grid]))
        assert trapezoid(density, grid) == pytest.approx(np.exp(SHAPES[0].logpdf(np.array(value))), rel=1e-5)
    assert two.n_targets == 2


def test_draws_have_the_moments():
    """Of 5,000 draws: standard errors of means and correlations are below 0.02, and 6 of them are allowed."""
    dist = joint(SHAPES, rows=slice(1))
    draws = dist.rvs(5000, random_state=1)
    assert draws.shape == (1, 5000, K)
    expected = dist.covariance()[0]
    size = np.sqrt(np.diagonal(expected))
    np.testing.assert_allclose((draws[0].mean(axis=0) - dist.mean()[0]) / size, 0.0, atol=0.12)
    np.testing.assert_allclose(np.cov(draws[0].T) / size / size[:, None], expected / size / size[:, None], atol=0.12)
    for j in range(K):
        assert stats.kstest(dist.marginals[j].cdf(draws[:, :1000, j])[0], "uniform").pvalue > 1e-6
    assert dist.rvs(random_state=0).shape == (1, K)
    np.testing.assert_array_equal(dist.rvs(4, random_state=2), dist.rvs(4, random_state=2))


def test_covariances_need_the_marginals():
    """Heavy tails bring linear correlations down, and no covariance matrix has a negative eigenvalue."""
    dist = joint([StudentShape(2.5, 1.0)] * K)
    size = dist.std()
    linear = dist.covariance() / size[:, :, None] / size[:, None, :]
    assert 0.3 < linear[0, 0, 1] < 0.69
    assert np.linalg.eigvalsh(dist.covariance()).min() > 0


def test_copies_of_a_target():
    close = np.full((2, 2), 1.0 - 1e-6)
    np.fill_diagonal(close, 1.0)
    dist = joint([StudentShape(4.0, 1.0)] * 2, close, slice(1))
    for far in (0.0, 1.0, 30.0, 1e10):
        y = LOCATION[:1, :2] + far * SCALE[:1, :2]
        assert np.isfinite(dist.logpdf(y)).all()
        assert (dist.logpdf(y) >= dist.logpdf(y + np.array([[0.0, 1.0]]))).all()


def test_parts_are_joined():
    other = np.eye(K)
    parts = [joint(SHAPES, rows=slice(0, 2)), joint([NormalShape()] * K, other, slice(2, 2)),
             joint([NormalShape()] * K, other, slice(2, 5))]  # fmt: skip
    dist = Joint.joined(parts, K)
    y = RNG.normal(size=(N, K))
    assert len(dist) == N
    for ask in ("mean", "std", "covariance"):
        np.testing.assert_array_equal(getattr(dist, ask)(), np.concatenate([getattr(part, ask)() for part in parts]))
    rows = [slice(0, 2), slice(2, 2), slice(2, 5)]
    for ask in ("logpdf", "cdf"):
        expected = np.concatenate([getattr(part, ask)(y[own]) for part, own in zip(parts, rows, strict=True)])
        np.testing.assert_array_equal(getattr(dist, ask)(y), expected)
    np.testing.assert_array_equal(dist.interval(), np.concatenate([part.interval() for part in parts]))
    assert dist.rvs(7, random_state=0).shape == (N, 7, K)
    nothing = Joint.joined([], K)
    assert nothing.mean().shape == nothing.std().shape == (0, K)
    assert nothing.interval().shape == (0, K, 2)


def test_questions_of_the_wrong_shape(normal):
    with pytest.raises(ValueError, match=r"y must have shape \(5, 3\)"):
        normal.logpdf(np.zeros((N, 2)))
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal.ppf(1.5)
    with pytest.raises(ValueError, match="confidence"):
        normal.interval(2.0)
    with pytest.raises(ValueError, match="size"):
        normal.rvs(-1)
    with pytest.raises(ValueError, match="correlation must have shape"):
        Joint(normal.marginals, np.eye(2))
    with pytest.raises(ValueError, match="a marginal for each target"):
        Joint([], np.eye(1))
    np.testing.assert_array_equal(normal.logpdf(LOCATION[0]), normal.logpdf(np.tile(LOCATION[0], (N, 1))))
    assert repr(normal) == "<Joint of 5 rows, 3 targets>"
