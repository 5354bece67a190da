"""`class_weight` as users meet it: what is refused, what changes later, files and pickle."""

from __future__ import annotations

import pickle
from datetime import date

import numpy as np
import pytest
from sklearn.base import clone

import hedgerow
from hedgerow import BARTClassifier, BayesianTreeClassifier, MondrianBoostingClassifier, MondrianForestClassifier

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0.8, 3, 1)
MODELS = {
    "forest": MondrianForestClassifier(3, random_state=0),
    "boosting": MondrianBoostingClassifier(3, random_state=0),
    "tree": BayesianTreeClassifier(n_particles=20, random_state=0),
    "BART": BARTClassifier(3, n_chains=1, n_draws=10, n_burn_in=10, random_state=0),
}
EVERY = pytest.mark.parametrize("name", MODELS)
ONLINE = pytest.mark.parametrize("name", ["forest", "boosting"])
REFUSED = {
    "a class that is not there": ({1: 2.0, 7: 1.0}, r"names \[7\].*the classes are \[1, 3\]"),
    "a weight below zero": ({1: -1.0}, r"positive numbers between 1e-30 and 1e\+30, got -1.0 for the class 1"),
    "no weight": ({3: 0}, "to leave a class out, leave out its rows"),
    "no number": ({3: np.nan}, "got nan"),
    "no end": ({3: np.inf}, "got inf"),
    "a word for a number": ({3: "heavy"}, "got 'heavy'"),
    "yes for a number": ({3: True}, "got True"),
    "another word": ("balance", "must be None, 'balanced' or a mapping"),
    "a list": ([1.0, 2.0], "must be None, 'balanced' or a mapping"),
    "a class that is missing": ({None: 2.0}, "missing"),
}


def new(name, class_weight=None):
    return clone(MODELS[name]).set_params(class_weight=class_weight)


@EVERY
@pytest.mark.parametrize("what", REFUSED)
def test_refused(name, what):
    class_weight, words = REFUSED[what]
    model = new(name).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=words):
        model.set_params(class_weight=class_weight).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


@ONLINE
def test_balanced_is_not_for_streams(name):
    for call in ("partial_fit", "learn_one", "predict_then_learn"):
        model = new(name, "balanced")
        with pytest.raises(ValueError, match=r"all rows at once.*pass a mapping"):
            getattr(model, call)(*((X[0], 1) if call == "learn_one" else (X, Y)))
        assert not model.__sklearn_is_fitted__()
        assert not hasattr(model, "classes_")
        model.fit(X, Y)
        with pytest.raises(ValueError, match="all rows at once"):
            getattr(model, call)(*((X[0], 9) if call == "learn_one" else (X, Y + 6)))
        assert model.classes_.tolist() == [1, 3]


@ONLINE
def test_a_stream_may_be_weighted_before_its_classes_come(name):
    model = new(name, {1: 2.0, 9: 5.0}).learn_one(X[0], 1).learn_one(X[1], 3)
    assert model.learn_one(X[2], 9).classes_.tolist() == [1, 3, 9]


@ONLINE
def test_weights_stay_as_they_were_when_learning_began(name):
    weights = {1: 2.0}
    model = new(name, weights).partial_fit(X, Y)
    weights[1] = 3.0  # in the user's own dictionary
    for call in (lambda: model.partial_fit(X, Y + 6), lambda: model.learn_one(X[0], 9)):
        with pytest.raises(ValueError, match=r"was \{1: 2.0\} when learning began and is \{1: 3.0\} now"):
            call()
        assert model.classes_.tolist() == [1, 3]
    before = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    model.set_params(class_weight={1: np.float64(2)}).partial_fit(X, Y).learn_one(X[0], 1)
    assert model.n_samples_seen_ == 121
    assert model.set_params(class_weight=None).fit(X, Y).partial_fit(X, Y).n_samples_seen_ == 120


@EVERY
@pytest.mark.parametrize(
    "class_weight", [None, "balanced", {1: 2}, {1: 0.5, 3: np.float32(2)}, {np.int64(3): 4.0}], ids=str
)
def test_files_and_pickle(name, class_weight, tmp_path):
    for model in (new(name, class_weight), new(name, class_weight).fit(X, Y)):
        model.save(tmp_path / "model")
        for copy in (hedgerow.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
            assert copy.class_weight == class_weight
            if model.__sklearn_is_fitted__():
                np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
                if hasattr(copy, "partial_fit") and class_weight != "balanced":
                    more = clone(model).fit(X, Y).partial_fit(X[:20] + 1, Y[:20]).predict_proba(X)
                    np.testing.assert_array_equal(copy.partial_fit(X[:20] + 1, Y[:20]).predict_proba(X), more)


@EVERY
def test_words_pairs_and_dates_as_classes(name, tmp_path):
    for low, high in (("low", "high"), ((1, "a"), (2, "b")), (date(2024, 1, 1), date(2024, 2, 1))):
        labels = np.empty(60, dtype=object)
        labels[:] = [low if label == 1 else high for label in Y]
        model = new(name, {high: 2.5})
        assert pickle.loads(pickle.dumps(model)).class_weight == {high: 2.5}
        model.fit(X, list(labels))
        copy = pickle.loads(pickle.dumps(model))
        assert copy.class_weight == {high: 2.5}
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        if isinstance(low, date):
            with pytest.raises(TypeError, match="cannot save"):
                model.save(tmp_path / "model")
        else:
            model.save(tmp_path / "model")
            assert hedgerow.load(tmp_path / "model").class_weight == {high: 2.5}


def test_light_rows_are_pointed_out():
    forest = new("forest")
    with pytest.warns(UserWarning, match=r"60 rows add up to 1, .*multiplied by the number of rows"):
        forest.fit(X, Y, np.full(60, 1 / 60))
    assert forest.n_nodes_ > 30  # all the same
