"""Boosting of classes: the same bits however rows come, classes that come late, honest forecasts and probabilities."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

from hedgerow import MondrianBoostingClassifier

RNG = np.random.default_rng(2)
X = RNG.normal(size=(110, 3))
THREE = np.digitize(X[:, 0] + 0.5 * np.sin(3 * X[:, 1]) + 0.3 * RNG.normal(size=110), [-0.5, 0.6])
TWO = (THREE > 0).astype(int)
WEIGHTS = RNG.uniform(0.2, 3.0, size=110)
LATE = np.where(np.arange(110) < 37, 0, THREE)  # one class only, for a while
KINDS = pytest.mark.parametrize("kind", [{}, {"linear": True, "scaling": "rank"}, {"linear": False}], ids=str)
LABELS = pytest.mark.parametrize("labels", [TWO, THREE, LATE], ids=["two", "three", "late"])


def new(**parameters):
    return MondrianBoostingClassifier(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


def fed(model, edges, labels, weights=None):
    for begin, end in pairwise(edges):
        part = slice(begin, end)
        model.partial_fit(X[part], labels[part], sample_weight=None if weights is None else weights[part])
    return model


@KINDS
@LABELS
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks(kind, labels, weighted):
    weights = WEIGHTS if weighted else None
    whole = fed(new(**kind), [0, 110], labels, weights)
    assert fed(new(**kind), [0, 1, 2, 7, 33, 64, 65, 110], labels, weights)._to_bytes() == whole._to_bytes()
    if not weighted:
        single = new(**kind)
        for x, y in zip(X, labels, strict=True):
            single.learn_one(x, y)
        assert single._to_bytes() == whole._to_bytes()


@KINDS
@LABELS
def test_threads(kind, labels):
    one, two = (fed(new(n_jobs=n, **kind).fit(X[:30], labels[:30]), [30, 110], labels) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.loo_predict(), two.loo_predict())


@LABELS
@pytest.mark.parametrize("announced", [None, [0, 1, 2, 3]], ids=["unknown", "announced"])
def test_forecasts_are_those_of_a_loop(labels, announced):
    together, apart = new(), new()
    found = together.predict_then_learn(X, labels, classes=announced)
    for i, (x, y) in enumerate(zip(X, labels, strict=True)):
        said = {} if i == 0 else apart.predict_proba_one(x)
        if i == 0:
            apart.partial_fit(x[None], [y], classes=announced)
            said = {} if announced is None else dict.fromkeys(announced, 0.25)
        else:
            np.testing.assert_array_equal(apart.predict_proba(x[None])[0], list(said.values()))
            apart.learn_one(x, y)
        expected = [said.get(label, 0.0) for label in together.classes_]
        np.testing.assert_array_equal(found[i], expected)
    assert together._to_bytes() == apart._to_bytes()


def test_asking_changes_nothing():
    model = new().fit(X, THREE)
    before = model._to_bytes()
    model.predict_proba(X)
    model.predict_one(X[0])
    model.loo_predict()
    assert model.loo_score_ > 0.6
    assert model.loo_log_loss_ < 0.9
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model._to_bytes() == before
    copy.deepcopy(model).partial_fit(X[:5], THREE[:5])
    assert model._to_bytes() == before


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
