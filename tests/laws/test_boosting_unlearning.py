"""Boosting unlearns rows by learning everything anew from the others: with the bits of `fit` on these."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor
from models import bits

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] ** 2 + 0.2 * RNG.normal(size=120)
CLASSES = np.where(Y > 0.7, "high", "low")
QUERIES = RNG.normal(size=(30, 3))
OUTLIER = np.array([1e9, -5.0, 0.0])
WITH = np.insert(X, 40, OUTLIER, axis=0)


def regressor(**parameters):
    return MondrianBoostingRegressor(n_estimators=5, max_stages=3, random_state=2, **parameters)


def classifier(**parameters):
    return MondrianBoostingClassifier(n_estimators=5, max_stages=3, random_state=2, **parameters)


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_the_result_is_that_of_fit_on_the_rows_left(way):
    model = getattr(regressor(), way)(WITH, np.insert(Y, 40, 1e5)).unlearn_one(OUTLIER, 1e5)
    assert bits(model) == bits(regressor().fit(X, Y))
    labels = np.insert(CLASSES.astype("<U8"), 40, "strange")
    model = getattr(classifier(), way)(WITH, labels).unlearn(OUTLIER.reshape(1, -1), ["strange"])
    assert bits(model) == bits(classifier().fit(X, CLASSES))
    assert model.classes_.tolist() == ["high", "low"]


def test_equal_rows_and_weights():
    rows, labels = np.concatenate([X, X[:4]]), np.concatenate([Y, Y[:4]])
    weights = np.concatenate([np.ones(120), np.full(4, 2.0)])
    model = regressor().fit(rows, labels, weights)
    model.unlearn(X[[2, 2, 1]], Y[[2, 2, 1]]).unlearn(X[[0, 3]], Y[[0, 3]], [2.0, 2.0])
    left = np.setdiff1d(np.arange(124), [2, 122, 1, 120, 123])
    assert bits(model) == bits(regressor().fit(rows[left], labels[left], weights[left]))


def test_balanced_classes_are_balanced_anew():
    model = classifier(class_weight="balanced").fit(X, CLASSES).unlearn(X[:30], CLASSES[:30])
    expected = classifier(class_weight="balanced").fit(X[30:], CLASSES[30:])
    np.testing.assert_array_equal(model.predict_proba(QUERIES), expected.predict_proba(QUERIES))
