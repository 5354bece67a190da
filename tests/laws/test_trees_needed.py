"""Forests of a boosting keep as many trees as their error needs, and are those that were grown with so many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.base.copies import NO_GROUPS, Copies
from hedgerow.base.rows import Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._mondrian_stage import NumberStage, VectorStage
from hedgerow.boosting._target_stage import TargetStage
from hedgerow.boosting._trees_needed import FEWEST, GROWTH, TOLERANCE, trees_needed
from hedgerow.files import Stored

QUERY = Query(1)
X = np.random.default_rng(0).uniform(size=(150, 3))
Y = np.sin(5 * X[:, 0]) + 0.3 * np.random.default_rng(1).normal(size=150)


@pytest.mark.parametrize("alone", [(1.0, 1.0), (3.0, 0.1), (0.7, 0.2, 0.05), (5.0, 4.0, 0.01), (0.0, 1.0)])
def test_no_fewer_trees_would_do(alone):
    """As good as the best of all allocations, but for rounding up."""
    most, error = 20, 30.0
    budget = max(TOLERANCE / most * error, GROWTH * sum(alone) / most)

    def added(numbers):
        return sum(a / n for a, n in zip(alone, numbers, strict=True))

    found = trees_needed(alone, most, 1, error)
    assert added(found) <= budget * (1 + 1e-12)
    every = itertools.product(range(1, most + 1), repeat=len(alone))
    assert sum(found) <= min(sum(numbers) for numbers in every if added(numbers) <= budget) + len(alone)


def test_all_trees_are_kept_where_nothing_is_left_over_or_all_matter():
    assert trees_needed([1.0], 50, 1, 0.0) == [48]  # a twentieth more error for a twentieth less work
    assert trees_needed([100.0, 100.0], 50, 1, 1.0) == [48, 48]
    assert trees_needed([0.0, 1e-9], 50, 1, 1.0) == [1, 1]
    assert trees_needed([0.0, 1e-9], 50, FEWEST, 1.0) == [FEWEST, FEWEST]
    assert trees_needed([0.0], 8, FEWEST, 0.0) == [8]
    assert trees_needed([], 50, 1, 1.0) == []


@pytest.mark.parametrize("kind", [NumberStage, VectorStage, TargetStage])
def test_a_stage_with_fewer_trees_is_one_that_was_grown_with_them(kind):
    """In what it says, in what it says of its own rows, and in what it learns from then on."""
    y = Y if kind is NumberStage else np.column_stack([Y, -Y])
    rows, alone = Rows(X, y, np.empty(0)), Copies(NO_GROUPS, len(y))
    fewer, grown = (kind.grown(rows, alone, QUERY, n_trees=n, scaling="half", seed=3) for n in (14, 11))
    fewer.keep_trees(11)
    assert fewer.forest.settings == grown.forest.settings
    for one in (fewer, grown):
        one.forest.core.set_model(1.0, 20.0, 1)
    left_out = [one.calibrated(y, NO_GROUPS, QUERY) for one in (fewer, grown)]
    more = Rows(X[:5] + 0.01, y[:5], np.empty(0))
    said = [
        (*one.moments(X, QUERY), *one.moments_then_learn(more, QUERY), *one.moments(X, QUERY)) for one in (fewer, grown)
    ]
    for a, b in zip([*left_out[0][:2], *said[0]], [*left_out[1][:2], *said[1]], strict=True):
        np.testing.assert_array_equal(a, b)
    assert left_out[0].between == left_out[1].between > 0.0
    restored = kind.from_state(Stored(fewer.state(), is_own=True))
    np.testing.assert_array_equal(restored.moments(X, QUERY)[0], fewer.moments(X, QUERY)[0])


@pytest.mark.parametrize("is_weighted", [False, True])
def test_what_is_said_of_rows_without_them_is_said_by_the_trees_that_are_left(is_weighted):
    """Honest residuals and variances are those of the model as it is: leave-one-out of each forest, added up."""
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=150) if is_weighted else None
    model = MondrianBoostingRegressor(stages=["mondrian"], linear=False, target="real", random_state=0)
    model.fit(X, Y, weights)
    blend = model._learner.stages
    numbers = [stage.n_trees for stage in blend.main.mondrian]
    assert min(numbers) < 50
    said = [stage.left_out(NO_GROUPS, QUERY) for stage in blend.main.mondrian]
    np.testing.assert_allclose(blend.residuals, Y - sum(one.mean for one in said), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(blend.variances, sum(one.variances for one in said), rtol=1e-9, atol=1e-12)


def test_few_trees_cost_little_accuracy():
    """Classes told apart by others than the first chain: its trees go, and probabilities stay (500 rows held out)."""
    rng = np.random.default_rng(3)
    features = rng.uniform(size=(1100, 6))
    labels = ((features[:, 0] > 0.5) ^ (features[:, 1] > 0.5)).astype(int)
    model = MondrianBoostingClassifier(random_state=0).fit(features[:600], labels[:600])
    chains = model._learner.stages
    n_kept = sum(stage.n_trees for chain in chains.chains for stage in chain.mondrian)
    n_grown = sum(50 for chain in chains.chains for _ in chain.mondrian)
    assert n_kept < n_grown / 2
    assert model.score(features[600:], labels[600:]) > 0.95
