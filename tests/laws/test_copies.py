"""Copies by pickle, joblib, file and deepcopy are the model itself, at any moment, and live a life of their own."""

from __future__ import annotations

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import hedgerow
from models import answers, bits, every

pytestmark = pytest.mark.filterwarnings("ignore")


def through_file(model, folder):
    model.save(folder / "model")
    return hedgerow.load(folder / "model")


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model, _: pickle.loads(pickle.dumps(model, protocol=2)),
    "joblib": lambda model, _: through_joblib(model),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "file": through_file,
}


@every()
def test_a_copy_is_the_model(case, tmp_path):
    X, y = case.data(20, seed=1)
    model = case.seasoned()
    before, said = bits(model), answers(model, X, y)
    for name, way in WAYS.items():
        other = way(model, tmp_path)
        assert type(other) is case.kind
        assert repr(other.get_params()) == repr(model.get_params())
        assert answers(other, X, y) == said, name
        assert bits(other) == before, name
    assert bits(model) == before


@every("online")
def test_a_copy_goes_on_as_the_model_does(case, tmp_path):
    """At many moments of a stream: the copy takes the place of the model."""
    X, y = case.data(100)
    straight, winding = case.new(), case.new()
    for number, begin in enumerate(range(0, 100, 20)):
        rows, leaving = slice(begin, begin + 20), slice(begin + 12, begin + 16)
        way = list(WAYS.values())[number]
        straight.partial_fit(X[rows], y[rows])
        winding = way(winding.partial_fit(X[rows], y[rows]), tmp_path)
        if case.unlearns:
            straight.unlearn(X[leaving], y[leaving])
            winding = way(winding.unlearn(X[leaving], y[leaving]), tmp_path)
    assert bits(winding) == bits(straight)


@every()
def test_a_copy_is_independent(case):
    X, y = case.data(60, seed=2)
    model = case.seasoned()
    before = bits(model)
    other = copy.deepcopy(model)
    if case.online:
        other.partial_fit(X, y)
        assert bits(other) != before
    if case.unlearns:
        X, y = case.data(60)
        other.fit(X, y).unlearn(X[40:49], y[40:49])
    if case.can("continue_sampling"):
        other.continue_sampling(2)
    other.fit(X[:, :2], y)
    assert bits(model) == before


@every()
def test_nothing_learned_is_a_state_too(case, tmp_path):
    X, y = case.data(60)
    for way in WAYS.values():
        other = way(case.new(), tmp_path)
        assert repr(other.get_params()) == repr(case.new().get_params())
        assert bits(other) == bits(case.new())
        assert bits(other.fit(X, y)) == bits(case.new().fit(X, y))


@every()
def test_a_clone_has_learned_nothing(case):
    assert bits(clone(case.fitted(60))) == bits(case.new())


@every("unlearns")
def test_a_model_that_has_unlearned_everything(case, tmp_path):
    X, y = case.data(60)
    emptied = case.new().fit(X[:3], y[:3]).unlearn(X[:3], y[:3])
    for way in WAYS.values():
        other = way(emptied, tmp_path)
        assert bits(other) == bits(emptied)
        if case.online:
            assert bits(other.partial_fit(X, y)) == bits(copy.deepcopy(emptied).partial_fit(X, y))


@every()
def test_random_states_are_kept(case, tmp_path):
    name = next(name for name in ("random_state", "base__random_state") if case.parameters.get(name) is not None)
    state = np.random.RandomState(4)
    model = case.new().set_params(**{name: state}).fit(*case.data(40))
    kept = through_file(model, tmp_path).get_params()[name]
    np.testing.assert_array_equal(kept.random_sample(3), model.get_params()[name].random_sample(3))
