"""A forest that is widened is the one that had the columns from the first row on, with one value in all rows."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from models import bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = X[:, 0] + RNG.normal(size=400)
CAME = 250

MODELS = pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"hyperparameters": "paper"},
        {"smoothing": "moments"},
        {"drift_rate": 0.3},
        {"scaling": "rank"},
        {"scaling": "none"},
        {"window": 150},
        {"lifetime": 3.0},
    ],
    ids=str,
)


def new(parameters):
    return MondrianForestRegressor(n_estimators=5, random_state=0, **parameters)


def wide(values):
    """All rows, with columns that are constant until row `CAME`."""
    rows = np.column_stack([X, np.tile(values, (400, 1))])
    rows[CAME:, 3:] += RNG.normal(size=(400 - CAME, len(values))) * (np.abs(values).max() or 1.0)
    return rows


@MODELS
@pytest.mark.parametrize("values", [[0.0], [5.0], [-3e6, 2.0]], ids=str)
def test_same_bits_as_a_column_that_was_always_there(parameters, values):
    narrow = new(parameters).partial_fit(X[:CAME], Y[:CAME])
    before = bits(narrow)
    widened = narrow._widened(np.array(values))
    assert bits(narrow) == before
    rows = wide(values)
    np.testing.assert_array_equal(widened.predict(rows[:CAME]), narrow.predict(X[:CAME]))
    always = new(parameters).partial_fit(rows[:CAME], Y[:CAME])
    np.testing.assert_array_equal(widened.apply(rows), always.apply(rows))
    for forest in (widened, always):  # drift_rate_ knows the number of columns only from the next review on, at 256
        forest.partial_fit(rows[CAME:], Y[CAME:])
    np.testing.assert_array_equal(widened.predict(rows), always.predict(rows))
    assert widened.check_structure() == []


@pytest.mark.parametrize("parameters", [{}, {"smoothing": "moments"}, {"scaling": "none"}], ids=str)
def test_rows_of_before_can_be_unlearned(parameters):
    rows = wide([5.0])
    forest = (
        new(parameters).partial_fit(X[:CAME], Y[:CAME])._widened(np.array([5.0])).partial_fit(rows[CAME:], Y[CAME:])
    )
    forest.unlearn(rows[:100], Y[:100]).unlearn(rows[300:], Y[300:])
    assert forest.n_samples_ == 200
    assert forest.check_structure() == []


def test_numbers_of_forgotten_rows_are_reused():
    forest = new({}).partial_fit(X[:50], Y[:50]).unlearn(X[10:20], Y[10:20])._widened(np.array([5.0]))
    forest.partial_fit(wide([5.0])[CAME : CAME + 30], Y[CAME : CAME + 30])
    assert forest.n_samples_ == 70
    assert forest.check_structure() == []


def test_only_forests_with_rows_and_without_names():
    with pytest.raises(ValueError, match="widened"):
        new({})._widened(np.array([1.0]))
    with pytest.raises(ValueError, match="widened"):
        new({}).learn_one({"a": 1.0}, 1.0)._widened(np.array([1.0]))
