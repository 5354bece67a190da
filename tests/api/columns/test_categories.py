"""Which columns hold categories, and which values are the same category."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone

import hedgerow as hr
from models import BY_NAME, bits, every, make_sense, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
Y = np.arange(6.0)
FRAME = pandas.DataFrame({"a": [3, 1, 2, 3, 1, 2], "b": list("xyzxyz"), "c": Y})


def forest(**parameters):
    return hr.MondrianForestRegressor(2, random_state=0, **parameters)


def places(values, learned=("x", "y")):
    """Return the places of values in a column that was learned as categories."""
    model = forest(categorical_features=[0]).fit({"a": list(learned)}, np.arange(len(learned)))
    return model._query_rows({"a": values})[:, 0]


SELECTIONS = {
    "names": ["a"],
    "tuple": ("a",),
    "array of names": np.array(["a"]),
    "index": FRAME.columns[:1],
    "numbers": [0],
    "NumPy's number": np.array([0]),
    "negative number": [-3],
    "twice": [0, 0],
    "mask": [True, False, False],
    "array mask": np.array([True, False, False]),
    "series mask": pandas.Series([True, False, False]),
}


@pytest.mark.parametrize("asked", SELECTIONS)
def test_chosen_columns(asked):
    model = forest(categorical_features=SELECTIONS[asked]).fit(FRAME, Y)
    assert model.column_kinds_ == {"a": "category", "b": "category", "c": "number"}
    same = forest(categorical_features=["a"]).fit(FRAME, Y)
    np.testing.assert_array_equal(model.predict(FRAME), same.predict(FRAME))
    assert clone(model).fit(FRAME, Y).column_kinds_ == model.column_kinds_


@pytest.mark.parametrize("nothing", [None, "from_dtype", [], (), [False] * 3, np.zeros(3, dtype=bool)], ids=str)
def test_none_is_chosen(nothing):
    model = forest(categorical_features=nothing).fit(FRAME, Y)
    assert model.column_kinds_ == {"a": "number", "b": "category", "c": "number"}


WRONG = [
    ("all", "'from_dtype', None, a list"),
    ("a", "a list of names"),
    (0, "got 0"),
    ({"a": True}, "a list of names"),
    ([0.0], "all names, all numbers or a mask"),
    (["a", 1], "all names, all numbers or a mask"),
    ([True, 0, 0], "all names, all numbers or a mask"),
    ([["a"]], "a list of names"),
    ([None], "all names, all numbers or a mask"),
    (["d"], "names 'd', but X has"),
    ([3], "asks for column 3, X has 3 columns"),
    ([-4], "asks for column -4"),
    ([True, False], "a mask of 2 columns, X has 3"),
]


@pytest.mark.parametrize(("asked", "message"), WRONG, ids=str)
def test_wrong_choices(asked, message):
    for call in ("fit", "partial_fit"):
        model = forest(categorical_features=asked)
        before = set(vars(model))
        with pytest.raises(ValueError, match=message):
            getattr(model, call)(FRAME, Y)
        assert set(vars(model)) == before
    row = dict(FRAME.iloc[0])
    with pytest.raises(ValueError, match=message):
        forest(categorical_features=asked).learn_one(row, 1.0)


def test_names_are_needed_to_choose_by_name():
    for rows in (FRAME.to_numpy(dtype=object), np.zeros((6, 3))):
        with pytest.raises(ValueError, match="X has no names of columns"):
            forest(categorical_features=["a"]).fit(rows, Y)
    with pytest.raises(ValueError, match="X has no names of columns"):
        forest(categorical_features=["a"]).learn_one([1.0, 2.0], 1.0)


@every(one_a_class=True)
def test_every_model_takes_the_choice(case):
    X, y = case.data(60)
    X = np.round(X * [4, 0.004, 4])
    name = "base__categorical_features" if "base__n_jobs" in case.parameters else "categorical_features"
    name = "categorical_features" if "categorical_features" in case.parameters else name
    model = case.new().set_params(**{name: [1]}).fit(X, y)
    assert model.column_kinds_ == {"x0": "number", "x1": "category", "x2": "number"}
    unseen = X.copy()
    unseen[:, 1] = 77.0
    assert make_sense(numbers(model, unseen))
    if case.predicts:
        assert model.feature_importances_.shape == (3,) if hasattr(model, "feature_importances_") else True


SAME = [
    [1, 1.0, True, np.int8(1), np.float32(1), np.True_, Decimal(1), "1"],
    [0, 0.0, -0.0, False],
    [2**60, 2.0**60, np.int64(2**60)],
    ["x", np.str_("x")],
    [b"x", np.bytes_(b"x")],
    [None, float("nan"), pandas.NA, pandas.NaT],
    [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), pandas.Timestamp("2020-01-01"), np.datetime64("2020")],
    [datetime.timedelta(days=1), pandas.Timedelta(days=1), np.timedelta64(1, "D")],
]


@pytest.mark.parametrize("values", SAME, ids=str)
def test_spellings_of_one_category(values):
    one_by_one = [places([value])[0] for value in values]
    assert len(set(one_by_one)) == 1
    assert set(places(values)) == set(places(values[::-1])) == set(one_by_one)


def test_different_categories():
    values = [1, b"1", "1.0", 2, -1, 1.5, "", " ", "x", "X", None, "None", "nan", "missing", True + 2]
    values += [2**53, 2**53 + 1, 2**64, float("inf"), -float("inf"), datetime.date(1970, 1, 1), datetime.time(0)]
    values += [datetime.timedelta(0), 0, pandas.Interval(0, 1), pandas.Period("2020-01"), "\ud800", "é"]
    found = [places([value])[0] for value in values]
    assert len(set(found)) == len(values)
    assert all(0 <= place < 1 for place in found)
    np.testing.assert_array_equal(places(values), found)


def test_large_numbers_of_rows_stay_apart():
    ids = np.arange(2**60, 2**60 + 50)
    for column in (ids, ids.tolist(), pandas.Series(ids), polars.Series(ids), ids.astype(object)):
        assert np.unique(places(column)).size == 50


def test_order_of_a_type_does_not_matter():
    words = ["low", "high", "middle", "low", "high", None]
    spelled = [
        words,
        pandas.Series(pandas.Categorical(words, ["low", "middle", "high"], ordered=True)),
        pandas.Series(pandas.Categorical(words, ["high", "unused", "low", "middle"])),
        polars.Series(words, dtype=polars.Enum(["middle", "low", "high"])),
        pandas.Series(words, dtype="string"),
    ]
    models = [forest().fit({"a": column}, Y) for column in spelled]
    assert len({bits(model) for model in models}) == 1
    assert len({models[0].predict({"a": column}).tobytes() for column in spelled}) == 1


@pytest.mark.parametrize("name", ["forest", "boosting", "class boosting", "kernel ridge", "BART", "Bayesian tree"])
def test_unseen_levels(name):
    """All levels that are new are alike to boosting; to trees of random places they are not."""
    case = BY_NAME[name]
    _, y = case.data(60)
    rng = np.random.default_rng(0)
    for n_levels in (2, 20):
        table = {"a": rng.choice([f"level {k}" for k in range(n_levels)], 60), "b": rng.normal(size=60)}
        model = case.new().fit(table, y)
        said = numbers(model, {"a": ["new", "newer", None, 3], "b": [0.5] * 4})
        assert make_sense(said)
        if "boosting" in name:
            np.testing.assert_array_equal(said, said[[0, 0, 0, 0]])


@every(one_a_class=True)
@pytest.mark.parametrize("column", ["a level a row", "one level", "all missing", "one row"])
def test_odd_columns_of_categories(case, column):
    _, y = case.data(40)
    table = {
        "a level a row": [f"row {k}" for k in range(40)],
        "one level": ["same"] * 40,
        "all missing": pandas.Series([None] * 40, dtype="category"),
        "one row": ["x"],
    }[column]
    n = len(table)
    if n == 1 and case.kind.__name__.startswith(("BART", "Bayesian")) and case.classes:
        pytest.skip("needs two classes")
    X = {"a": table, "b": np.linspace(0, 1, n)}
    model = case.new().fit(X, y[:n])
    asked = {"a": ["row 3", "same", "x", None, "new"], "b": [0.5] * 5}
    assert model.column_kinds_ == {"a": "category", "b": "number"}
    assert make_sense(numbers(model, asked)) or n == 1
    if case.online:
        model.partial_fit(asked, y[:5])
        assert make_sense(numbers(model, asked)) or n == 1


def test_the_choice_is_that_of_the_beginning():
    model = forest().fit(FRAME, Y)
    said = model.predict(FRAME)
    model.set_params(categorical_features=["a"])
    np.testing.assert_array_equal(model.predict(FRAME), said)
    for call in (lambda: model.partial_fit(FRAME, Y), lambda: model.learn_one(dict(FRAME.iloc[0]), 1.0)):
        with pytest.raises(ValueError, match=r"categorical_features was 'from_dtype' when learning began"):
            call()
    assert model.fit(FRAME, Y).column_kinds_["a"] == "category"
    model.set_params(categorical_features=("a",)).partial_fit(FRAME, Y)  # the same
