"""Spaces: points and places are two views of one thing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds

from hedgerow.optimize import Categorical, Integer, Real, Space

finite = st.floats(-1e6, 1e6, allow_nan=False)
reals = st.tuples(finite, finite).filter(lambda pair: pair[0] < pair[1]).map(lambda pair: Real(*pair))
logs = st.tuples(st.floats(1e-8, 1e3), st.floats(1.001, 1e6)).map(lambda t: Real(t[0], t[0] * t[1], log=True))
integers = st.tuples(st.integers(-1000, 1000), st.integers(0, 1000)).map(lambda t: Integer(t[0], t[0] + t[1]))
log_integers = st.tuples(st.integers(1, 1000), st.integers(0, 100_000)).map(lambda t: Integer(t[0], sum(t), log=True))
choices = st.lists(st.one_of(st.integers(), st.text(), st.booleans(), st.none()), min_size=1, unique_by=repr).map(
    Categorical
)
parameters = st.one_of(reals, logs, integers, log_integers, choices)


@settings(deadline=None, max_examples=200)
@given(parameters, st.floats(0, 1))
def test_a_value_keeps_its_place(parameter, unit):
    value = parameter.from_unit(unit)
    place = parameter.to_unit(value)
    assert 0 <= place <= 1
    again = parameter.from_unit(place)
    if isinstance(parameter, Real):
        assert math.isclose(again, value, rel_tol=1e-9, abs_tol=1e-9)
        assert math.isclose(place, unit, abs_tol=1e-6)
        assert parameter.low <= value <= parameter.high
    else:
        assert again == value
        assert type(again) is type(value)
        assert float(parameter.settled(np.array([unit]))[0]) == pytest.approx(place, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.lists(parameters, min_size=1, max_size=5), st.integers(0, 2**32))
def test_settled_places_are_those_of_points(given_parameters, seed):
    space = Space(given_parameters)
    places = space.settled(np.random.default_rng(seed).random((5, len(given_parameters))))
    np.testing.assert_allclose(space.settled(places), places, atol=1e-12)
    for place in places:
        np.testing.assert_allclose(space.encode(space.decode(place)), place, atol=1e-6)
    restored = Space._from_json(space._to_json()) if all(_is_plain(each) for each in given_parameters) else space
    assert repr(restored) == repr(space)


def _is_plain(parameter):
    try:
        parameter.to_json()
    except TypeError:
        return False
    return True


def test_all_values_of_a_whole_number_are_equally_likely_and_on_a_log_scale_small_ones_more():
    units = (np.arange(10_000) + 0.5) / 10_000
    counts = np.bincount(Integer(1, 8).codes(units))
    assert counts.tolist() == [1250] * 8
    counts = np.bincount(Integer(1, 100, log=True).codes(units))
    assert counts.size == 100
    assert counts[0] > 10 * counts[30]


CONDITIONAL = {
    "model": ["tree", "svm"],
    "depth": Integer(1, 10, when={"model": "tree"}),
    "kernel": Categorical(["linear", "rbf", "poly"], when={"model": "svm"}),
    "gamma": Real(1e-3, 10, log=True, when={"kernel": ("rbf", "poly")}),
}


def test_absent_parameters_are_absent_and_lie_amid():
    space = Space(CONDITIONAL)
    places = space.settled(np.random.default_rng(0).random((200, 4)))
    seen = set()
    for place in places:
        point = space.decode(place)
        seen.add(frozenset(point))
        np.testing.assert_allclose(space.encode(point), place, atol=1e-9)
        if "gamma" not in point:
            assert place[3] == 0.5
    assert seen == {
        frozenset({"model", "depth"}),
        frozenset({"model", "kernel"}),
        frozenset({"model", "kernel", "gamma"}),
    }


def test_columns_tell_choices_apart_by_one_unit():
    space = Space({"c": ["a", "b", "c"], "x": (0, 1)})
    columns = space.columns(space.settled(np.array([[0.1, 0.25], [0.5, 0.25], [0.9, 0.75]])))
    np.testing.assert_allclose(columns, [[0.5, 0, 0, 0.25], [0, 0.5, 0, 0.25], [0, 0, 0.5, 0.75]])
    assert np.abs(columns[0] - columns[1]).sum() == 1
    assert space.ordered_columns.tolist() == [3]


def test_what_users_write_is_read():
    space = Space([(0, 1), [2, 3], (1e-3, 1, "log"), range(3, 8), ["a", 1, None], Real(0, 1)])
    kinds = [type(parameter).__name__ for parameter in space.parameters]
    assert kinds == ["Real", "Real", "Real", "Integer", "Categorical", "Real"]
    assert (space.parameters[3].low, space.parameters[3].high) == (3, 7)
    assert space.parameters[2].log
    assert Space(Bounds([0, 1], [2, 3])).n_parameters == 2
    assert Space({"a": range(4), "b": [True, False, None]}).n_points == 12
    assert Space([(0, 1)]).n_points == math.inf


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([], "at least one parameter"),
        (3, "a sequence or a mapping"),
        ([(1, 0)], "bounds of x0.*less than high"),
        ([(0, math.inf)], "finite number"),
        ([(-1, 1, "log")], "must be positive"),
        ([(0, 1, 2)], r"must be \(low, high\)"),
        ([range(3, 3)], r"must be \(low, high\)"),
        ([["a", "a"]], "each choice must come once"),
        ({"a": (0, 1), "b": Real(0, 1, when={"a": 1})}, "Integer or a Categorical"),
        ({"b": Real(0, 1, when={"a": 1}), "a": range(3)}, "comes before it"),
        ({"a": range(3), "b": Real(0, 1, when={"a": 7})}, "never has"),
        ([range(3), Real(0, 1, when={"x0": 1})], "needs names"),
        ({1: (0, 1)}, "named by strings"),
    ],
)
def test_bounds_that_cannot_be_are_refused(bounds, message):
    with pytest.raises(ValueError, match=message):
        Space(bounds)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ({"model": "tree"}, "'depth' is missing"),
        ({"model": "tree", "depth": 11}, "depth: 11 is not between"),
        ({"model": "tree", "depth": 1.5}, "whole number"),
        ({"model": "tree", "depth": 3, "gamma": 1.0}, "'gamma' is given, but is there only when"),
        ({"model": "forest"}, "not one of"),
        ({"model": "tree", "depth": 3, "width": 1}, "has no"),
        ([1, 2, 3, 4], "must be a mapping"),
    ],
)
def test_points_that_cannot_be_are_refused(point, message):
    with pytest.raises(ValueError, match=message):
        Space(CONDITIONAL).encode(point)
