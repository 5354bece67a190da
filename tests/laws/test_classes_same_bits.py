"""Classifiers: the same seed and rows give the same bits, whatever the threads, the chunks and the detours."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianForestClassifier
from trees import StoredForest

RNG = np.random.default_rng(0)
N = 260
X = np.column_stack([RNG.normal(size=N), RNG.exponential(size=N) * 1e4, RNG.integers(0, 3, size=N)])
X[RNG.integers(0, N, 40)] = X[RNG.integers(0, N, 40)]
# Classes come one by one: the fifth after 130 rows, which is between two reviews.
Y = np.array(["ash", "birch", "elm", "oak", "yew"])[np.minimum(RNG.integers(0, 5, size=N), np.arange(N) // 32)]
WEIGHTS = RNG.uniform(0.1, 3.0, size=N)
QUERIES = np.concatenate([X[:20], X[:20] * 1.7 - 3])

KINDS = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"hyperparameters": "paper"},
        {"pause_pure": False, "base": "empirical"},
        {"scaling": "rank", "min_samples_split": 5},
        {"scaling": "none", "prior_weight": 0},
        {"window": 70, "base": "empirical"},
        {"lifetime": 2.0, "discount": 0.1},
    ],
    ids=lambda kind: " ".join(f"{key}={value}" for key, value in kind.items()) or "default",
)


def new(kind, **others):
    return MondrianForestClassifier(**{"n_estimators": 5, "random_state": 3, **kind, **others})


def fitted_bytes(forest):
    stored = StoredForest.of(forest)
    return {"fitted": str(stored.header["fitted"]), **{name: a.tobytes() for name, a in stored.arrays.items()}}


def assert_same(one, other, rows_may_be_renumbered=False):
    np.testing.assert_array_equal(one.predict_proba(QUERIES), other.predict_proba(QUERIES))
    np.testing.assert_array_equal(one.predict_uncertainty(QUERIES), other.predict_uncertainty(QUERIES))
    first, second = fitted_bytes(one), fitted_bytes(other)
    assert first.keys() == second.keys()
    differing = {name for name in first if first[name] != second[name]}
    if rows_may_be_renumbered:  # where the numbers of forgotten rows are used again
        differing = {name for name in differing if not name.startswith("rows.")}
        differing -= {"nodes.link", "nodes.next_row", "trees.list_size"}
    assert not differing


@KINDS
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads(kind, n_jobs):
    one, other = new(kind), new(kind, n_jobs=n_jobs)
    for forest in (one, other):
        forest.fit(X[:150], Y[:150]).partial_fit(X[150:], Y[150:])
        if "window" not in kind:
            forest.unlearn(X[50:90], Y[50:90])
    assert_same(one, other)


@KINDS
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks(kind, weighted):
    weights = WEIGHTS if weighted else np.ones(N)
    whole, chunked, single = new(kind).partial_fit(X, Y, sample_weight=weights), new(kind), new(kind)
    for begin, end in pairwise([0, 1, 2, 10, 11, 64, 100, 257, N]):
        chunked.partial_fit(X[begin:end], Y[begin:end], sample_weight=weights[begin:end])
    assert_same(whole, chunked, "window" in kind)
    if not weighted:
        for x, y in zip(X, Y, strict=True):
            single.learn_one(x, y)
        unweighted = new(kind).partial_fit(X, Y)
        assert_same(unweighted, single, "window" in kind)


@KINDS
@pytest.mark.parametrize("detour", ["pickle", "deepcopy", "file"])
def test_detours_mid_stream(kind, detour, tmp_path):
    def through_file(forest):
        forest.save(tmp_path / "forest")
        return hedgerow.load(tmp_path / "forest")

    ways = {"pickle": lambda f: pickle.loads(pickle.dumps(f)), "deepcopy": copy.deepcopy, "file": through_file}
    straight, winding = new(kind), new(kind)
    for begin in range(0, 240, 60):
        part, leaving = slice(begin, begin + 60), slice(begin + 45, begin + 50)
        straight.partial_fit(X[part], Y[part], sample_weight=WEIGHTS[part])
        winding = ways[detour](winding.partial_fit(X[part], Y[part], sample_weight=WEIGHTS[part]))
        straight.unlearn(X[leaving], Y[leaving])
        winding = ways[detour](winding.unlearn(X[leaving], Y[leaving]))
        assert winding.check_structure() == []
    assert_same(straight, winding)
    assert winding.get_params() == straight.get_params()


@KINDS
def test_rows_of_a_query_do_not_see_each_other(kind):
    forest = new(kind).fit(X, Y, WEIGHTS)
    together, parts = forest.predict_proba(QUERIES), forest.predict_uncertainty(QUERIES)
    for i, x in enumerate(QUERIES):
        np.testing.assert_array_equal(forest.predict_proba(x[None, :])[0], together[i])
        np.testing.assert_array_equal(list(forest.predict_proba_one(x).values()), together[i])
        np.testing.assert_array_equal(np.ravel(forest.predict_uncertainty(x[None, :])), np.array(parts)[:, i])
        assert forest.predict_one(x) == forest.predict(x[None, :])[0] == forest.classes_[together[i].argmax()]
    np.testing.assert_array_equal(forest.predict_proba(QUERIES[::-1])[::-1], together)
    np.testing.assert_array_equal(forest.predict_proba(np.tile(QUERIES, (50, 1))), np.tile(together, (50, 1)))


@KINDS
@pytest.mark.parametrize("announced", [None, ["yew", "ash", "fir"]], ids=["unannounced", "announced"])
def test_predict_then_learn_is_the_loop(kind, announced):
    """Also where classes come on the way, and where reviews are held."""
    forest, loop = new(kind), new(kind)
    forecasts = forest.predict_then_learn(X, Y, announced)
    assert forecasts.shape == (N, forest.classes_.size)
    columns = {label: column for column, label in enumerate(forest.classes_)}
    loop.partial_fit(X[:1], Y[:1], announced)
    first = np.zeros(forest.classes_.size)
    known = announced or []  # before the first row there is nothing but the base distribution
    first[[columns[label] for label in known]] = 1 / max(1, len(known))
    np.testing.assert_array_equal(forecasts[0], first)
    for i in range(1, N):
        expected = np.zeros(forest.classes_.size)
        expected[[columns[label] for label in loop.classes_]] = loop.predict_proba(X[i : i + 1])[0]
        np.testing.assert_array_equal(forecasts[i], expected)
        loop.learn_one(X[i], Y[i])
    assert_same(forest, loop, "window" in kind)


def test_predict_then_learn_in_two_calls_with_weights():
    forest, whole, learner = new({}), new({}), new({})
    parts = [
        forest.predict_then_learn(X[:70], Y[:70], sample_weight=WEIGHTS[:70]),
        forest.predict_then_learn(X[70:], Y[70:], sample_weight=WEIGHTS[70:]),
    ]
    together = whole.predict_then_learn(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(parts[1], together[70:])
    learner.partial_fit(X, Y, sample_weight=WEIGHTS)
    assert_same(forest, whole)
    assert_same(forest, learner)
    weights = WEIGHTS.copy()
    weights[[0, 7, 100]] = 0
    kept = weights > 0
    np.testing.assert_array_equal(
        new({}).predict_then_learn(X, Y, sample_weight=weights),
        new({}).predict_then_learn(X[kept], Y[kept], sample_weight=weights[kept]),
    )
    assert new({}).predict_then_learn(X, Y, sample_weight=np.zeros(N)).shape == (0, 0)


def test_window_is_unlearning_by_hand():
    fixed = {"scaling": "none", "hyperparameters": "paper"}
    windowed, by_hand = new({"window": 25, **fixed}), new(fixed)
    for i in range(120):
        windowed.learn_one(X[i], Y[i])
        by_hand.learn_one(X[i], Y[i])
        if i >= 25:
            by_hand.unlearn_one(X[i - 25], Y[i - 25])
        assert windowed.check_structure() == []
    np.testing.assert_array_equal(windowed.predict_proba(X), by_hand.predict_proba(X))
