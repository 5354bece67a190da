"""Labels that are vectors: each component must be what a forest of numbers says of it, on the same trees."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import _core
from hedgerow.base.copies import NO_GROUPS

N, WIDTH, LENGTH, N_TREES = 120, 3, 4, 5
RATE, RATIO = 1.3, 40.0
RNG = np.random.default_rng(0)
X = RNG.random((N, WIDTH))
X[100:] = X[:20]  # leaves of several rows
VECTORS = RNG.normal(size=(N, LENGTH))
WEIGHTS = RNG.uniform(0.2, 3.0, N)
POINTS = RNG.uniform(-0.3, 1.3, (60, WIDTH))
RULE = _core.QueryRule(centre=0.0, variance=1.0, share=1.0, origin=0.0)
WEIGHTED = pytest.mark.parametrize("weights", [np.empty(0), WEIGHTS], ids=["plain", "weighted"])
CLOSE = {"rtol": 0, "atol": 3e-6}  # vectors are kept in single precision


def prepared(core):
    core.set_scaling(np.arange(WIDTH + 1, dtype=np.uint64), np.zeros(WIDTH), np.zeros(WIDTH), np.ones(WIDTH))
    core.set_model(RATE, RATIO, 1)
    return core


SHAPE = {
    "width": WIDTH,
    "n_trees": N_TREES,
    "min_samples_split": 2.0,
    "lifetime": np.inf,
    "seed": 3,
    "window": 0,
}


def learned(core, labels, weights, n_online):
    batch = slice(0, N - n_online)
    core.store(X[batch], labels[batch], weights[batch])
    core.grow(0, core.n_trees, 1)
    core.grown()
    if n_online:
        core.learn(X[-n_online:], labels[-n_online:], weights[-n_online:], 1)
    return core


def vector_forest(weights, n_online=0, n_trees=N_TREES):
    vectors = _core.LabelVectors(LENGTH)
    vectors.append(VECTORS)
    core = _core.VectorForest(**{**SHAPE, "n_trees": n_trees})
    core.set_vectors(vectors)
    return learned(prepared(core), np.arange(N, dtype=np.float64), weights, n_online)


def number_forests(weights, n_online=0):
    return [
        learned(prepared(_core.ExponentialForest(**SHAPE)), np.ascontiguousarray(VECTORS[:, k]), weights, n_online)
        for k in range(LENGTH)
    ]


@WEIGHTED
@pytest.mark.parametrize("n_online", [0, 70])
def test_means(weights, n_online):
    expected = [core.moments(POINTS, RULE, 1)[0] for core in number_forests(weights, n_online)]
    np.testing.assert_allclose(vector_forest(weights, n_online).means(POINTS, 1), np.transpose(expected), **CLOSE)


@WEIGHTED
@pytest.mark.parametrize("n_online", [0, 70])
def test_leave_one_out(weights, n_online):
    mean, within, between = vector_forest(weights, n_online).leave_one_out(N_TREES, NO_GROUPS, 1)
    expected = [core.leave_one_out(RULE, N_TREES, NO_GROUPS, 1) for core in number_forests(weights, n_online)]
    np.testing.assert_allclose(mean, np.transpose([one[0] for one in expected]), **CLOSE)
    np.testing.assert_allclose(within, expected[0][1], rtol=1e-12)
    np.testing.assert_allclose(between, np.transpose([one[2] for one in expected]), **CLOSE)


GAPS = np.array([1], dtype=np.uint32), np.zeros(1), np.ones(1), np.array([2.0])
KEEPS = _core.QueryRule(centre=0.0, variance=1.0, share=1.0, origin=0.0, keeps_mean=True)


@WEIGHTED
@pytest.mark.parametrize("n_online", [0, 70])
def test_doubts(weights, n_online):
    """Outside the rows means are kept; variances are those of a forest whose labels are all zero."""
    core = vector_forest(weights, n_online)
    core.watch_gaps(*GAPS)
    mean, within, between, added = core.moments(POINTS, 1)
    expected = [one.moments(POINTS, KEEPS, 1)[0] for one in number_forests(weights, n_online)]
    np.testing.assert_allclose(mean, np.transpose(expected), **CLOSE)
    silent = learned(prepared(_core.ExponentialForest(**SHAPE)), np.zeros(N), weights, n_online)
    silent.watch_gaps(*GAPS)
    _, expected_within, _, expected_added = silent.moments(POINTS, KEEPS, 1)
    np.testing.assert_allclose(within, expected_within, rtol=1e-12)
    np.testing.assert_allclose(added, expected_added, rtol=1e-12)
    assert added.max() > 0
    up_to = [b * vector_forest(weights, n_online, b).moments(POINTS, 1)[0] for b in range(1, N_TREES + 1)]
    by_tree = np.diff([np.zeros_like(mean), *up_to], axis=0)
    np.testing.assert_allclose(between, by_tree.var(axis=0), **CLOSE)


@WEIGHTED
def test_doubts_of_rows_to_come(weights):
    """Each row is asked about before it is learned, by a forest of the rows before it."""
    core, alone = (prepared(_core.VectorForest(**SHAPE)) for _ in range(2))
    vectors = _core.LabelVectors(LENGTH)
    vectors.append(VECTORS)
    for forest in (core, alone):
        forest.set_vectors(vectors)
        forest.watch_gaps(*GAPS)
    numbers = np.arange(N, dtype=np.float64)
    found = core.moments_then_learn(X, numbers, weights, 2)
    assert not found[0][0].any()
    assert found[1][0] == 1.0
    for i in range(N):
        if i:
            expected = alone.moments(X[[i]], 1)
            for part, same in zip(found, expected, strict=True):
                np.testing.assert_array_equal(part[i], same[0])
        alone.learn(X[[i]], numbers[[i]], weights[[i]] if weights.size else weights, 1)


def test_other_vectors_for_the_same_rows():
    core = vector_forest(np.empty(0), 70)
    turned = _core.LabelVectors(LENGTH)
    turned.append(np.ascontiguousarray(-VECTORS[::-1]))
    with pytest.raises(ValueError, match="has trees already"):
        core.relabel(turned, np.arange(N, dtype=np.float64))
    other = core.rescaled(np.arange(WIDTH + 1, dtype=np.uint64), np.zeros(WIDTH), np.zeros(WIDTH), np.ones(WIDTH))
    for wrong in (np.arange(N - 1.0), np.arange(N) + 1.0):
        with pytest.raises(ValueError, match="label"):
            other.relabel(turned, wrong)
    other.relabel(turned, np.arange(N, dtype=np.float64)[::-1].copy())
    same = core.rescaled(np.arange(WIDTH + 1, dtype=np.uint64), np.zeros(WIDTH), np.zeros(WIDTH), np.ones(WIDTH))
    for forest in (other, same):
        forest.grow(0, N_TREES, 1)
        forest.grown()
    np.testing.assert_array_equal(other.means(POINTS, 1), -same.means(POINTS, 1))


def test_a_vector_is_erased():
    vectors = _core.LabelVectors(LENGTH)
    vectors.append(VECTORS)
    vectors.clear(3)
    expected = VECTORS.astype(np.float32)
    expected[3] = 0.0
    np.testing.assert_array_equal(vectors.to_array(), expected)
    with pytest.raises(ValueError, match="no such vector"):
        vectors.clear(N)


@WEIGHTED
def test_errors_of_components_are_added_up(weights):
    problems = [core.smoothing_problem(N_TREES, NO_GROUPS) for core in number_forests(weights)]
    expected = sum(problem.mean_square(0.7, 9.0, 0.0) for problem in problems)
    found = vector_forest(weights).smoothing_problem(N_TREES, NO_GROUPS).mean_square(0.7, 9.0, 0.0)
    assert found == pytest.approx(expected, rel=1e-6)


@WEIGHTED
def test_contrasts_of_components_are_added_up(weights):
    gains, distances = vector_forest(weights).contrasts(8.0, NO_GROUPS)
    expected = [core.contrasts(8.0, NO_GROUPS) for core in number_forests(weights)]
    np.testing.assert_allclose(gains, sum(one[0] for one in expected), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(distances, expected[0][1])


@WEIGHTED
def test_rows_are_forgotten(weights):
    core, few = vector_forest(weights), np.arange(0, 120, 7)
    core.forget(core.find(X[few], few.astype(np.float64), weights[few] if weights.size else weights), 1)
    assert core.broken_rules() == []
    expected = number_forests(weights)
    for k, one in enumerate(expected):
        labels = np.ascontiguousarray(VECTORS[few, k])
        one.forget(one.find(X[few], labels, weights[few] if weights.size else weights), 1)
    said = np.transpose([one.moments(POINTS, RULE, 1)[0] for one in expected])
    np.testing.assert_allclose(core.means(POINTS, 1), said, **CLOSE)


@WEIGHTED
@pytest.mark.parametrize("n_online", [0, 70])
def test_a_file_needs_no_inner_vectors(weights, n_online):
    core = vector_forest(weights, n_online)
    restored = prepared(_core.VectorForest(**SHAPE))
    vectors = _core.LabelVectors(LENGTH)
    vectors.append(VECTORS)
    restored.set_vectors(vectors)
    arrays = core.archive()
    assert arrays["summaries.values"].size < core.n_nodes * (1 + LENGTH) / 2
    restored.restore(arrays)
    np.testing.assert_array_equal(restored.means(POINTS, 1), core.means(POINTS, 1))
    found, expected = (one.leave_one_out(N_TREES, NO_GROUPS, 1) for one in (restored, core))
    for part, same in zip(found, expected, strict=True):
        np.testing.assert_array_equal(part, same)


ONE_ROW, MEAN = np.array([RATIO, 50.0]), np.array([RATIO, -1.0, *np.ones(LENGTH)])
BROKEN = {
    "a vector that is not there": [RATIO, 500.0],
    "half a vector": [RATIO, 50.5],
    "a negative precision": [-RATIO, 50.0],
    "no number": [np.nan, 50.0],
    "cut short": MEAN[:-1],
    "too long": [*MEAN, 0.0],
    "an empty leaf": [0.0],
}


def restored_with(core, numbers):
    """A copy in which the leaf that was settled last says something else."""
    arrays = dict(core.archive())
    assert arrays["nodes.kind"][-1] == 0
    assert arrays["trees.in_order"][-1]
    arrays["summaries.node"] = np.array([2 * arrays["trees.n_cuts"][-1]], dtype=np.uint32)
    arrays["trees.n_summaries"] = np.array([*[0] * (N_TREES - 1), 1], dtype=np.uint64)
    arrays["summaries.values"] = np.array(numbers)
    fresh = prepared(_core.VectorForest(**SHAPE))
    vectors = _core.LabelVectors(LENGTH)
    vectors.append(VECTORS)
    fresh.set_vectors(vectors)
    fresh.restore(arrays)


@pytest.mark.parametrize("numbers", [ONE_ROW, MEAN])
def test_summaries_of_their_own_are_read(numbers):
    restored_with(vector_forest(np.empty(0)), numbers)


@pytest.mark.parametrize("case", BROKEN)
def test_broken_summaries_are_refused(case):
    with pytest.raises(ValueError, match="not a valid forest"):
        restored_with(vector_forest(np.empty(0)), BROKEN[case])


def test_the_table_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="component"):
        _core.LabelVectors(0)
    vectors = _core.LabelVectors(2)
    with pytest.raises(ValueError, match="length"):
        vectors.append(np.zeros((3, 1)))
    core = _core.VectorForest(**SHAPE)
    core.set_vectors(vectors)
    prepared(core)
    with pytest.raises(ValueError, match="label"):
        core.store(X[:1], np.zeros(1), np.empty(0))
    vectors.append(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="empty"):
        core.predict_then_learn(X[:1], np.zeros(1), np.empty(0), 1)
