"""The map of columns in a stream: when axes come, what rows before have on them, and what a file may say of it."""

from __future__ import annotations

import copy
import datetime

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.base.columns import Cells, Columns
from models import BY_NAME, bits, numbers
from stored import Stored
from tables import array, draw_table, part, rows, table_of

pytestmark = pytest.mark.filterwarnings("ignore")
NAN, INFINITY = float("nan"), float("inf")
WIDENED = ["forest", "class forest", "boosting", "class boosting", "kernel ridge"]
NARROW = ["online forest", "conformal", "quantile forest"]


def forest(**parameters):
    return hr.MondrianForestRegressor(2, random_state=0, **parameters)


def test_axes_of_a_batch():
    table, y = draw_table(60)
    model = forest().fit(table, y)
    names = ["size", "late", "few", "few (place 2)", "few (place 3)", "many", "many (place 2)", "many (place 3)"]
    names += ["when", *(f"when ({circle}, {part})" for circle in ("week", "year") for part in ("sine", "cosine"))]
    circles = [name for name in model.axis_names_ if name.startswith("when (day")]
    gaps = [f"{name} (missing)" for name in ("size", "late", "when", "flag") if None in table[name]]
    assert [name for name in model.axis_names_ if name not in circles and "missing" not in name] == [*names, "flag"]
    assert sorted(model.axis_names_[-len(gaps) :]) == sorted(gaps)
    axes = model._query_rows(table)
    assert np.isfinite(axes).all()
    for name in ("size", "late", "when", "flag"):
        missing = np.array([value is None for value in table[name]])
        np.testing.assert_array_equal(axes[:, model.axis_names_.index(f"{name} (missing)")], missing)
        own = axes[:, model.axis_names_.index(name)]
        assert np.unique(own[missing]).size == 1
        if name in ("size", "late"):
            present = sorted(value for value in table[name] if value is not None)
            assert own[missing][0] == present[(len(present) - 1) // 2]
    assert model.feature_importances_.shape == (6,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_places_of_few_categories():
    for n, expected in ((1, 1), (2, 1), (3, 2), (4, 3), (5, 3)):
        model = forest().fit({"a": [f"level {k % n}" for k in range(20)]}, np.arange(20))
        assert len(model.axis_names_) == expected
        assert np.unique(model._query_rows({"a": [f"level {k}" for k in range(n)]}), axis=0).shape[0] == n


def test_places_are_uniform_and_independent():
    """Of 20,000 names: no correlation above 0.03 in size, no decile off by more than 200 (five sigmas; 1e-5)."""
    model = forest().fit({"a": list("abcde")}, range(5))
    found = model._query_rows({"a": [f"name {k}" for k in range(20_000)]})
    assert found.shape == (20_000, 3)
    assert np.unique(found[:, 0]).size == 20_000
    assert np.abs(np.corrcoef(found.T) - np.eye(3)).max() < 0.035
    for axis in found.T:
        assert np.abs(np.histogram(axis, 10, (0, 1))[0] - 2000).max() < 215


# The stream.


def gappy(n=40):
    """Rows in which each column has its first value, and its first gap, at another time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)).astype(object)
    X[:, 4] = rng.choice(["x", "y", "z"], n)
    X[:9, 0] = None  # the first value comes tenth
    X[:4, 1] = None
    X[:7, 4] = None
    X[6:8, 2] = None  # the first gap comes before some first values
    X[12, 3] = None
    X[20:25, 0] = None
    return X


@pytest.mark.parametrize("name", [*WIDENED, *NARROW])
def test_what_a_stream_brings_does_not_depend_on_batches(name):
    case, X = BY_NAME[name], gappy()
    y = case.data(40)[1]
    found = []
    for step in (1, 3, 5, 39):
        model = case.new().learn_one(list(X[0]), y[0])
        for begin in range(1, 40, step):
            model.partial_fit(X[begin : begin + step], y[begin : begin + step])
        found.append((model.axis_names_, numbers(model, X).tobytes(), None if case.renumbers else bits(model)))
    assert [one[0] for one in found[1:]] == [found[0][0]] * 3
    assert [one == found[0] for one in found] == [True] * 4
    assert model.column_kinds_ == {**dict.fromkeys(["x0", "x1", "x2", "x3"], "number"), "x4": "category"}
    if name in WIDENED:
        assert model.axis_names_[5:] == ["x1 (missing)", "x2 (missing)", "x0 (missing)", "x3 (missing)"]


@pytest.mark.parametrize("name", WIDENED)
def test_rows_before_had_no_gap(name):
    """A forest that learns its first gap late is one that knew of the axis all along."""
    case = BY_NAME[name]
    X, y = case.data(60)
    X = X.copy()
    X[40:, 0][::3] = NAN
    late = case.new().partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    early = case.new().partial_fit(X, y)
    np.testing.assert_array_equal(numbers(late, X), numbers(early, X))
    assert late.axis_names_ == early.axis_names_ == ["x0", "x1", "x2", "x0 (missing)"]


@pytest.mark.parametrize("name", [*WIDENED, *NARROW])
def test_questions_teach_nothing(name):
    case = BY_NAME[name]
    X, y = case.data(40)
    model = case.new().fit(X, y)
    before, gap = bits(model), [NAN, 500.0, 0.5]
    numbers(model, np.array([gap, [NAN] * 3]))
    model.predict_one(gap)
    assert bits(model) == before
    assert model.axis_names_ == ["x0", "x1", "x2"]


def test_a_missing_value_is_not_the_value_that_stands_for_it():
    model = forest().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    before = bits(model)
    for call in (
        lambda: model.unlearn([[NAN]], [2.0]),
        lambda: model.unlearn([[1.0], [NAN]], [1.0, 2.0]),
        lambda: model.unlearn_one([NAN], 2.0),
        lambda: model.unlearn([[NAN]], [2.0], relearn=True),
    ):
        with pytest.raises(ValueError, match="is not among those learned"):
            call()
    assert bits(model) == before
    model.learn_one([NAN], 2.0)
    assert model.unlearn([[NAN]], [2.0]).n_samples_ == 3
    with pytest.raises(ValueError, match="is not among those learned"):
        model.unlearn_one([NAN], 2.0)
    assert model.unlearn_one([2.0], 2.0).n_samples_ == 2


@pytest.mark.parametrize("name", ["forest", "boosting", "class forest"])
def test_rows_with_gaps_are_found(name):
    case = BY_NAME[name]
    table, y = table_of(case, 40)
    model = case.new().fit(part(table, slice(20)), y[:20])
    for row, target in zip(rows(part(table, slice(20, 40))), y[20:], strict=True):
        model.learn_one(row, target)
    for place in (3, 30, 39):
        model.unlearn_one(rows(table)[place], y[place])
        with pytest.raises(ValueError, match="is not among those learned"):
            model.unlearn_one(rows(table)[place], y[place])


def test_a_map_never_changes():
    cells = Cells(["number", "unknown"], np.array([[1.0, NAN]]))
    first = Columns.of(cells, is_batch=False, n_places=3)
    later, constants = first.updated(Cells(["number", "category"], np.array([[NAN, 0.25]])))
    assert first.words == ["number", "unknown"]
    assert later.words == ["number", "category"]
    assert (first.width, later.width, constants.tolist()) == (2, 3, [0.0])
    assert later.updated(Cells(["number", "category"], np.array([[1.0, 0.5]])))[0] is later
    values = np.array([[NAN, 0.25], [3.0, 0.75]])
    np.testing.assert_array_equal(later.values(later.axes(values)), values)


@pytest.mark.parametrize("name", [*WIDENED, *NARROW])
def test_the_first_value_tells_the_kind(name):
    """Of each kind, in a column that began without one; whatever the batches after the first row."""
    case, (table, _) = BY_NAME[name], draw_table(40)
    y = case.data(40)[1]
    table = {**table, "time": [datetime.time(k % 24) for k in range(40)]}
    table |= {"span": [datetime.timedelta(hours=k) for k in range(40)]}
    for begin, column in enumerate(table, start=1):
        table[column] = [None] * begin + table[column][begin:]
    found = []
    for step in (1, 7, 39):
        model = case.new().learn_one(rows(table)[0], y[0])
        assert set(model.column_kinds_.values()) == {"unknown"}
        for begin in range(1, 40, step):
            end = begin + step
            if step == 1:
                model.learn_one(rows(table)[begin], y[begin])
            else:
                model.partial_fit(part(table, slice(begin, end)), y[begin:end])
        found.append((model.column_kinds_, model.axis_names_, numbers(model, table).tobytes()))
    kinds = ["number", "number", "category", "category", "date", "boolean", "time", "duration"]
    assert list(model.column_kinds_.values()) == kinds
    assert found[1:] == found[:1] * 2


# Files.

NUMBER = {"kind": "number", "origin": 0.0, "fill": 0.0, "is_met": True}
MAPS = [
    {"columns/map": None},
    {"columns/map": []},
    {"columns/map": {}},
    {"columns/map": {"kinds": [NUMBER] * 6}},
    {"columns/map/kinds": {}},
    {"columns/map/kinds": [NUMBER]},
    {"columns/map/kinds": [NUMBER] * 6},  # fewer axes than the trees have
    {"columns/map/kinds": [NUMBER] * 5 + [3]},
    *[{"columns/map/kinds/0/kind": kind} for kind in ("category", "unknown", "date", "colour", None, 3, ["number"])],
    *[{"columns/map/kinds/0/fill": value} for value in (NAN, INFINITY, "1", None, True, 10**400)],
    *[{"columns/map/kinds/0/origin": value} for value in (NAN, -INFINITY, "1", None)],
    *[{"columns/map/kinds/0/is_met": value} for value in (1, None, "yes")],
    *[{"columns/map/kinds/2/n_places": value} for value in (0, -1, 2, 17, 10**30, 2.0, None, "3")],
    *[{"columns/map/kinds/2/origin": value} for value in (-0.5, 1.5, NAN, None)],
    *[{"columns/map/kinds/4/circles": value} for value in ([], ["day"], ["moon"], [["day"]], [{}], [1], "day", None)],
    {"columns/map/kinds/4/circles": ["day", "day", "week"]},
    {"columns/map/kinds/4/kind": "time"},
    *[{"columns/map/absent": value} for value in ([], [0], [0, 0, 4, 5], [0, 1, 4, 6], [0, 1, 4, -1], [0, 1, 4, 2.0])],
    *[{"columns/map/absent": value} for value in ([0, 1, 4, 2], [0, 1, 4, True], [0, 1, 4, 5, 3], "0145", None, {})],
]


@pytest.fixture(scope="module")
def content():
    made = {}

    def of(name):
        if name not in made:
            case = BY_NAME[name]
            table, y = table_of(case, 40)
            made[name] = Stored.of(case.new().fit(table, y))
        return made[name]

    return of


@pytest.mark.parametrize("change", MAPS, ids=str)
@pytest.mark.parametrize("name", ["forest", "boosting", "BART", "online forest", "kernel ridge"])
def test_hostile_maps(name, change, content, tmp_path):
    stored = content(name)
    for path, value in change.items():
        place = stored.learned
        for key in path.split("/"):
            place = place[int(key) if isinstance(place, list) else key]
        if place == value:
            pytest.skip("this is what it says")
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_learned(change).load(tmp_path / "model")


@pytest.mark.parametrize("name", [*WIDENED, *NARROW, "BART", "Bayesian tree, classes"])
def test_files_keep_the_map(name, tmp_path):
    case = BY_NAME[name]
    table, y = table_of(case, 40)
    X = array({**table, "nothing": [None] * 40})
    model = case.new().fit(X[:20], y[:20])
    model.save(tmp_path / "model")
    again = hr.load(tmp_path / "model")
    assert again.column_kinds_ == model.column_kinds_
    assert again.column_kinds_["x6"] == "unknown"
    assert again._columns == model._columns
    if case.online:
        X[25:, 6] = 3.5
        assert again.partial_fit(X[20:], y[20:])._columns == copy.deepcopy(model).partial_fit(X[20:], y[20:])._columns
        assert again.column_kinds_["x6"] == "number"


def test_middle_of_huge_values_is_a_number(tmp_path):
    X = np.array([[1.7e308], [1.6e308]])
    model = hr.MondrianForestRegressor(2, hyperparameters="paper", random_state=0).fit(X, [0.0, 1.0])
    model.save(tmp_path / "model")
    found = hr.load(tmp_path / "model").predict([[np.nan]])
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, model.predict([[np.nan]]))
