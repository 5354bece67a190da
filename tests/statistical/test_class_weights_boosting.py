"""Weights of classes move the probabilities of MondrianBoostingClassifier as those of scikit-learn's forests.

Bounds as in test_class_weight.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.utils.estimator_checks import check_class_weight_classifiers

from hedgerow import MondrianBoostingClassifier

WEIGHT = 4.0
MODELS = {
    "boosting": MondrianBoostingClassifier(20, random_state=1),
    "boosting without a linear part": MondrianBoostingClassifier(20, linear=False, random_state=1),
}
EVERY = pytest.mark.parametrize("name", MODELS)


def chance(X):
    return 1 / (1 + np.exp(3 - 2 * X[:, 0] - X[:, 1]))


def rows(n, seed):
    """One of seven rows is of class 1, with a probability that rises along two of three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (rng.uniform(size=n) < chance(X)).astype(int)


X, Y = rows(1500, 0)
QUERIES, TRUTH = rows(2000, 1)


def probabilities(model, sample_weight=None, **parameters):
    return clone(model).set_params(**parameters).fit(X, Y, sample_weight).predict_proba(QUERIES)[:, 1]


def reweighted(p, weight):
    return weight * p / (weight * p + 1 - p)


@EVERY
@pytest.mark.parametrize("class_weight", [{1: WEIGHT}, {0: 1 / WEIGHT}], ids=str)
def test_a_weight_is_a_change_of_frequency(name, class_weight):
    plain = probabilities(MODELS[name])
    found = probabilities(MODELS[name], class_weight=class_weight)
    assert abs(found.mean() - reweighted(plain, WEIGHT).mean()) < 0.05
    assert roc_auc_score(TRUTH, found) > roc_auc_score(TRUTH, plain) - 0.03
    weights = np.where(TRUTH == 1, WEIGHT, 1.0)
    losses = [log_loss(TRUTH, np.clip(p, 1e-3, 1 - 1e-3), sample_weight=weights) for p in (found, plain)]
    assert losses[0] < losses[1] - 0.005


@EVERY
def test_balanced_classes_are_equally_probable(name):
    weights = np.where(TRUTH == 1, 0.5 / TRUTH.mean(), 0.5 / (1 - TRUTH.mean()))
    assert 0.4 < np.average(probabilities(MODELS[name], class_weight="balanced"), weights=weights) < 0.63


@EVERY
def test_as_a_random_forest(name):
    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    shift = probabilities(forest, class_weight={1: WEIGHT}).mean() - probabilities(forest).mean()
    plain, heavy = probabilities(MODELS[name]), probabilities(MODELS[name], class_weight={1: WEIGHT})
    assert heavy.mean() > plain.mean() + shift / 2


@EVERY
def test_weights_that_mean_nothing_change_little(name):
    weights = np.random.default_rng(2).uniform(0.5, 2, size=Y.size)
    assert abs(probabilities(MODELS[name], weights).mean() - probabilities(MODELS[name]).mean()) < 0.03


@EVERY
def test_every_row_twice_and_weight_two(name):
    twice = clone(MODELS[name]).fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2)).predict_proba(QUERIES)[:, 1]
    assert abs(probabilities(MODELS[name], np.full(Y.size, 2.0)).mean() - probabilities(MODELS[name]).mean()) < 0.03
    assert np.isfinite(twice).all()


def test_a_rare_class_of_three():
    rng = np.random.default_rng(3)
    labels = np.where(rng.uniform(size=Y.size) < 0.03, 2, Y)
    plain = clone(MODELS["boosting"]).fit(X, labels).predict_proba(QUERIES)
    found = clone(MODELS["boosting"]).set_params(class_weight={2: 10}).fit(X, labels).predict_proba(QUERIES)
    expected = plain * [1, 1, 10]
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.mean(axis=0), expected.mean(axis=0), rtol=0, atol=0.05)


def test_check_of_scikit_learn():
    check_class_weight_classifiers("MondrianBoostingClassifier", MondrianBoostingClassifier(4, max_stages=2))
