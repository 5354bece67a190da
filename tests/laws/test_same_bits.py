"""The same seed and the same rows give the same bits, whatever the threads, the chunks and the detours."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianForestRegressor
from trees import StoredForest

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=300), RNG.exponential(size=300) * 1e4, RNG.integers(0, 3, size=300)])
Y = np.sin(X[:, 0]) + RNG.normal(size=300)
QUERIES = np.concatenate([X[:20], X[:20] * 1.7 - 3])

KINDS = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"hyperparameters": "paper"},
        {"smoothing": "moments"},
        {"scaling": "rank"},
        {"scaling": "none", "min_samples_split": 2},
        {"window": 70, "min_samples_split": 3},
        {"lifetime": 2.0},
    ],
    ids=lambda kind: " ".join(f"{key}={value}" for key, value in kind.items()) or "default",
)


def new(kind, **others):
    return MondrianForestRegressor(**{"n_estimators": 7, "random_state": 3, **kind, **others})


def fitted_bytes(forest):
    """All arrays and fitted numbers of the save file."""
    stored = StoredForest.of(forest)
    arrays = {name: array.tobytes() for name, array in stored.arrays.items()}
    return {"fitted": str(stored.header["fitted"]), **arrays}


def assert_same(one, other, rows_may_be_renumbered=False):
    np.testing.assert_array_equal(one.predict(QUERIES, True), other.predict(QUERIES, True))
    np.testing.assert_array_equal(one.predict_interval(QUERIES), other.predict_interval(QUERIES))
    first, second = fitted_bytes(one), fitted_bytes(other)
    assert first.keys() == second.keys()
    differing = {name for name in first if first[name] != second[name]}
    if rows_may_be_renumbered:  # where the numbers of forgotten rows are used again
        differing = {name for name in differing if not name.startswith("rows.")}
        differing -= {"nodes.link", "nodes.next_row", "trees.list_size"}
    assert not differing


@KINDS
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads(kind, n_jobs):
    one, other = new(kind), new(kind, n_jobs=n_jobs)
    for forest in (one, other):
        forest.fit(X[:150], Y[:150]).partial_fit(X[150:], Y[150:])
        if "window" not in kind:
            forest.unlearn(X[50:90], Y[50:90])
    assert_same(one, other)
    np.testing.assert_array_equal(one.apply(QUERIES), other.apply(QUERIES))
    np.testing.assert_array_equal(one.log_density(QUERIES, np.zeros(40)), other.log_density(QUERIES, np.zeros(40)))


@KINDS
def test_chunks(kind):
    whole = new(kind).partial_fit(X, Y)
    chunked, single = new(kind), new(kind)
    edges = [0, 1, 2, 10, 11, 64, 100, 257, 300]
    for begin, end in pairwise(edges):
        chunked.partial_fit(X[begin:end], Y[begin:end])
    for x, y in zip(X, Y, strict=True):
        single.learn_one(x, y)
    assert_same(whole, chunked, "window" in kind)
    assert_same(whole, single, "window" in kind)


@KINDS
def test_chunks_after_fit(kind):
    whole = new(kind).fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:])
    single = new(kind).fit(X[:100], Y[:100])
    for x, y in zip(X[100:], Y[100:], strict=True):
        single.learn_one(x, y)
    assert_same(whole, single, "window" in kind)


def test_weighted_chunks():
    weights = RNG.uniform(0.1, 3.0, size=300)
    whole = new({}).partial_fit(X, Y, weights)
    chunked = new({})
    for begin in range(0, 300, 37):
        part = slice(begin, begin + 37)
        chunked.partial_fit(X[part], Y[part], weights[part])
    assert_same(whole, chunked)


def through_file(forest, folder):
    forest.save(folder / "forest")
    return hedgerow.load(folder / "forest")


@KINDS
@pytest.mark.parametrize("detour", ["pickle", "deepcopy", "file"])
def test_detours_mid_stream(kind, detour, tmp_path):
    """A copy made at any moment goes on learning and unlearning as the original does."""
    ways = {
        "pickle": lambda forest: pickle.loads(pickle.dumps(forest)),
        "deepcopy": copy.deepcopy,
        "file": lambda forest: through_file(forest, tmp_path),
    }
    straight, winding = new(kind), new(kind)
    for begin in range(0, 300, 60):
        part = slice(begin, begin + 60)
        straight.partial_fit(X[part], Y[part])
        winding = ways[detour](winding.partial_fit(X[part], Y[part]))
        leaving = slice(begin + 45, begin + 50)
        straight.unlearn(X[leaving], Y[leaving])
        winding = ways[detour](winding.unlearn(X[leaving], Y[leaving]))
        assert winding.check_structure() == []
    assert_same(straight, winding)
    assert winding.get_params() == straight.get_params()


def test_a_copy_is_independent():
    forest = new({}).fit(X, Y)
    before = fitted_bytes(forest)
    copy.deepcopy(forest).partial_fit(X, Y).unlearn(X[:9], Y[:9])
    assert fitted_bytes(forest) == before


def tree_words(forest, b):
    """Tree b of a save file, word by word."""
    stored = StoredForest.of(forest)
    nodes = stored.tree == b
    lists = stored.arrays["trees.list_size"].astype(int)
    begin = lists[:b].sum()
    return [stored.arrays[f"nodes.{part}"][nodes].tobytes() for part in ("feature", "location", "link", "time")] + [
        stored.arrays["nodes.next_row"][begin : begin + lists[b]].tobytes()
    ]


@KINDS
def test_trees_do_not_depend_on_how_many_there_are(kind):
    few, many = new(kind, n_estimators=2), new(kind, n_estimators=9)
    for forest in (few, many):
        forest.fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:]).unlearn(X[290:], Y[290:])
    for b in range(2):
        assert tree_words(few, b) == tree_words(many, b)
    if few.hyperparameters == "learned":  # smoothing and calibration are common to all trees, and learned from them
        return
    dist_few, dist_many = few.predict_dist(QUERIES), many.predict_dist(QUERIES)
    for i in range(len(QUERIES)):
        n = dist_few.first[i + 1] - dist_few.first[i]
        first, second = (slice(part.first[i], part.first[i] + n) for part in (dist_few, dist_many))
        np.testing.assert_array_equal(dist_few.means[first], dist_many.means[second])
        np.testing.assert_array_equal(dist_few.variances[first], dist_many.variances[second])


@KINDS
def test_rows_of_a_query_do_not_see_each_other(kind):
    forest = new(kind).fit(X, Y)
    together = np.stack(forest.predict(QUERIES, return_std=True), axis=1)
    alone = np.array([np.stack(forest.predict(x[None, :], return_std=True), axis=1)[0] for x in QUERIES])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together[:, 0], [forest.predict_one(x) for x in QUERIES])
    np.testing.assert_array_equal(forest.predict(np.tile(QUERIES, (50, 1))), np.tile(together[:, 0], 50))
    reverse = forest.predict(QUERIES[::-1])[::-1]
    np.testing.assert_array_equal(together[:, 0], reverse)


@KINDS
def test_asking_changes_nothing(kind):
    forest = new(kind).fit(X, Y)
    before = fitted_bytes(forest)
    forest.predict(QUERIES, return_std=True)
    forest.predict_quantiles(QUERIES, [0.1, 0.9])
    forest.predict_one(X[0])
    forest.log_density(X, Y)
    forest.apply(X)
    assert fitted_bytes(forest) == before


def test_seeds_matter():
    assert fitted_bytes(new({}).fit(X, Y)) != fitted_bytes(new({}, random_state=4).fit(X, Y))


def test_fit_forgets_what_was_learned_before():
    once, twice = new({}).fit(X, Y), new({}).fit(X[:50], Y[:50]).partial_fit(X[60:], Y[60:]).fit(X, Y)
    assert_same(once, twice)


def test_input_is_neither_kept_nor_changed():
    rows, labels = X.copy(), Y.copy()
    forest = new({}).partial_fit(rows, labels)
    np.testing.assert_array_equal(rows, X)
    before = fitted_bytes(forest)
    rows[:], labels[:] = -1, -1
    assert fitted_bytes(forest) == before
