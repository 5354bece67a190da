"""Draws of BART in ArviZ: the same numbers, and its functions take them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.stats import norm

from hedgerow import BARTClassifier, BARTRegressor

arviz = pytest.importorskip("arviz")
pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(60, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=60)
QUICK = {"n_estimators": 8, "n_draws": 50, "n_burn_in": 50, "n_chains": 2, "random_state": 0}


def of_posterior(function, data):
    """Return a statistic of each variable; what ArviZ takes and returns depends on its version."""
    return function(data if arviz.__version__.startswith("0.") else data.posterior.to_dataset())


def test_numbers():
    model = BARTRegressor(**QUICK).fit(X, Y)
    data = model.to_arviz()
    np.testing.assert_array_equal(data.posterior["noise"], model.noise_draws_)
    np.testing.assert_array_equal(data.sample_stats["lp"], model.trace_["log_likelihood"])
    assert data.posterior["prediction"].shape == (2, 50, 20)
    assert data.posterior["row"].values.tolist() == list(model.diagnostics().probe_rows)
    found = model.diagnostics()
    assert float(of_posterior(arviz.rhat, data)["noise"]) == pytest.approx(found.r_hat["noise"])
    assert float(of_posterior(arviz.ess, data)["n_leaves"]) == pytest.approx(found.ess["n_leaves"])
    np.testing.assert_allclose(of_posterior(arviz.rhat, data)["prediction"], found.prediction_r_hat)


def test_log_likelihood_of_rows():
    model = BARTRegressor(**QUICK).fit(X, Y)
    data = model.to_arviz(X, Y)
    expected = norm.logpdf(Y, model.predict_draws(X), model.noise_draws_.reshape(-1, 1)).reshape(2, 50, 60)
    np.testing.assert_allclose(data.log_likelihood["y"], expected)
    # All rows that were learned, added up, are what the chains noted down; leaves are kept in single precision.
    np.testing.assert_allclose(data.log_likelihood["y"].sum("row"), data.sample_stats["lp"], rtol=1e-4)
    found = arviz.loo(data)
    assert np.isfinite(found.elpd_loo if hasattr(found, "elpd_loo") else found.elpd)


def test_noise_that_varies():
    model = BARTRegressor(noise="varying", **QUICK).fit(X, Y)
    found = model.diagnostics()
    np.testing.assert_allclose(
        of_posterior(arviz.rhat, model.to_arviz())["noise_of_row"].max(), found.r_hat["noise_of_rows"]
    )
    data = model.to_arviz(X, Y)
    noise = model.predict_noise_draws(X)
    np.testing.assert_allclose(data.posterior["noise_of_row"], noise.reshape(2, 50, 60))
    expected = norm.logpdf(Y, model.predict_draws(X), noise).reshape(2, 50, 60)
    np.testing.assert_allclose(data.log_likelihood["y"], expected)
    np.testing.assert_allclose(data.log_likelihood["y"].sum("row"), data.sample_stats["lp"], rtol=1e-4)
    assert "noise_of_row" not in BARTRegressor(**QUICK).fit(X, Y).to_arviz().posterior


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_classes(n_classes):
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.3, 0.6][: n_classes - 1])]
    model = BARTClassifier(**QUICK).fit(X, y)
    data = model.to_arviz(X, y)
    assert data.posterior["prediction"].shape == ((2, 50, 60, 3) if n_classes == 3 else (2, 50, 60))
    assert "noise" not in data.posterior
    if n_classes > 1:
        np.testing.assert_allclose(data.log_likelihood["y"].sum("row"), data.sample_stats["lp"], rtol=1e-4)
        with pytest.raises(ValueError, match="classes that the model does not know"):
            model.to_arviz(X, ["z"] * 60)


def test_what_is_missing_is_said(monkeypatch):
    model = BARTRegressor(**QUICK).fit(X, Y)
    with pytest.raises(ValueError, match="give both, or neither"):
        model.to_arviz(y=Y)
    monkeypatch.delitem(sys.modules, "hedgerow.integrations.arviz")
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"pip install 'hedgerow\[arviz\]'"):
        model.to_arviz()
