"""Unusual but correct data: a finite answer, never a crash."""

from __future__ import annotations

import numpy as np
import pytest

from models import bits, every, make_sense, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
WILD = np.array([-1.7e308, -1e300, -1.0, 0.0, 5e-324, 1e-320, 1e-10, 1.0, 1e17, 1e300, 1.7e308, 2.0])


def ways(case):
    return ["fit", "partial_fit"] if case.online else ["fit"]


def check(case, X, y):
    """Answers about the rows, and about rows far away, are finite in every way of learning."""
    for way in ways(case):
        model = getattr(case.new(), way)(X, y)
        for rows in (X, np.clip(X, -1e150, 1e150) * 100 + 3.0):
            found = numbers(model, rows)
            assert make_sense(found), way
            if case.regresses:
                width = y.shape[1] if case.several else 1
                assert (found[:, width : 2 * width] >= 0).all(), way
        if case.can("check_structure"):
            assert model.check_structure() == []
        yield model


def run(*arguments):
    return list(check(*arguments))


@every()
def test_few_rows(case):
    X, y = case.data(40)
    for n in (1, 2, 3, 9, 17):
        for model in run(case, X[:n], y[:n]):
            if n == 1 and case.repeats_one_target:
                assert model.predict(X[:1]) == pytest.approx(y[:1], rel=1e-6)
            if n == 1 and case.classes:
                assert model.predict(X).tolist() == [y[0]] * 40


@every()
def test_equal_rows(case):
    X, y = case.data(40)
    for model in run(case, np.full((40, 2), 7.0), y):
        if case.can("apply"):
            assert len(np.unique(model.apply(X[:, :2]), axis=0)) == 1


@every()
def test_constant_columns_do_not_matter(case):
    X, y = case.data(50)
    flat = np.column_stack([np.full(50, 1e6), X[:, 0], np.zeros(50)])
    for model in run(case, flat, y):
        if case.can("apply"):
            np.testing.assert_array_equal(model.apply(flat), model.apply(flat + np.array([1.0, 0.0, 1.0])))


@every("predicts")
def test_constant_targets(case):
    X, y = case.data(40)
    for model in run(case, X, np.repeat(y[:1], 40, axis=0)):
        if case.classes:
            assert (model.predict(X) == y[0]).all()
        elif case.can("partial_fit"):
            np.testing.assert_allclose(model.predict(X), np.repeat(y[:1], 40, axis=0), rtol=1e-2)


@every("regresses")
def test_targets_of_any_size(case):
    X, y = case.data(40)
    whole = case.parameters.get("target") == "count"
    for factor, offset in [(1.0, 1e9)] if whole else [(1.0, 1e9), (1e96, 0.0), (1e-96, 0.0)]:
        run(case, X, y * factor + offset)
    run(case, X, np.where((np.arange(40) == 7).reshape(-1, *[1] * (y.ndim - 1)), 1e12, y))


@every()
def test_features_of_any_size(case):
    _, y = case.data(24)
    wild = np.tile(np.stack([WILD, WILD[::-1], np.zeros(12)], axis=1), (2, 1))
    for way in ways(case):
        assert make_sense(numbers(getattr(case.new(), way)(wild, y), wild))


@every()
def test_whole_numbers_booleans_and_memory_layouts(case):
    _, y = case.data(40)
    X = np.arange(120).reshape(40, 3) * 7 % 23
    expected = bits(case.new().fit(X.astype(float), y))
    wide = np.zeros((80, 6))
    wide[::2, ::2] = X
    read_only = X.astype(float)
    read_only.flags.writeable = False
    given = (X, X.astype(np.float32), np.asfortranarray(X, dtype=float), wide[::2, ::2], X.tolist(), read_only)
    for layout in given:
        assert bits(case.new().fit(layout, y)) == expected
    assert make_sense(numbers(case.new().fit(X % 2 == 0, y), X % 2 == 0))
