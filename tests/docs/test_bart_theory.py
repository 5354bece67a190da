"""The formulas of docs/theory/bart.md, evaluated as the page writes them, against the code."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammaln, polygamma, psi
from scipy.stats import chi2, invgamma, multivariate_normal, multivariate_t, norm

from hedgerow import BARTClassifier, BARTRegressor, _core
from hedgerow.bart._convergence import bulk_ess
from hedgerow.bart._noise import LEAST_SHARE, N_TREES, VaryingNoise
from hedgerow.bart._responses import offsets_for

PAGE = (Path(__file__).parents[2] / "docs" / "theory" / "bart.md").read_text(encoding="utf-8")


def test_number_of_leaves_under_the_prior():
    split = [0.95 / (1 + depth) ** 2 for depth in range(3)]
    two = split[0] * (1 - split[1]) ** 2
    three = split[0] * 2 * split[1] * (1 - split[2]) ** 2 * (1 - split[1])
    expected = f"probability {1 - split[0]:.2f}, {two:.2f} and {three:.2f}"
    assert expected in re.sub(r"\s+", " ", PAGE)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_likelihood_of_a_leaf(n):
    leaf_variance, noise_variance = 0.3, 0.7
    residuals = np.random.default_rng(n).normal(size=n)
    total = residuals.sum()
    together = multivariate_normal.logpdf(residuals, np.zeros(n), noise_variance * np.eye(n) + leaf_variance)
    alone = norm.logpdf(residuals, 0.0, math.sqrt(noise_variance)).sum()
    shared = noise_variance + n * leaf_variance
    page = -0.5 * math.log(1 + n * leaf_variance / noise_variance)
    page += leaf_variance * total**2 / (2 * noise_variance * shared)
    assert page == pytest.approx(together - alone)
    # The posterior of the value: prior times likelihood is proportional to a normal with the page's mean and variance.
    mean, variance = leaf_variance * total / shared, noise_variance * leaf_variance / shared
    grid = np.linspace(-1, 1, 5)
    joint = norm.logpdf(grid, 0, math.sqrt(leaf_variance)) + norm.logpdf(
        residuals[:, None], grid, noise_variance**0.5
    ).sum(axis=0)
    np.testing.assert_allclose(np.ptp(joint - norm.logpdf(grid, mean, math.sqrt(variance))), 0.0, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_likelihood_of_a_leaf_of_the_noise(n):
    a, b, others = 3.0, 2.5, 0.7
    residuals = np.random.default_rng(n).normal(size=n)
    q = (residuals**2 / others).sum()
    page = a * math.log(b) - gammaln(a) + gammaln(a + n / 2) - (a + n / 2) * math.log(b + q / 2)
    shared = -0.5 * n * math.log(2 * math.pi * others)
    together = multivariate_t.logpdf(residuals, np.zeros(n), others * b / a * np.eye(n), df=2 * a)
    assert page + shared == pytest.approx(together)
    # The posterior of the factor, as for a value.
    grid = np.linspace(0.2, 4, 5)
    joint = invgamma.logpdf(grid, a, scale=b) + norm.logpdf(residuals[:, None], 0, np.sqrt(others * grid)).sum(axis=0)
    np.testing.assert_allclose(np.ptp(joint - invgamma.logpdf(grid, a + n / 2, scale=b + q / 2)), 0.0, atol=1e-12)


def test_prior_of_noise_that_varies():
    prior = VaryingNoise.about(0.3, np.linspace(-0.5, 0.5, 10_001))
    assert f"with $L = {N_TREES}$ trees" in PAGE
    assert N_TREES * polygamma(1, prior.leaf_shape) == pytest.approx(1.0)
    assert math.log(prior.leaf_scale) == pytest.approx(psi(prior.leaf_shape))
    assert "a thousandth of $\\hat\\sigma$" in PAGE
    assert LEAST_SHARE == 1e-3
    assert prior.floor == pytest.approx(0.3e-3)
    assert VaryingNoise.about(0.3, np.linspace(-0.5, 0.5, 11)).floor == pytest.approx(0.1 / math.sqrt(12))


def exact_posterior(labels, deviation, df, scale):
    """Means of mean and noise of normal labels, the mean normal about 0, the variance as on the page; on a grid."""
    noise = np.exp(np.linspace(math.log(1e-3), math.log(10.0), 4000))
    log_prior = chi2.logpdf(df * scale / noise**2, df) + np.log(2 * df * scale / noise**3) + np.log(noise)
    n, total, squares = labels.size, labels.sum(), (labels**2).sum()
    shared = noise**2 + n * deviation**2
    log_likelihood = -n * np.log(noise) - squares / (2 * noise**2)
    log_likelihood += -0.5 * np.log(shared / noise**2) + deviation**2 * total**2 / (2 * noise**2 * shared)
    weights = np.exp(log_prior + log_likelihood - (log_prior + log_likelihood).max())
    weights /= weights.sum()
    return weights @ (deviation**2 * total / shared), weights @ noise


@pytest.mark.statistical
@pytest.mark.parametrize("n_trees", [1, 20])
def test_a_sum_that_cannot_split_is_a_normal_mean(n_trees):
    """Two comparisons at five standard errors each: a false alarm in a million."""
    y = np.array([3.0, 5.0, 4.0, 9.0, 4.5, 5.5])
    model = BARTRegressor(n_trees, n_chains=2, n_draws=3000, n_burn_in=100, shrinkage=3.0, random_state=0)
    model.fit(np.ones((6, 1)), y)
    deviation = 1 / (2 * 3.0 * math.sqrt(n_trees)) * math.sqrt(n_trees)
    labels, width, centre = (y - 6.0) / 6.0, 6.0, 6.0
    scale = labels.var() * 6 / 5 * chi2.ppf(0.1, 3.0) / 3.0  # a regression on no column has n - 1 degrees of freedom
    mean, noise = exact_posterior(labels, deviation, 3.0, scale)
    drawn = model.predict_draws([[1.0]]).reshape(2, 3000)
    for draws, exact in ((drawn, centre + width * mean), (model.noise_draws_, width * noise)):
        assert abs(draws.mean() - exact) < 5 * draws.std() / math.sqrt(bulk_ess(draws))


@pytest.mark.statistical
@pytest.mark.parametrize("counts", [[1, 6], [4, 4], [2, 1, 5]])
def test_classes_that_cannot_be_split(counts):
    """Sums are normal about their offsets: two moments by integrals on a grid, at five standard errors each.

    A false alarm in a hundred thousand.
    """
    shrinkage, n_trees = 8.0, 4  # so strong that the prior is seen
    y = np.repeat(np.arange(len(counts)), counts)
    model = BARTClassifier(n_trees, n_chains=2, n_draws=6000, n_burn_in=200, shrinkage=shrinkage, random_state=0)
    model.fit(np.ones((y.size, 1)), y)
    offsets = np.array(offsets_for(np.array(counts) / y.size))
    deviation = 3 / (shrinkage * math.sqrt(n_trees)) * math.sqrt(n_trees)
    axis = np.linspace(-5, 5, 61) * deviation
    sums = np.stack(np.meshgrid(*[axis] * offsets.size, indexing="ij"), axis=-1).reshape(-1, offsets.size)
    probabilities = _core.class_probabilities(offsets + sums, 1)
    log_posterior = np.log(probabilities) @ counts - 0.5 * (sums**2).sum(axis=1) / deviation**2
    weights = np.exp(log_posterior - log_posterior.max())
    weights /= weights.sum()
    drawn = model.predict_draws([[1.0]]).reshape(2, 6000, -1)
    for k, power in itertools.product(range(drawn.shape[2]), (1, 2)):
        draws, known = drawn[:, :, k] ** power, probabilities[:, k if drawn.shape[2] > 1 else 1] ** power
        assert abs(draws.mean() - weights @ known) < 5 * draws.std() / math.sqrt(bulk_ess(draws))
    np.testing.assert_allclose(model.predict_proba([[1.0]])[0].sum(), 1.0)
