"""What labels of a classifier may be, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

import enum
import pickle

import numpy as np
import pandas
import pytest

import hedgerow
from hedgerow import MondrianForestClassifier
from models import bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
PICK = RNG.integers(0, 3, size=40)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def new(**parameters):
    return MondrianForestClassifier(**{"n_estimators": 3, "random_state": 0, **parameters})


def objects(labels):
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


KINDS = {
    "ints": [3, -1, 2],
    "strings": ["b", "a", ""],
    "booleans": [True, False, True],
    "whole floats": [1.0, 0.0, -7.0],
    "tuples": [("a", 1), ("a", 2), ()],
    "enums": list(Colour),
    "mixed": ["a", 1, ("b", 2.0)],
    "numpy scalars": [np.int8(3), np.int64(4), np.int32(5)],
    "frozensets": [frozenset({1}), frozenset(), frozenset({2})],
}
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)


@ALL_KINDS
def test_every_way_of_learning_knows_the_same_classes(kind):
    labels = [KINDS[kind][i] for i in PICK]
    as_list, online, single = new().fit(X, labels), new().partial_fit(X, labels), new()
    for x, label in zip(X, labels, strict=True):
        single.learn_one(x, label)
    different = set(KINDS[kind])
    for forest in (as_list, online, single):
        assert set(forest.classes_.tolist()) == different
        assert forest.predict_proba(X).shape == (40, len(different))
        assert forest.predict_one(X[0]) in different
        assert set(forest.predict(X).tolist()) <= different
        assert kind not in ("ints", "strings") or forest.score(X, forest.predict(X)) == 1.0
        forest.unlearn(X[:5], labels[:5]).unlearn_one(X[5], labels[5])
        assert forest.n_samples_ == 34
    np.testing.assert_array_equal(online.predict_proba(X), single.predict_proba(X))
    if kind in ("enums", "mixed"):  # no order but that of arrival
        assert as_list.classes_.tolist() == list(dict.fromkeys(labels))
    elif kind != "frozensets":
        assert as_list.classes_.tolist() == sorted(different)


@ALL_KINDS
def test_files_and_pickle(kind, tmp_path):
    forest = new().fit(X, objects([KINDS[kind][i] for i in PICK]))
    copy = pickle.loads(pickle.dumps(forest))
    assert copy.classes_.tolist() == forest.classes_.tolist()
    np.testing.assert_array_equal(copy.predict_proba(X), forest.predict_proba(X))
    if kind in ("enums", "frozensets"):
        with pytest.raises(TypeError, match="cannot save"):
            forest.save(tmp_path / "forest")
        assert list(tmp_path.iterdir()) == []
    else:
        forest.save(tmp_path / "forest")
        loaded = hedgerow.load(tmp_path / "forest")
        assert loaded.classes_.tolist() == forest.classes_.tolist()
        assert [type(label) for label in loaded.classes_.tolist()] == [type(c) for c in forest.classes_.tolist()]


BAD_LABELS = {
    "None": None,
    "NaN": float("nan"),
    "numpy NaN": np.float32("nan"),
    "pandas NA": pandas.NA,
    "pandas NaT": pandas.NaT,
    "a tuple with NaN": ("a", float("nan")),
    "a list": [1, 2],
    "an array": np.array([1, 2]),
    "a set": {1},
    "a fraction": 0.5,
    "infinity": float("inf"),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", BAD_LABELS)
def test_bad_labels(name, first):
    forest = new() if first else new().fit(X, PICK)
    before, attributes = bits(forest), set(vars(forest))
    y = objects(["new", "newer", *PICK[2:].tolist()])
    y[5] = BAD_LABELS[name]
    with pytest.raises(ValueError):
        forest.learn_one(X[0], BAD_LABELS[name])
    for call in (forest.fit, forest.partial_fit, forest.predict_then_learn):
        with pytest.raises(ValueError):
            call(X, y)
        if name not in ("a list", "an array"):
            with pytest.raises(ValueError):
                call(X, y.tolist())
    with pytest.raises(ValueError):
        forest.partial_fit(X, PICK, classes=objects(["x", BAD_LABELS[name]]))
    if not first:
        with pytest.raises(ValueError):
            forest.unlearn_one(X[0], BAD_LABELS[name])
    assert bits(forest) == before
    assert set(vars(forest)) == attributes


@pytest.mark.parametrize("convert", [np.array, objects])
@pytest.mark.parametrize("call", ["fit", "partial_fit", "predict_then_learn"])
def test_real_labels_are_refused_as_in_scikit_learn(call, convert):
    y = convert(np.linspace(0, 1, 40).tolist())
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        getattr(new(), call)(X, y)


@pytest.mark.parametrize("call", ["partial_fit", "learn_one", "predict_then_learn"])
def test_a_failed_call_brings_no_class(call):
    forest = new().fit(X, PICK)
    before = bits(forest)
    bad = np.where(np.arange(40) == 30, np.inf, X[:, 0])
    arguments = ([np.inf, 1.0], 99) if call == "learn_one" else (np.column_stack([bad, bad]), PICK + 99)
    with pytest.raises(ValueError):
        getattr(forest, call)(*arguments)
    assert forest.classes_.tolist() == [0, 1, 2]
    assert bits(forest) == before
    assert forest.learn_one(X[0], 7).classes_.tolist() == [0, 1, 2, 7]
    assert forest.check_structure() == []


def test_an_interrupted_review_keeps_the_row_and_its_class(monkeypatch):
    forest = new()
    for i in range(3):
        forest.learn_one(X[i], 0)
    monkeypatch.setattr(forest._learner, "review_if_due", lambda query: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        forest.learn_one(X[3], "late")
    monkeypatch.undo()
    assert forest.n_samples_ == 4
    assert set(forest.classes_.tolist()) == {0, "late"}
    assert set(forest.predict_proba_one(X[0])) == {0, "late"}


def test_unlearning_a_class_that_was_never_seen():
    forest = new().fit(X, PICK)
    before = bits(forest)
    with pytest.raises(ValueError, match="row 1 of the 3"):
        forest.unlearn(X[:3], [PICK[0], 77, PICK[2]])
    with pytest.raises(ValueError, match="row 0 of the 1 to be unlearned is not among those learned"):
        forest.unlearn_one(X[0], "nobody")
    assert bits(forest) == before


def test_announced_classes():
    forest = new().partial_fit(X, PICK, classes=[5, 0, 1, 2])
    assert forest.classes_.tolist() == [0, 1, 2, 5]
    assert (forest.predict_proba(X)[:, 3] > 0).all()
    np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    assert forest.partial_fit(X, PICK + 10).classes_.tolist() == [0, 1, 2, 5, 10, 11, 12]


@pytest.mark.parametrize("change", [{"discount": -1.0}, {"base": "mine"}, {"prior_weight": -1}, {"discount": np.nan}])
def test_parameters_of_queries_are_looked_at_by_queries(change):
    forest = new().fit(X, PICK).set_params(**change)
    for ask in (forest.predict_proba, forest.predict, forest.predict_uncertainty):
        with pytest.raises(ValueError, match=f"{next(iter(change))} must be"):
            ask(X)
    with pytest.raises(ValueError, match=f"{next(iter(change))} must be"):
        forest.predict_one(X[0])


@pytest.mark.parametrize("discount", [1e-100, 1e-12, 1e6, 1e100])
@pytest.mark.parametrize("weight", [1e-300, 1.0, 1e30])
def test_extreme_numbers(discount, weight):
    weights = np.where(np.arange(40) < 20, weight, 1.0)
    forest = new(discount=discount, prior_weight=0).fit(X, PICK, weights)
    found = forest.predict_proba(np.concatenate([X, X * 1e30, X + 1e-6]))
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)


def test_a_weight_below_the_least_is_none():
    weights = np.where(np.arange(40) < 20, 1e-310, 1.0)
    assert new().fit(X, PICK, weights).n_samples_ == 20


def test_memory_does_not_grow_with_the_number_of_classes():
    rows = np.random.default_rng(2).normal(size=(4000, 4))
    few = new().fit(rows, np.arange(4000) % 2)
    many = new().fit(rows, np.arange(4000) % 500)
    assert many.classes_.size == 500
    per_node = [forest._learner.core.n_bytes / forest.n_nodes_ for forest in (few, many)]
    assert per_node[1] < 2.5 * per_node[0]  # a dense count would be 4000 bytes a node
    assert many.predict_proba(rows[:5]).shape == (5, 500)
    assert (many.predict(rows) == np.arange(4000) % 500).mean() > 0.99
