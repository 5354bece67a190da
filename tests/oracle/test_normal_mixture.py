"""NormalMixture against scipy."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import logsumexp
from scipy.stats import kstest, norm

from hedgerow.predictive import NormalMixture


@pytest.fixture
def parts():
    """Mixtures of 1 to 40 components, of spreads from 1e-3 to 10."""
    rng = np.random.default_rng(0)
    sizes = [1, 2, 3, 7, 40]
    return [(rng.dirichlet(np.ones(k)), rng.normal(scale=5, size=k), 10 ** rng.uniform(-6, 2, size=k)) for k in sizes]


@pytest.fixture
def mixture(parts):
    first = np.concatenate([[0], np.cumsum([part[0].size for part in parts])])
    return NormalMixture(first, *(np.concatenate(column) for column in zip(*parts, strict=True)))


def test_moments(mixture, parts):
    for i, (w, m, v) in enumerate(parts):
        assert mixture.mean()[i] == pytest.approx(w @ m, rel=1e-12)
        assert mixture.std()[i] == pytest.approx(np.sqrt(w @ (v + (m - w @ m) ** 2)), rel=1e-12)


def test_density(mixture, parts):
    y = np.linspace(-30, 30, 41)
    found = mixture.logpdf(y[None, :])
    for i, (w, m, v) in enumerate(parts):
        expected = logsumexp(norm.logpdf(y[:, None], m, np.sqrt(v)), b=w, axis=1)
        np.testing.assert_allclose(found[i], expected, rtol=1e-12)
        np.testing.assert_allclose(mixture.pdf(y[None, :])[i], np.exp(expected), rtol=1e-9)


def test_density_integrates_to_the_distribution_function():
    mixture = NormalMixture([0, 3], [0.2, 0.5, 0.3], [-1.0, 0.0, 2.0], [0.1, 1.0, 0.3])
    for y in (-2.0, 0.1, 1.9, 4.0):
        area = quad(lambda at: mixture.pdf(at)[0], -12.0, y, points=[-1.0, 0.0, 2.0], epsabs=1e-12, limit=200)[0]
        assert area == pytest.approx(mixture.cdf(y)[0], abs=1e-10)


def test_distribution_function(mixture, parts):
    y = np.linspace(-40, 40, 41)
    for i, (w, m, v) in enumerate(parts):
        expected = norm.cdf(y[:, None], m, np.sqrt(v)) @ w
        np.testing.assert_allclose(mixture.cdf(y[None, :])[i], expected, rtol=1e-10, atol=1e-300)


def test_quantiles(mixture, parts):
    levels = np.array([1e-12, 1e-6, 0.01, 0.05, 0.3, 0.5, 0.77, 0.95, 0.99, 1 - 1e-6])
    found = mixture.ppf(levels)
    assert found.shape == (len(parts), levels.size)
    for i, (w, m, v) in enumerate(parts):
        for k, q in enumerate(levels):
            ends = norm.ppf(q, m, np.sqrt(v))
            if ends.min() == ends.max():
                assert found[i, k] == pytest.approx(ends[0], rel=1e-12)
                continue
            gap = partial(lambda y, w, m, v, q: norm.cdf(y, m, np.sqrt(v)) @ w - q, w=w, m=m, v=v, q=q)
            expected = brentq(gap, ends.min(), ends.max(), xtol=1e-13)
            assert norm.cdf(found[i, k], m, np.sqrt(v)) @ w == pytest.approx(q, rel=1e-6)
            assert found[i, k] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_array_equal(mixture.ppf(0.3), found[:, 4])
    assert (np.diff(found, axis=1) > 0).all()


def test_quantiles_at_the_ends(mixture):
    np.testing.assert_array_equal(mixture.ppf(0.0), np.full(len(mixture), -np.inf))
    np.testing.assert_array_equal(mixture.ppf([0.0, 1.0])[:, 1], np.full(len(mixture), np.inf))


def test_interval(mixture):
    np.testing.assert_allclose(mixture.interval(0.8), mixture.ppf([0.1, 0.9]), rtol=1e-12)


def test_far_out():
    mixture = NormalMixture([0, 2], [0.3, 0.7], [0.0, 1.0], [1.0, 4.0])
    assert mixture.logpdf(1e6)[0] == pytest.approx(np.log(0.7) + norm.logpdf(1e6, 1, 2), rel=1e-12)
    assert mixture.logpdf(-1e160)[0] < -1e300
    assert mixture.cdf(-60.0)[0] == pytest.approx(0.7 * norm.cdf(-60, 1, 2), rel=1e-9)
    assert mixture.cdf(1e300)[0] == 1.0
    assert mixture.pdf(1e300)[0] == 0.0


def test_a_component_without_weight_is_silent():
    mixture = NormalMixture([0, 2], [0.0, 1.0], [500.0, 1.0], [1.0, 4.0])
    assert mixture.logpdf(0.0)[0] == pytest.approx(norm.logpdf(0, 1, 2))
    assert mixture.ppf(0.9)[0] == pytest.approx(norm.ppf(0.9, 1, 2), rel=1e-9)


def test_one_component_is_the_normal_distribution():
    mixture = NormalMixture([0, 1], [1.0], [3.0], [4.0])
    levels = np.array([1e-300, 1e-20, 0.2, 0.5, 0.9])
    np.testing.assert_allclose(mixture.ppf(levels)[0], norm.ppf(levels, 3, 2), rtol=1e-12)


def test_draws_have_the_mixture_as_their_law(mixture):
    """Five Kolmogorov-Smirnov tests at 2e-4: a false alarm once in a thousand seeds."""
    draws = mixture.rvs(4000, random_state=0)
    assert draws.shape == (len(mixture), 4000)
    for i in range(len(mixture)):
        below = np.array(mixture.cdf(np.broadcast_to(draws[i], (len(mixture), 4000)))[i])
        assert kstest(below, "uniform").pvalue > 2e-4
    np.testing.assert_array_equal(draws, mixture.rvs(4000, random_state=0))
    assert mixture.rvs(random_state=1).shape == (len(mixture),)
    assert mixture.rvs(0).shape == (len(mixture), 0)


def test_threads_do_not_matter(mixture):
    threaded = NormalMixture(mixture.first, mixture.weights, mixture.means, mixture.variances, n_threads=3)
    np.testing.assert_array_equal(threaded.ppf([0.1, 0.7]), mixture.ppf([0.1, 0.7]))
    np.testing.assert_array_equal(threaded.logpdf(0.3), mixture.logpdf(0.3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mixture: mixture.ppf(1.5), "between 0 and 1"),
        (lambda mixture: mixture.ppf(np.nan), "between 0 and 1"),
        (lambda mixture: mixture.ppf([[0.5]]), "1-D"),
        (lambda mixture: mixture.interval(1.0), "confidence"),
        (lambda mixture: mixture.interval(0.0), "confidence"),
        (lambda mixture: mixture.rvs(-1), "whole number from 0"),
        (lambda mixture: mixture.logpdf(np.zeros(3)), "shape"),
        (lambda mixture: mixture.cdf(np.zeros((2, 2))), "shape"),
        (lambda _: NormalMixture([0, 2], [1.0], [0.0], [1.0]), "first"),
        (lambda _: NormalMixture([0, 0, 1], [1.0], [0.0], [1.0]), "first"),
        (lambda _: NormalMixture([0, 1], [1.0], [0.0, 1.0], [1.0]), "one length"),
    ],
)
def test_refuses(mixture, call, message):
    with pytest.raises(ValueError, match=message):
        call(mixture)


@pytest.mark.parametrize("n_threads", [0, -1, True, 1.5, 10**9])
def test_threads_are_a_number(n_threads):
    with pytest.raises(ValueError, match="n_threads must be a whole number from 1 to"):
        NormalMixture([0, 1], [1.0], [0.0], [1.0], n_threads=n_threads)


def test_a_mean_that_is_no_number_has_no_quantile():
    assert np.isnan(NormalMixture([0, 1], [1.0], [np.nan], [1.0]).ppf(0.3)).all()
