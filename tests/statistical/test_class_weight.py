"""What weights do to probabilities, on classes of which one is rare.

Seeds are fixed. Bounds lie at least four standard deviations from the mean, both as found with a dozen other seeds, so
that a change that does no harm raises a false alarm in less than one of 1,000 tests.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score

from hedgerow import BARTClassifier, BayesianTreeClassifier, MondrianBoostingClassifier, MondrianForestClassifier

pytestmark = pytest.mark.statistical

WEIGHT = 4.0
MODELS = {
    "forest": MondrianForestClassifier(20, random_state=1),
    "forest of large leaves": MondrianForestClassifier(20, min_samples_split=10, random_state=1),
    "Bayesian tree": BayesianTreeClassifier(n_particles=200, random_state=1),
    "boosting": MondrianBoostingClassifier(20, random_state=1),
    "boosting without a linear part": MondrianBoostingClassifier(20, linear=False, random_state=1),
    "BART": BARTClassifier(20, n_chains=1, n_draws=100, n_burn_in=100, random_state=1),
}
EVERY = pytest.mark.parametrize("name", MODELS)


def rows(n, seed):
    """One of seven rows is of class 1, with a probability that rises along two of three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (rng.uniform(size=n) < chance(X)).astype(int)


def chance(X):
    return 1 / (1 + np.exp(3 - 2 * X[:, 0] - X[:, 1]))


X, Y = rows(1500, 0)
QUERIES, TRUTH = rows(2000, 1)


@cache
def unweighted(name):
    return probabilities(MODELS[name])


@cache
def with_class_1_heavy(name):
    return probabilities(MODELS[name], class_weight={1: WEIGHT})


def probabilities(model, sample_weight=None, **parameters):
    return clone(model).set_params(**parameters).fit(X, Y, sample_weight).predict_proba(QUERIES)[:, 1]


def reweighted(p, weight):
    """Probabilities where class 1 is so many times as frequent."""
    return weight * p / (weight * p + 1 - p)


@EVERY
def test_a_weight_is_a_change_of_frequency(name):
    plain, heavy = unweighted(name), with_class_1_heavy(name)
    light = probabilities(MODELS[name], class_weight={0: 1 / WEIGHT})
    expected = reweighted(plain, WEIGHT).mean()
    assert expected > plain.mean() + 0.1
    for found in (heavy, light):
        assert abs(found.mean() - expected) < 0.05
        assert roc_auc_score(TRUTH, found) > roc_auc_score(TRUTH, plain) - 0.03
        weights = np.where(TRUTH == 1, WEIGHT, 1.0)
        losses = [log_loss(TRUTH, np.clip(p, 1e-3, 1 - 1e-3), sample_weight=weights) for p in (found, plain)]
        assert losses[0] < losses[1] - 0.005


@EVERY
def test_balanced_classes_are_equally_probable(name):
    """Where rows of both classes weigh the same, so do the probabilities, on the average."""
    weights = np.where(TRUTH == 1, 0.5 / TRUTH.mean(), 0.5 / (1 - TRUTH.mean()))
    assert np.average(unweighted(name), weights=weights) < 0.35
    assert 0.4 < np.average(probabilities(MODELS[name], class_weight="balanced"), weights=weights) < 0.63


def test_as_a_random_forest():
    """The same direction, and half as far at least."""
    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    shift = probabilities(forest, class_weight={1: WEIGHT}).mean() - probabilities(forest).mean()
    assert shift > 0.05
    for name in MODELS:
        assert with_class_1_heavy(name).mean() > unweighted(name).mean() + shift / 2


@pytest.mark.parametrize("name", ["forest", "forest of large leaves"])
def test_weights_that_differ_within_a_class_count_where_they_are(name):
    """Class 1 is four times as heavy in one half of a column that does not matter otherwise, and only there."""
    forest = clone(MODELS[name]).set_params(hyperparameters="paper")
    weights = np.where((Y == 1) & (X[:, 2] > 0), WEIGHT, 1.0)
    plain, found = probabilities(forest), probabilities(forest, weights)
    deep = np.abs(QUERIES[:, 2]) > 0.5
    for side, factor in ((QUERIES[:, 2] > 0, WEIGHT), (QUERIES[:, 2] < 0, 1.0)):
        expected = reweighted(plain, factor)[side & deep].mean()
        assert abs(found[side & deep].mean() - expected) < 0.07
    assert found[QUERIES[:, 2] > 0].mean() > found[QUERIES[:, 2] < 0].mean() + 0.08


@pytest.mark.parametrize("name", [name for name in MODELS if name != "BART"])
def test_weights_that_mean_nothing_change_little(name):
    weights = np.random.default_rng(2).uniform(0.5, 2, size=Y.size)
    assert abs(probabilities(MODELS[name], weights).mean() - unweighted(name).mean()) < 0.03


@pytest.mark.parametrize(
    ("model", "tolerance"),
    [(MondrianForestClassifier(50, random_state=0, prior_weight=0), 0.03), (MODELS["boosting"], 0.05)],
    ids=["forest", "boosting"],
)
def test_a_rare_class_of_three(model, tolerance):
    """Its share of the probability rises, and the two others keep their odds."""
    rng = np.random.default_rng(3)
    labels = np.where(rng.uniform(size=Y.size) < 0.03, 2, Y)
    plain = clone(model).fit(X, labels).predict_proba(QUERIES)
    found = clone(model).set_params(class_weight={2: 10}).fit(X, labels).predict_proba(QUERIES)
    expected = plain * [1, 1, 10]
    expected /= expected.sum(axis=1, keepdims=True)
    assert plain[:, 2].mean() < 0.06
    np.testing.assert_allclose(found.mean(axis=0), expected.mean(axis=0), rtol=0, atol=tolerance)


def test_large_samples():
    """With many rows probabilities are those of the weighted classes, on average 0.02 too high for the rare one."""
    many, labels = rows(20_000, 4)
    forest = MondrianForestClassifier(30, class_weight={1: WEIGHT}, random_state=0)
    found = forest.fit(many, labels).predict_proba(QUERIES)[:, 1]
    truth = reweighted(chance(QUERIES), WEIGHT)
    assert abs(found.mean() - truth.mean()) < 0.09
    assert np.corrcoef(found, truth)[0, 1] > 0.87
