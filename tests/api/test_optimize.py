"""Optimisers: what is refused, and files from strangers."""

import numpy as np
import pytest

import hedgerow
from hedgerow.optimize import Categorical, Optimizer, minimize
from models import bits
from stored import Stored

SPACE = {"kind": ["a", "b"], "x": (0, 1), "n": range(1, 9)}


def f(point):
    return (point["x"] - 0.5) ** 2 + point["n"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"acquisition": "pi"}, "acquisition must be one of"),
        ({"exploration": 0}, "exploration must be a positive number"),
        ({"n_initial": 1}, "n_initial must be an integer of at least 2"),
        ({"n_candidates": 2.5}, "n_candidates must be an integer"),
        ({"n_initial": 10**12}, "at most 1,000,000"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        Optimizer(SPACE, **parameters)


def test_only_our_forests_are_surrogates():
    with pytest.raises(TypeError, match="must be a MondrianForestRegressor"):
        Optimizer(SPACE, surrogate=hedgerow.MondrianKernelRidge())


@pytest.mark.parametrize("value", ["1", 1j, [[1.0]], object()])
def test_values_that_are_no_numbers_are_refused_and_leave_all_as_it_was(value):
    optimizer = Optimizer(SPACE, random_state=0)
    point = optimizer.ask()
    before = bits(optimizer)
    with pytest.raises((ValueError, TypeError)):
        optimizer.tell(point, value)
    with pytest.raises(ValueError, match="is not between"):
        optimizer.tell([point, {"kind": "a", "x": 2.0, "n": 3}], [1.0, 2.0])
    with pytest.raises(ValueError, match="one value a point"):
        optimizer.tell([point], [1.0, 2.0])
    assert bits(optimizer) == before


def test_a_bad_number_of_points_is_refused():
    with pytest.raises(ValueError, match="n must be an integer of at least 1"):
        Optimizer(SPACE).ask(0)
    with pytest.raises(ValueError, match="n_calls must be an integer of at least 1"):
        minimize(f, SPACE, 0)


def test_first_points_are_given_and_checked_before_anything_is_called():
    seen = []

    def note(point):
        seen.append(point)
        return f(point)

    first = [{"kind": "a", "x": 0.25, "n": 2}, {"kind": "b", "x": 0.75, "n": 3}]
    minimize(note, SPACE, 5, 0, x0=first)
    assert seen[:2] == first
    with pytest.raises(ValueError, match="is missing"):
        minimize(note, SPACE, 5, 0, x0=[{"kind": "a"}])
    assert len(seen) == 5


def test_a_callback_may_end_it():
    assert minimize(f, SPACE, 50, 0, callback=lambda result: result.n_calls == 7).n_calls == 7


def test_points_have_the_type_that_fits_the_bounds():
    assert isinstance(Optimizer([(0, 1)]).ask(), np.ndarray)
    assert isinstance(Optimizer([(0, 1), range(3)]).ask(), list)
    assert isinstance(Optimizer(SPACE).ask(), dict)


def test_choices_that_no_file_can_hold_are_named():
    optimizer = Optimizer([Categorical([print, len])], random_state=0)
    optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(TypeError, match="cannot write the choice"):
        bits(optimizer)


@pytest.fixture
def content():
    optimizer = Optimizer(SPACE, random_state=0)
    for _ in range(40):
        point = optimizer.ask()
        optimizer.tell(point, f(point))
    optimizer.ask(3)
    return bits(optimizer)


def spoilt(content, tmp_path, change):
    stored = Stored.parse(content)
    change(stored.header, stored.arrays)
    return stored.write(tmp_path / "spoilt")


def test_the_file_is_whole(content, tmp_path):
    loaded = hedgerow.load(spoilt(content, tmp_path, lambda header, arrays: None))
    assert bits(loaded) == content
    assert loaded.get_params()["acquisition"] == "ucb"


def edit(name, value):
    def change(header, arrays):
        arrays[f"learned/{name}"] = np.full_like(arrays[f"learned/{name}"], value)

    return change


def drop(name):
    return lambda header, arrays: arrays.pop(f"learned/{name}")


def shorten(name):
    def change(header, arrays):
        arrays[f"learned/{name}"] = arrays[f"learned/{name}"][:-1]

    return change


def tell(part=None, **numbers):
    return lambda header, arrays: (header["learned"] if part is None else header["learned"][part]).update(numbers)


def describe(*path, value):
    def change(header, arrays):
        place = header["parameters"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


NAMES = ["places", "values", "descents/centres", "descents/numbers", "descents/zones", "descents/owners"]
NAMES += ["descents/is_outside", "pending/places", "pending/origins", "surrogate/learner/core/rows.labels"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spoil", [drop, shorten])
def test_files_without_something_are_refused(content, tmp_path, name, spoil):
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(spoilt(content, tmp_path, spoil(name)))


@pytest.mark.parametrize(
    "change",
    [
        edit("places", np.nan),
        edit("places", 2.0),
        edit("values", np.inf),
        edit("descents/centres", -0.5),
        edit("descents/numbers", np.nan),
        edit("descents/owners", 10**6),
        tell("descents", leader=10**6),
        tell("descents", zone=0.0),
        edit("pending/origins", 77),
        edit("pending/places", np.inf),
        tell(surrogate={}),
        tell(seed=-1),
        tell(n_asked=-5),
        tell(seed="x"),
        describe("bounds", value={"$value": ["Nothing", {}]}),
        describe("bounds", "$value", 1, value={"names": ["a"], "parameters": []}),
        describe("bounds", "$value", 1, "parameters", 0, "kind", value="Saveable"),
        describe("bounds", "$value", 1, "parameters", 1, value={"kind": "Real", "low": 1, "high": 0, "when": {}}),
        describe("bounds", value=3),
        describe("acquisition", value="none"),
    ],
)
def test_malformed_files_are_refused(content, tmp_path, change):
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(spoilt(content, tmp_path, change))
