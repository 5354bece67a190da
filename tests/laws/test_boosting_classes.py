"""Boosting of classes: honest forecasts and probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

from hedgerow import MondrianBoostingClassifier

RNG = np.random.default_rng(2)
X = RNG.normal(size=(110, 3))
THREE = np.digitize(X[:, 0] + 0.5 * np.sin(3 * X[:, 1]) + 0.3 * RNG.normal(size=110), [-0.5, 0.6])
TWO = (THREE > 0).astype(int)
LATE = np.where(np.arange(110) < 37, 0, THREE)  # one class only, for a while
LABELS = pytest.mark.parametrize("labels", [TWO, THREE, LATE], ids=["two", "three", "late"])


def new(**parameters):
    return MondrianBoostingClassifier(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


@LABELS
def test_probabilities(labels):
    model = new().fit(X, labels)
    everywhere = np.concatenate([X, RNG.normal(size=(50, 3)) * 1e6])
    found = model.predict_proba(everywhere)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert found.min() > 0
    np.testing.assert_array_equal(model.predict(everywhere), model.classes_[found.argmax(axis=1)])
    assert model.loo_log_loss_ == pytest.approx(
        -np.log(model.loo_predict()[np.arange(110), np.searchsorted(model.classes_, labels)]).mean()
    )


def test_one_class_is_certain_until_another_comes():
    model = new().partial_fit(X[:10], ["a"] * 10)
    assert model.n_stages_ == 0
    np.testing.assert_array_equal(model.predict_proba(X), 1.0)
    assert model.loo_score_ == 1.0
    model.learn_one(X[10], "b")
    assert model.predict_proba_one(X[10]).keys() == {"a", "b"}
    assert model.n_stages_ == 1


def test_announced_classes_have_some_probability():
    model = new().partial_fit(X[:60], THREE[:60], classes=[0, 1, 2, 7])
    found = model.predict_proba(X)
    assert found.shape == (110, 4)
    assert 0 < found[:, 3].max() < 0.2
    later = new().fit(X[:60], THREE[:60]).partial_fit(X[60:61], THREE[60:61], classes=[7])
    assert 0 < later.predict_proba(X)[:, 3].max() < 0.2


def test_two_classes_may_change_places():
    """Only the second indicator is learned; that of the first is its mirror image."""
    one, other = (new().partial_fit(X, TWO, classes=classes) for classes in ([0, 1], [1, 0]))
    assert list(one._classes.numbers) != list(other._classes.numbers)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-3)


def test_leave_one_out_tells_the_loss_on_new_rows():
    """On digits: log loss 0.06 to 0.2 both ways."""
    rows, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(labels.size)
    train, test = order[:1200], order[1200:]
    model = MondrianBoostingClassifier(20, random_state=0).fit(rows[train], labels[train])
    found = model.predict_proba(rows[test])
    loss = -np.log(found[np.arange(test.size), labels[test]]).mean()
    assert model.score(rows[test], labels[test]) > 0.95
    assert loss < 0.2
    assert model.loo_log_loss_ == pytest.approx(loss, abs=0.08)


def test_online_is_as_good_as_batch():
    rows, labels = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(labels.size)
    train, test = order[:120], order[120:]
    online = new(n_estimators=20).partial_fit(rows[train], labels[train])
    assert online.score(rows[test], labels[test]) > 0.9
