"""Rows predicted without their blocks, against a forest that has unlearned them, to 1e-12."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestClassifier

pytestmark = pytest.mark.filterwarnings("ignore:many rows agree")

N, N_BLOCKS, NO_BLOCK = 120, 4, 2**32 - 1
SHAPES = [
    {},
    {"pause_pure": False},
    {"min_samples_split": 6},
    {"lifetime": 1.0},
    {"base": "empirical", "prior_weight": 0.0},
    {"hyperparameters": "paper", "discount": 0.5},
]


def drawn(kind):
    """Three classes, some of them mixed; rows that are all different, on a lattice, or copies."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 3))
    X = {"different": X, "lattice": np.round(X), "copies": X[rng.integers(0, N // 2, N)]}[kind]
    noise = 0.0 if kind == "copies" else rng.normal(size=N)
    return X, (X[:, 0] + noise > 0).astype(int) + (X[:, 1] > 1), rng.uniform(0.1, 3.0, N)


def blocks_of(seed=0):
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, N_BLOCKS, N)
    blocks[rng.uniform(size=N) < 0.3] = NO_BLOCK
    return blocks.astype(np.uint32)


def left_out(forest, blocks, n_threads=1):
    learner = forest._learner
    return learner.core.leave_blocks_out(learner.rule(forest._current.query), blocks, N_BLOCKS, n_threads)


def in_core_order(forest, X):
    """Probabilities in the order of the core's classes."""
    return forest._learner.probabilities(X, forest._current.query)


@pytest.mark.parametrize("kind", ["different", "lattice", "copies"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_as_after_unlearning(shape, weighted, kind):
    X, y, weights = drawn(kind)
    weights = weights if weighted else np.ones(N)
    blocks = blocks_of()
    forest = MondrianForestClassifier(7, random_state=0, **shape).fit(X, y, weights)
    before = in_core_order(forest, X)
    found = left_out(forest, blocks)
    np.testing.assert_array_equal(left_out(forest, blocks, 3), found)
    np.testing.assert_array_equal(in_core_order(forest, X), before)
    assert forest.check_structure() == []
    assert not found[blocks == NO_BLOCK].any()
    for block in range(N_BLOCKS):
        rows = blocks == block
        other = MondrianForestClassifier(7, random_state=0, **shape).fit(X, y, weights)
        other.unlearn(X[rows], y[rows], weights[rows])
        np.testing.assert_allclose(found[rows], in_core_order(other, X[rows]), rtol=0, atol=1e-12)
        assert np.abs(found[rows] - before[rows]).max() > 0.01


def test_after_a_stream_with_a_window():
    """Numbers of rows are then not in the order of the rows."""
    X, y, _ = drawn("lattice")
    forest = MondrianForestClassifier(5, window=N - 30, random_state=0).partial_fit(X, y)
    blocks = blocks_of()[30:]
    found = left_out(forest, blocks)
    rows = blocks == 2
    forest.unlearn(X[30:][rows], y[30:][rows])
    np.testing.assert_allclose(found[rows], in_core_order(forest, X[30:][rows]), rtol=0, atol=1e-12)


def test_a_block_of_all_rows_leaves_the_base():
    X, y, weights = drawn("lattice")
    for base in ("uniform", "empirical"):
        forest = MondrianForestClassifier(5, base=base, random_state=0).fit(X, y, weights)
        np.testing.assert_allclose(left_out(forest, np.zeros(N, dtype=np.uint32)), 1 / 3, rtol=1e-12)


def test_blocks_must_fit_the_rows():
    X, y, _ = drawn("different")
    forest = MondrianForestClassifier(5, random_state=0).fit(X, y)
    for blocks in (np.zeros(N - 1, dtype=np.uint32), np.full(N, N_BLOCKS, dtype=np.uint32)):
        with pytest.raises(ValueError, match=r"row|block"):
            left_out(forest, blocks)
