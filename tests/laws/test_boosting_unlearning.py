"""Boosting unlearns rows by learning everything anew from the others: with the bits of `fit` on these."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor

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
    assert model._to_bytes() == regressor().fit(X, Y)._to_bytes()
    labels = np.insert(CLASSES.astype("<U8"), 40, "strange")
    model = getattr(classifier(), way)(WITH, labels).unlearn(OUTLIER.reshape(1, -1), ["strange"])
    assert model._to_bytes() == classifier().fit(X, CLASSES)._to_bytes()
    assert model.classes_.tolist() == ["high", "low"]


def test_equal_rows_and_weights():
    rows, labels = np.concatenate([X, X[:4]]), np.concatenate([Y, Y[:4]])
    weights = np.concatenate([np.ones(120), np.full(4, 2.0)])
    model = regressor().fit(rows, labels, weights)
    model.unlearn(X[[2, 2, 1]], Y[[2, 2, 1]]).unlearn(X[[0, 3]], Y[[0, 3]], [2.0, 2.0])
    left = np.setdiff1d(np.arange(124), [2, 122, 1, 120, 123])
    assert model._to_bytes() == regressor().fit(rows[left], labels[left], weights[left])._to_bytes()


def test_balanced_classes_are_balanced_anew():
    model = classifier(class_weight="balanced").fit(X, CLASSES).unlearn(X[:30], CLASSES[:30])
    expected = classifier(class_weight="balanced").fit(X[30:], CLASSES[30:])
    np.testing.assert_array_equal(model.predict_proba(QUERIES), expected.predict_proba(QUERIES))


def test_what_fails_changes_nothing(monkeypatch):
    for model, labels, other in ((regressor(), Y, Y[1] + 1), (classifier(), CLASSES, "neither")):
        before = model.fit(X, labels)._to_bytes()
        with pytest.raises(ValueError, match=r"row 1 of the 2 .* nothing was unlearned"):
            model.unlearn(X[[0, 1]], np.array([labels[0], other], dtype=object if other == "neither" else float))
        with pytest.raises(ValueError, match="row 1 of the 2"):
            model.unlearn(X[[0, 0]], labels[[0, 0]])
        with pytest.raises(ValueError, match="row 0 of the 1"):
            model.unlearn_one(X[0] + 1e-9, labels[0])
        with monkeypatch.context() as patch:
            patch.setattr(model, "_calibrate", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                model.unlearn_one(X[0], labels[0])
        assert model._to_bytes() == before


def test_the_last_row():
    model = regressor().fit(X[:2], Y[:2]).unlearn(X[:2], Y[:2])
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.partial_fit(X[:, :2], Y)._to_bytes() == regressor().partial_fit(X[:, :2], Y)._to_bytes()
