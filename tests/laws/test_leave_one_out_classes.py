"""`loo_predict` of classification forests: what the forest predicts for a row once it has unlearned it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianForestClassifier
from models import bits

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, "yes", np.where(X[:, 1] > 0, "no", "perhaps"))
WEIGHTS = RNG.uniform(0.5, 2.0, size=60)

VARIANTS = {
    "learned": {},
    "paper": {"hyperparameters": "paper"},
    "heavy leaves": {"min_samples_split": 12, "pause_pure": False},
    "lifetime": {"lifetime": 0.3, "base": "empirical", "prior_weight": 0.0},
    "window": {"window": 40},
    "keyed": {"cuts": "keyed"},
    "balanced": {"class_weight": {"yes": 3.0}},
}


def new(n_trees=10, **settings):
    return MondrianForestClassifier(n_trees, random_state=0, **settings)


def unlearned(forest, X, Y, weights=None):
    """Each row as predicted by a copy that has unlearned it."""
    found = []
    for i in range(len(X)):
        other = copy.deepcopy(forest)
        other.unlearn(X[i : i + 1], Y[i : i + 1], None if weights is None else weights[i : i + 1])
        found.append(other.predict_proba(X[i : i + 1])[0])
    return np.array(found)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_rows_are_predicted_as_after_unlearning(name, weighted):
    settings = VARIANTS[name]
    held = slice(-settings.get("window", 60), None)
    weights = WEIGHTS if weighted else None
    forest = new(**settings).fit(X, Y, weights)
    before = bits(forest)
    found = forest.loo_predict()
    assert found.shape == (len(Y[held]), 3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    expected = unlearned(forest, X[held], Y[held], weights[held] if weighted else None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert np.abs(found - forest.predict_proba(X[held])).max() > 0.1
    assert bits(forest) == before
    np.testing.assert_array_equal(forest.set_params(n_jobs=2).loo_predict(), found)


def test_copies_leave_together():
    twice, weighted = new().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2)), new().fit(X, Y, np.full(60, 2.0))
    np.testing.assert_allclose(twice.loo_predict()[::2], weighted.loo_predict(), rtol=0, atol=1e-9)


def test_equal_rows_of_coarse_columns_are_no_copies():
    """Several rows lie on each place, of different classes: each leaves alone."""
    coarse = np.round(X)
    forest = new().fit(coarse, Y)
    np.testing.assert_allclose(forest.loo_predict(), unlearned(forest, coarse, Y), rtol=0, atol=1e-9)


def test_rows_are_in_the_order_in_which_they_came():
    forest = new(cuts="keyed", hyperparameters="paper", scaling="none")
    found, order = forest.fit(X, Y).loo_predict(), RNG.permutation(60)
    np.testing.assert_array_equal(forest.fit(X[order], Y[order]).loo_predict(), found[order])


@pytest.mark.parametrize("n", [300, 2000])
def test_leave_one_out_tells_the_error_of_new_rows(n):
    """Log loss of rows left out, next to that of 4,000 new ones: within 0.06, four standard errors of 300 rows."""
    rng = np.random.default_rng(n)
    Z = rng.normal(size=(n + 4000, 3))
    odds = np.exp(2.0 * Z[:, 0])
    labels = (rng.uniform(size=len(Z)) < odds / (1.0 + odds)).astype(int)
    forest = new(30).fit(Z[:n], labels[:n])

    def log_loss(probabilities, labels):
        return -np.log(probabilities[np.arange(len(labels)), labels]).mean()

    honest, new_rows = log_loss(forest.loo_predict(), labels[:n]), log_loss(forest.predict_proba(Z[n:]), labels[n:])
    plain = log_loss(forest.predict_proba(Z[:n]), labels[:n])
    assert abs(honest - new_rows) < 4 * 0.3 / np.sqrt(n)
    assert plain < new_rows - 0.1


def test_of_noise_nothing_is_foretold():
    """Labels that columns say nothing of: log loss of rows left out is that of the frequencies, 0.6365, or more."""
    rng = np.random.default_rng(1)
    Z, labels = rng.normal(size=(1000, 4)), (rng.uniform(size=1000) < 1 / 3).astype(int)
    found = new(20).fit(Z, labels).loo_predict()
    frequencies = np.bincount(labels) / 1000
    entropy = -(frequencies * np.log(frequencies)).sum()
    assert entropy - 0.005 < -np.log(found[np.arange(1000), labels]).mean() < entropy + 0.03


def test_many_rows_of_one_class_in_a_leaf():
    """Leaves of thousands of rows are not looked through for each: 6,000 rows are left out in seconds."""
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(6000, 2))
    labels = (Z[:, 0] > 0).astype(int)
    found = new(5, hyperparameters="paper").fit(Z, labels).loo_predict()
    assert (found.argmax(axis=1) == labels).mean() > 0.98


def test_one_row_and_none():
    forest = new().fit(X[:1], Y[:1])
    assert forest.loo_predict() == pytest.approx(1.0)
    forest = new().fit(X[:2], ["a", "b"]).unlearn(X[:2], ["a", "b"])
    with pytest.raises(NotFittedError, match="unlearned all its rows"):
        forest.loo_predict()
