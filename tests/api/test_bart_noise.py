"""BART with noise that varies: what is predicted and said of it, weights, units, odd data."""

from __future__ import annotations

import math
import os
import signal
import threading

import numpy as np
import pytest
from scipy.stats import norm

from hedgerow import BARTRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(150, 3)).round(2)
Y = np.where(X[:, 0] > 0.3, 5.0, 1.0) + np.where(X[:, 1] > 0.5, 1.0, 0.1) * RNG.normal(size=150)
WEIGHTS = RNG.uniform(0.5, 2.0, size=150)
QUICK = {"n_estimators": 12, "noise": "varying", "n_chains": 2, "n_draws": 30, "n_burn_in": 40, "random_state": 1}


def test_the_predictive_distribution_is_the_mixture_over_draws():
    model = BARTRegressor(**QUICK).fit(X, Y)
    draws, noise = model.predict_draws(X), model.predict_noise_draws(X)
    assert draws.shape == noise.shape == (60, 150)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, draws.mean(axis=0))
    np.testing.assert_array_equal(mean, model.predict(X))
    np.testing.assert_allclose(std, np.sqrt(draws.var(axis=0) + (noise**2).mean(axis=0)))
    dist = model.predict_dist(X)
    np.testing.assert_allclose(dist.mean(), mean)
    np.testing.assert_allclose(dist.std(), std)
    np.testing.assert_allclose(model.log_density(X, Y), np.log(norm.pdf(Y, draws, noise).mean(axis=0)), rtol=1e-9)
    np.testing.assert_array_equal(model.log_density(X, Y), dist.logpdf(Y))
    quantiles = model.predict_quantiles(X, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(dist.cdf(quantiles), [[0.05, 0.5, 0.95]] * 150, atol=1e-9)
    np.testing.assert_array_equal(model.predict_interval(X, 0.9), dist.interval(0.9))
    about_mean = model.predict_interval(X, 0.9, kind="mean")
    np.testing.assert_allclose(about_mean, np.quantile(draws, [0.05, 0.95], axis=0).T)
    assert model.predict_one(X[7]) == mean[7]
    assert std[X[:, 1] > 0.5].mean() > 2 * std[X[:, 1] <= 0.5].mean()


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_what_is_noted_down_of_the_noise(weights):
    """Values of leaves are kept in single precision."""
    model = BARTRegressor(**QUICK).fit(X, Y, sample_weight=weights)
    draws, noise = model.predict_draws(X), model.predict_noise_draws(X)
    w = np.ones(150) if weights is None else weights
    assert model.noise_draws_.shape == (2, 30)
    np.testing.assert_allclose(model.noise_draws_.ravel(), np.sqrt(noise**2 @ w / w.sum()), rtol=1e-5)
    assert model.noise_ == pytest.approx(model.noise_draws_.mean())
    np.testing.assert_allclose(model.trace_["log_likelihood"].ravel(), norm.logpdf(Y, draws, noise) @ w, rtol=1e-4)


def test_constant_noise_has_draws_of_rows_too():
    model = BARTRegressor(**QUICK | {"noise": "constant"}).fit(X, Y)
    np.testing.assert_array_equal(model.predict_noise_draws(X[:3]), np.repeat(model.noise_draws_.reshape(-1, 1), 3, 1))
    assert model.noise_split_inclusion_.tolist() == [0.0, 0.0, 0.0]
    assert "noise_of_rows" not in model.diagnostics().r_hat


def test_diagnostics_follow_the_noise_of_rows():
    model = BARTRegressor(**QUICK).fit(X, Y)
    found = model.diagnostics()
    names = {"noise", "log_likelihood", "n_leaves", "predictions", "noise_of_rows"}
    assert set(found.r_hat) == set(found.ess) == names
    assert found.r_hat["noise_of_rows"] >= 0.9
    assert "noise of rows, worst" in str(found)
    constant = BARTRegressor(**QUICK | {"noise": "constant"}).fit(X, Y).diagnostics()
    assert found.bytes_per_draw > constant.bytes_per_draw + 20 * 4


def test_which_columns_the_noise_depends_on():
    model = BARTRegressor(**QUICK | {"n_draws": 100, "n_burn_in": 200}).fit(X, Y)
    shares = model.noise_split_inclusion_
    assert shares.sum() == pytest.approx(1.0)
    assert shares.argmax() == 1
    assert model.split_inclusion_.argmax() == 0


def test_weights_are_copies():
    """Chains drift apart by rounding in the end, so that few sweeps are looked at."""
    weights = RNG.integers(0, 4, size=150)
    few = QUICK | {"n_draws": 5, "n_burn_in": 5}
    one = BARTRegressor(**few).fit(X, Y, sample_weight=weights)
    other = BARTRegressor(**few).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-6)
    np.testing.assert_allclose(one.predict_noise_draws(X), other.predict_noise_draws(X), rtol=1e-5)
    np.testing.assert_allclose(one.noise_draws_, other.noise_draws_, rtol=1e-6)
    np.testing.assert_allclose(one.trace_["log_likelihood"], other.trace_["log_likelihood"], rtol=1e-6)


@pytest.mark.parametrize(
    ("offset", "scale"), [(0.0, 2.0**-320), (0.0, 2.0**320), (2.0**30, 1.0), (-(2.0**20), 2.0**-8)]
)
def test_labels_may_have_any_unit_and_origin(offset, scale):
    y = np.round(Y * 2**10) / 2**10  # so that offsets lose no digits
    model, moved = BARTRegressor(**QUICK).fit(X, y), BARTRegressor(**QUICK).fit(X, offset + scale * y)
    mean, std = model.predict(X, return_std=True)
    moved_mean, moved_std = moved.predict(X, return_std=True)
    np.testing.assert_allclose((moved_mean - offset) / scale, mean, atol=1e-6)
    np.testing.assert_allclose(moved_std / scale, std, rtol=1e-6)
    shift = 150 * math.log(scale)
    np.testing.assert_allclose(moved.trace_["log_likelihood"] + shift, model.trace_["log_likelihood"], rtol=1e-6)


@pytest.mark.parametrize("y", [np.full(150, 3.0), (X[:, 0] > 0.5) * 1.0, np.arange(150.0), np.r_[np.zeros(149), 1e9]])
def test_odd_labels(y):
    model = BARTRegressor(**QUICK).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std > 0).all()
    assert np.isfinite(model.log_density(X, y)).all()


@pytest.mark.parametrize("weights", [np.full(150, 1e-9), np.full(150, 1e7), 10.0 ** RNG.uniform(-12, 6, size=150)])
def test_weights_of_any_size(weights):
    model = BARTRegressor(**QUICK).fit(X, Y, sample_weight=weights)
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std > 0).all()


def test_ctrl_c_keeps_the_draws_so_far():
    settings = QUICK | {"n_draws": 10**6, "n_burn_in": 3, "progress": False}
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.warns(UserWarning, match="interrupted"):
            model = BARTRegressor(**settings).fit(X, Y)
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, previous)
    kept = model.n_draws_
    model.continue_sampling(3)
    whole = BARTRegressor(**settings | {"n_draws": kept + 3}).fit(X, Y)
    assert model.predict_noise_draws(X[:5]).tobytes() == whole.predict_noise_draws(X[:5]).tobytes()
