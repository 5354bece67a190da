"""The formulas of docs/theory/bayesian_trees.md, evaluated as the page writes them, against the code."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import chi2, t

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor
from oracle.tree_enumeration import Enumeration, class_likelihood, log_gamma_form, real_likelihood

PAGE = (Path(__file__).parents[2] / "docs" / "theory" / "bayesian_trees.md").read_text(encoding="utf-8")
SAME_PLACE = np.ones((7, 2))  # equal rows: one leaf, so the evidence is that of the leaf
LABELS = np.array([1.0, 2.5, -0.5, 3.0, 2.0, 2.2, 0.7])


def test_number_of_nodes_under_the_prior():
    m = 1.0
    for depth in range(5000, -1, -1):
        m = 1 + 2 * 0.95 / (1 + depth) ** 0.5 * m
    assert f"{m:.2f}" == re.search(r"m_0 = ([\d.]+)\$", PAGE)[1]


def test_number_of_trees_on_five_rows():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 0.5], [2.5, 2.0], [4.0, 3.5]])
    n_trees = len(Enumeration(X, np.zeros(5), lambda labels: 0.0).prior)
    assert str(n_trees) == re.search(r"all (\d+) trees", PAGE)[1]


def test_class_leaf():
    y = np.array([0, 0, 2, 1, 0, 2, 0])
    model = BayesianTreeClassifier(n_particles=5, concentration=4.0, random_state=0).fit(SAME_PLACE, y)
    counts = np.bincount(y)
    assert model.log_marginal_likelihood_ == pytest.approx(log_gamma_form(counts, 4.0), rel=1e-12)
    assert model.log_marginal_likelihood_ == pytest.approx(class_likelihood(3, 4.0)(y), rel=1e-12)
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]])[0], (counts + 4 / 3) / (7 + 4.0))


def test_real_leaf():
    m, kappa, nu, scale = 0.5, 0.3, 2.5, 0.8
    prior = {"prior_mean": m, "mean_weight": kappa, "noise_df": nu, "noise_scale": scale}
    model = BayesianTreeRegressor(n_particles=5, random_state=0, **prior).fit(SAME_PLACE, LABELS)
    n, mean = LABELS.size, LABELS.mean()
    S = nu * scale + ((LABELS - mean) ** 2).sum() + kappa * n / (kappa + n) * (mean - m) ** 2
    log_marginal = (
        -n / 2 * math.log(math.pi)
        + gammaln((nu + n) / 2)
        - gammaln(nu / 2)
        + nu / 2 * math.log(nu * scale)
        - (nu + n) / 2 * math.log(S)
        + 0.5 * math.log(kappa / (kappa + n))
    )
    assert model.log_marginal_likelihood_ == pytest.approx(log_marginal, rel=1e-12)
    assert model.log_marginal_likelihood_ == pytest.approx(real_likelihood(m, kappa, nu, scale)(LABELS), rel=1e-9)
    location, squared_scale = (kappa * m + n * mean) / (kappa + n), S / (nu + n) * (1 + 1 / (kappa + n))
    expected = t.logpdf(1.3, nu + n, location, math.sqrt(squared_scale))
    assert model.log_density([[1.0, 1.0]], [1.3])[0] == pytest.approx(expected, rel=1e-10)


def test_default_scale_of_the_noise():
    model = BayesianTreeRegressor(n_particles=5, random_state=0).fit(SAME_PLACE, LABELS)
    below = 1 - chi2.cdf(3.0 * model.noise_scale_ / LABELS.var(), 3.0)
    assert below == pytest.approx(0.9)
    assert model.prior_mean_ == pytest.approx(LABELS.mean())
