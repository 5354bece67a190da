"""The formulas of docs/theory/scores.md, evaluated as the page writes them, against the code."""

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from hedgerow import metrics

RNG = np.random.default_rng(0)


def A(m, s):  # noqa: N802
    return m * math.erf(m / (math.sqrt(2) * s)) + s * math.sqrt(2 / math.pi) * math.exp(-(m**2) / (2 * s**2))


def rho(u, e):
    return max(u * e, (u - 1) * e)


def test_mean_distance_is_an_expectation():
    for m, s in ((0.0, 1.0), (1.3, 0.4), (-2.0, 3.0)):
        density = lambda z: abs(m + s * z) * stats.norm.pdf(z)  # noqa: B023, E731
        assert A(m, s) == pytest.approx(integrate.quad(density, -12, 12, points=[-m / s])[0], rel=1e-9)


def test_the_three_forms_of_crps_are_one():
    y, mean, std = 0.7, 0.2, 0.8
    cdf, ppf = stats.norm(mean, std).cdf, stats.norm(mean, std).ppf
    squares = integrate.quad(lambda t: (cdf(t) - (y <= t)) ** 2, -9, 9, points=[y], limit=200)[0]
    pinball = 2 * integrate.quad(lambda u: rho(u, y - ppf(u)), 0, 1, points=[cdf(y)], limit=200)[0]
    assert squares == pytest.approx(pinball, rel=1e-6)
    assert squares == pytest.approx(A(y - mean, std) - std / math.sqrt(math.pi), rel=1e-9)
    assert squares == pytest.approx(metrics.crps([y], ([mean], [std])), rel=1e-9)


def test_student():
    nu, z = 4.0, 1.1
    f, F = stats.t.pdf(z, nu), stats.t.cdf(z, nu)
    beta = special.beta(0.5, nu - 0.5) / special.beta(0.5, nu / 2) ** 2
    page = z * (2 * F - 1) + 2 * f * (nu + z**2) / (nu - 1) - 2 * math.sqrt(nu) / (nu - 1) * beta
    integral = integrate.quad(lambda t: stats.t.cdf(t, nu) ** 2, -np.inf, z)[0]
    integral += integrate.quad(lambda t: stats.t.sf(t, nu) ** 2, z, np.inf)[0]
    assert page == pytest.approx(integral, rel=1e-8)


def test_where_quantile_loss_and_interval_score_are_smallest():
    """The true law is standard normal; ends move together. IS wants alpha / 2 beyond each end, QL wants alpha."""
    alpha, ends = 0.1, np.linspace(0.5, 3, 26)
    y = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    both = np.column_stack
    score = [metrics.interval_score(y, both([np.full(y.size, -end), np.full(y.size, end)]), 1 - alpha) for end in ends]
    loss = [metrics.quantile_loss(y, both([np.full(y.size, -end), np.full(y.size, end)]), 1 - alpha) for end in ends]
    assert ends[np.argmin(score)] == pytest.approx(stats.norm.ppf(1 - alpha / 2), abs=0.06)
    assert ends[np.argmin(loss)] == pytest.approx(stats.norm.ppf(1 - alpha), abs=0.06)
