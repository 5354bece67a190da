"""BART's small parts against slow and obvious ones: convergence, class probabilities, offsets, the noise's prior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import chi2, norm

from hedgerow import BARTClassifier, BARTRegressor, _core
from hedgerow.bart._convergence import bulk_ess, r_hat
from hedgerow.bart._responses import offsets_for
from hedgerow.bart._targets import LEAST_NOISE, TargetUnits, noise_scale, rough_noise

RNG = np.random.default_rng(0)


def autoregressive(n_chains, n_draws, correlation, rng):
    noise = rng.normal(size=(n_chains, n_draws))
    draws = noise.copy()
    for t in range(1, n_draws):
        draws[:, t] = correlation * draws[:, t - 1] + noise[:, t]
    return draws


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.5, 0.999])
@pytest.mark.parametrize("n_chains", [1, 2, 5])
def test_convergence_is_arviz(n_chains, correlation):
    arviz = pytest.importorskip("arviz")
    rng = np.random.default_rng(n_chains)
    for n_draws in (60, 101):
        draws = autoregressive(n_chains, n_draws, correlation, rng)
        apart, rounded, skewed = draws + rng.normal(size=(n_chains, 1)), draws.round(), np.exp(draws)
        for case in (draws, apart, rounded, skewed):
            assert bulk_ess(case) == pytest.approx(float(arviz.ess(case)), rel=1e-9)
            if n_chains > 1:  # for one chain arviz refuses, though halves can be compared
                assert r_hat(case) == pytest.approx(float(arviz.rhat(case)), rel=1e-12)


def test_effective_sample_size_of_a_known_process():
    """(1 - correlation) / (1 + correlation) of all draws; 20 % is five of its standard errors here."""
    draws = autoregressive(4, 20_000, 0.6, np.random.default_rng(1))
    assert bulk_ess(draws) == pytest.approx(80_000 * 0.4 / 1.6, rel=0.2)
    assert r_hat(draws) == pytest.approx(1.0, abs=0.01)


def test_convergence_of_what_does_not_move():
    assert math.isnan(r_hat(np.ones((2, 50))))
    assert math.isnan(bulk_ess(np.ones((2, 50))))
    assert math.isinf(r_hat(np.repeat([[1.0], [2.0]], 50, axis=1)))
    assert math.isnan(r_hat(np.arange(6.0).reshape(2, 3)))
    assert math.isnan(bulk_ess(np.arange(18.0).reshape(2, 9)))


def highest(means, k):
    """P(the utility of class k is the highest), summed over a fine grid of where it may be."""
    t = np.linspace(means.min() - 12, means.max() + 12, 20_001)[:, None]
    others = np.delete(means, k)
    return trapezoid(norm.pdf(t[:, 0] - means[k]) * norm.cdf(t - others).prod(axis=1), t[:, 0])


@pytest.mark.parametrize("n_classes", [3, 4, 10, 60])
def test_class_probabilities(n_classes):
    for spread in (0.0, 1.0, 3.0):
        means = spread * RNG.normal(size=n_classes)
        found = _core.class_probabilities(means.reshape(1, -1), 1)[0]
        for k in {0, n_classes - 1, int(means.argmax()), int(means.argmin())}:
            assert found[k] == pytest.approx(highest(means, k), abs=1e-8)
        assert found.sum() == pytest.approx(1.0, rel=1e-12)


def test_two_classes_are_a_probit():
    means = np.array([[-40.0], [-2.0], [0.0], [0.3], [9.0]])
    found = _core.class_probabilities(means, 2)
    np.testing.assert_allclose(found[:, 1], norm.cdf(means[:, 0]), rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(found[:, 0], norm.sf(means[:, 0]), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("far", [10.0, 20.0, 200.0, 1e300])
def test_no_class_is_impossible(far):
    found = _core.class_probabilities(np.array([[0.0, far, -far]]), 1)[0]
    assert (found > 0).all()
    assert found[1] == pytest.approx(1.0)
    moved = _core.class_probabilities(1e30 + np.array([[0.0, 0.0, 0.0]]), 1)[0]  # where 1 is less than a last digit
    np.testing.assert_allclose(moved, 1 / 3)
    with pytest.raises(ValueError, match="no sum"):
        _core.class_probabilities(np.empty((3, 0)), 1)


@pytest.mark.parametrize(
    "shares", [[0.5, 0.5], [0.999, 0.001], [0.2, 0.3, 0.5], [0.98, 0.019, 0.001], [1e-6, 0.5, 0.5 - 1e-6], [0.02] * 50]
)
def test_offsets_give_the_shares_of_the_classes(shares):
    shares = np.array(shares)
    offsets = np.array(offsets_for(shares))
    found = _core.class_probabilities(offsets.reshape(1, -1), 1)[0]
    np.testing.assert_allclose(found, shares, rtol=1e-7)
    if shares.size > 2:
        assert offsets.mean() == pytest.approx(0.0, abs=1e-12)


def test_a_model_that_cannot_split_predicts_about_the_shares():
    y = np.repeat(["a", "b", "c"], [300, 150, 50])
    model = BARTClassifier(5, n_chains=1, n_draws=300, n_burn_in=100, random_state=0).fit(np.ones((500, 1)), y)
    np.testing.assert_allclose(model.predict_proba([[1.0]])[0], [0.6, 0.3, 0.1], atol=0.05)


def test_the_guess_of_the_noise_is_that_of_least_squares():
    X = np.column_stack([RNG.normal(size=(60, 4)), np.full(60, 3.0)])
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1], 1e200 * X[:, 2]])  # two columns are combinations of others
    y = X[:, :4] @ RNG.normal(size=4) + RNG.normal(size=60)
    design = np.column_stack([np.ones(60), X[:, :4]])
    residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert rough_noise(X, y, np.empty(0)) == pytest.approx(math.sqrt((residuals**2).sum() / (60 - 5)))
    weights = RNG.integers(1, 4, size=60)
    copies = rough_noise(np.repeat(X, weights, axis=0), np.repeat(y, weights), np.empty(0))
    assert rough_noise(X, y, weights.astype(float)) == pytest.approx(copies)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_too_few_rows_for_least_squares(n):
    X, y = RNG.normal(size=(n, 4)), RNG.normal(size=n)
    assert rough_noise(X, y, np.empty(0)) == pytest.approx(y.std())


def test_the_prior_of_the_noise():
    X, y = RNG.normal(size=(50, 2)), RNG.normal(size=50)
    for df, quantile in ((3.0, 0.9), (10.0, 0.75)):
        model = BARTRegressor(3, n_chains=1, n_draws=5, n_burn_in=0, noise_df=df, noise_quantile=quantile).fit(X, y)
        scale = model._learner.response.noise_scale
        guess = rough_noise(X, TargetUnits.of(y).inward(y), np.empty(0))
        assert 1 - chi2.cdf(df * scale / guess**2, df) == pytest.approx(quantile)  # P(variance < guess^2)
    exact = noise_scale(X, X[:, 0], np.empty(0), 3.0, 0.9)
    assert 1 - chi2.cdf(3 * exact / LEAST_NOISE**2, 3) == pytest.approx(0.9)
