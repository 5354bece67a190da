"""The first row may be the first call, whatever units its features have."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.base import clone

from models import bits, every, make_sense, numbers, row_by_row

pytestmark = pytest.mark.filterwarnings("ignore")


@every("learns_rows")
def test_before_the_first_row(case):
    """Nothing is known: 0, or no class."""
    model = case.new()
    for x in ([1.0, 2.0, 3.0], {"a": 1.0}, np.ones(2)):
        assert model.predict_one(x) == (None if case.classes else 0.0)
        if case.classes:
            assert model.predict_proba_one(x) == {}
    assert bits(model) == bits(case.new())


@every("online")
def test_the_first_row_is_a_batch_of_one(case):
    X, y = case.data(40)
    X = X * [1e-9, 1e9, 1.0]
    by_batch = case.new().partial_fit(X[:1], y[:1])
    assert make_sense(numbers(by_batch, X))
    assert by_batch.n_features_in_ == 3
    if case.learns_rows:
        by_row = case.new().learn_one(X[0], y[0])
        assert bits(by_row) == bits(by_batch)
        assert sorted(vars(by_row)) == sorted(vars(by_batch)) == sorted(vars(copy.deepcopy(by_row)))
        if case.classes or case.repeats_one_target:
            assert by_row.predict_one(X[0]) == (y[0] if case.classes else pytest.approx(y[0]))
        assert by_row.n_samples_seen_ == 1
        assert row_by_row(by_row, X[1:], y[1:]).n_samples_seen_ == 40
        np.testing.assert_allclose(numbers(by_row, X), numbers(by_batch.partial_fit(X[1:], y[1:]), X), rtol=1e-9)


@every("learns_rows")
def test_asking_between_rows_changes_nothing(case):
    X, y = case.data(30)
    model = case.new()
    for x, label in zip(X, y, strict=True):
        model.predict_one(x)
        model.learn_one(x, label)
    assert bits(model) == bits(row_by_row(case.new(), X, y))
    assert bits(clone(model)) == bits(case.new())
